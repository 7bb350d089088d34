r"""Text normal forms: what of a text is typography, and is folded before texts are compared, and what is content.

``normalise`` folds the several characters for one quote, dash or space, Unicode composition, ligatures and the shapes
that Arabic letters take beside each other. It keeps all that changes the meaning: letter case, signs, decimal points,
percent, accents, full width.

    >>> normalise("“10 – 5”\u00a0% is\t−½")
    '"10 - 5" % is -½'
    >>> numbers("from −1.5 to 2,000.00 (10\u00a0%), see 3-4")
    ['-1.5', '2,000.00', '10%', '3', '4']
"""

import re
import unicodedata
from functools import lru_cache

_FOLDED: dict[int, str | None] = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("\u0640", None),  # kashida, which only stretches a word
    }
)
#: Characters without a width or a shape of their own: soft hyphen, zero-width space and joiner, byte order mark, marks
#: of direction. The joiners of Persian and Indic words are none, for they change the letters beside them.
INVISIBLE = frozenset(
    "\u00ad\u200b\u2060\ufeff\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_FOLDED |= dict.fromkeys(map(ord, INVISIBLE), None)
_FOLDABLE = re.compile(f"[{''.join(map(chr, _FOLDED))}]+")  # several times quicker than to translate a whole page
# Latin ligatures and Arabic presentation forms, which NFC leaves apart from the letters they are.
_LIGATURES = re.compile("[\ufb00-\ufb06\ufb50-\ufdfb\ufe70-\ufefc]+")

# Scripts that are written without spaces. A space that touches the first kind is typography, between words of the
# second it ends a sentence; in both a character is what a reader gets right or wrong.
_HAN_AND_KANA = "\u2e80-\u2fdf\u3000-\u303f\u3041-\u30ff\u31c0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = _HAN_AND_KANA + "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
_SPACE_BESIDE_HAN = re.compile(rf" (?:(?<=[{_HAN_AND_KANA}] )|(?=[{_HAN_AND_KANA}]))")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")

# A sign is one where nothing stands before it that it could join or subtract from.
_NUMBER = re.compile(r"(?=[-+±.\d])(?:(?<![\w)\]}])[-+±])?(?:\d+(?:[.,]\d+)*|(?<!\w)\.\d+)(?:\s?\\?(?P<percent>%))?")


@lru_cache(maxsize=64)  # a text is asked for its words and its numbers too
def normalise(text: str) -> str:
    """The text with one character each for single quotes, double quotes, dashes and spaces, in NFC; idempotent.

    Line breaks stay (as ``\\n``); other white space is one space between words, and none at the ends of a line or
    beside Chinese and Japanese characters.
    """
    text = unicodedata.normalize("NFC", text)
    if not text.isascii():
        text = _LIGATURES.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
        text = unicodedata.normalize("NFC", _FOLDABLE.sub(lambda found: found.group().translate(_FOLDED), text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    text = "\n".join(" ".join(line.split()) for line in lines)
    return text if text.isascii() else _SPACE_BESIDE_HAN.sub("", text)


def words(text: str) -> list[str]:
    """The words of the normalised text, with the punctuation that touches them.

    In scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) each character is one.
    """
    return _WORD.findall(normalise(text))


def numbers(text: str) -> list[str]:
    """The numbers of the text in order, each with its sign, decimals, thousands marks and percent sign, no spaces."""
    found = []
    for match in _NUMBER.finditer(normalise(text)):
        number = match.group()
        found.append(number.rstrip("%\\ \n") + "%" if match["percent"] else number)
    return found


def shingles(text: str, size: int = 9) -> set[str]:
    """All stretches of ``size`` characters of the normalised text without white space; a shorter text is its own."""
    dense = "".join(words(text))
    return {dense[start : start + size] for start in range(max(1, len(dense) - size + 1))} if dense else set()
