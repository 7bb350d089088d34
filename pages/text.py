r"""Text normal forms: what of a text is typography, and is folded before texts are compared, and what is content.

``normalise`` folds the several characters for one quote, dash or space, and Unicode composition. It keeps all that
changes the meaning: letter case, signs, decimal points, percent, accents, full width.

    >>> normalise("“10 – 5”\u00a0% is\t−½")
    '"10 - 5" % is -½'
    >>> numbers("from −1.5 to 2,000.00 (10\u00a0%), see 3-4")
    ['-1.5', '2,000.00', '10%', '3', '4']
"""

import re
import unicodedata

_FOLDED = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff", None),  # soft hyphen, zero-width space and joiner, byte order mark
    }
)

# A sign is one where nothing stands before it that it could join or subtract from.
_NUMBER = re.compile(r"(?:(?<![\w)\]}])[-+±])?(?:\d+(?:[.,]\d+)*|(?<!\w)\.\d+)(?:\s?\\?(?P<percent>%))?")


def normalise(text: str) -> str:
    """The text with one character each for single quotes, double quotes, dashes and spaces, in NFC; idempotent.

    Line breaks stay (as ``\\n``); other white space is one space between words and none at the ends of a line.
    """
    text = unicodedata.normalize("NFC", text).translate(_FOLDED)
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(" ".join(line.split()) for line in lines)


def words(text: str) -> list[str]:
    """The words of the normalised text, with the punctuation that touches them."""
    return normalise(text).split()


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
