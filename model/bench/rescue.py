r"""What OmniDocBench v1.6 takes for a displayed formula though it was not written as one.

A gold formula often stands in a reading as a line of text, as a cell of a table or in a picture's name. v1.6 keeps such
pieces as candidates for gold formulas; which of them are used is decided by ``formula_candidates``. It also takes
numbers and captions out of displayed formulas, and parts arithmetic that stands side by side in one. The measures of
what looks like a formula are upstream's.

>>> looks_like_formula("3 + 4 = 7"), looks_like_formula("In 1876 it fell.")
(True, False)
"""

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup

from proofpress.model.bench.normal_forms import plain_formula

_TOKEN = re.compile(
    r"(\\frac|\\sqrt|\\sum|\\int|\\prod|\\times|\\div|\\square|\\cdots|\\left|\\right|\\approx|\\xrightarrow|"
    r"\\rightarrow|\\longrightarrow|=|<|>|≤|≥|≈|÷|×|±|∑|∫|√|→|\^|_|□|△|…|%|/|\+|-)"
)
_ARROWS = ("\\xrightarrow", "\\longrightarrow")
_CJK = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_INLINE = re.compile(r"\$(.*?)\$|\\\((.{0,2000}?)\\\)")
_DISPLAYED = re.compile(r"\$\$(.*?)\$\$|\\\[(.*?)\\\]", re.DOTALL)
_WRAPPED = [
    re.compile(one, re.DOTALL)
    for one in (r"\$\$(.*?)\$\$", r"\\\[(.{0,2000}?)\\\]", r"\\\((.{0,2000}?)\\\)", r"\$(.*?)\$")
]
_NO_WORDS = re.compile(r"\\[A-Za-z]+|[=<>≤≥÷×±∑∫√^_□△…%/()+\-]|\d|\s")
_ENVELOPES = ((r"\[", r"\]"), (r"\(", r"\)"), ("$$", "$$"), ("$", "$"))
_SIGNS = {
    "……": r" \cdots \cdots ", "…": r" \cdots ", "×": r" \times ", "÷": r" \div ", "≤": r" \leq ", "≥": r" \geq ",
    "≠": r" \neq ", "≈": r" \approx ", "□": r" \square ", "△": r" \triangle ", "（": "(", "）": ")", "［": "[",
    "］": "]", "｛": "{", "｝": "}",
}  # fmt: skip
_ARROW = re.compile(r"(.*?)\\xrightarrow\s*\{([^{}]+)\}(.*)")
_REDOX = "氧化还原反应"
_SPACE = r"(?:\\qquad|\\quad|\\enspace|\\,|\\;|\\:)\s*"
_NUMBER = re.compile(rf"(\\left\(\s*[0-9IVXivx]+\s*\\right\)|\(\s*[0-9IVXivx]+\s*\))\s*(?:{_SPACE})*")
_CAPTIONS = (
    re.compile(rf"({_SPACE})(\\text\s*\{{[^{{}}]*\}}\.?)\s*$"),
    re.compile(rf"({_SPACE})(\([^)]*[A-Za-z][^)]*\)\.?)\s*$"),
)
_SPACES_AT_END = re.compile(rf"(?:{_SPACE})+$")
_ADVANCED = re.compile(r"\\(begin|end)\{|\\(mathbf|left|right|cdot|lambda|Gamma|varGamma|text|matrix|pmatrix|bmatrix)")
_RELATIONS = ("=", r"\approx", "≈", r"\neq", "≠", r"\leq", "≤", r"\geq", "≥")
_STRONG = (
    "=", "<", ">", "≤", "≥", "≈", "≠", "^", "+", "-", "/", r"\cdot", r"\frac", r"\sqrt", r"\sum", r"\int", r"\times",
    r"\div", r"\approx", r"\neq", r"\leq", r"\geq", *_ARROWS,
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9._,-]+|[ΓγλμνxyzuvwMNOabcABC0-9._,-]+")
_DESCRIPTIONS = ("the image ", "the figure ", "the diagram ", "diagram:", "[diagram:", "[image:", "qr code ")
MAX_LIKE, MAX_CELL, MAX_SUM = 220, 120, 160  # characters of what may look like a formula
MAX_DIV = 5_000  # characters of a ``<div>`` that is read
MAX_MARGINS = 2_000  # characters of a displayed formula that is looked through for a caption


def looks_like_formula(text: str) -> bool:
    """Whether a line of text is a formula by its signs, digits and few words."""
    text = " ".join(text.split())
    if not text or len(text) > MAX_LIKE:
        return False
    bare = _unwrapped(text)
    size = len("".join(bare.split()))
    operators, digits = len(_TOKEN.findall(bare)), len(re.findall(r"\d", bare))
    wrapped = len(_INLINE.findall(text)) + len(_DISPLAYED.findall(text))
    han, words = len(_CJK.findall(bare)), len(_WORD.findall(bare))
    if not size:
        return False
    return (
        (wrapped > 0 and len(_NO_WORDS.sub("", bare)) <= 18 and operators >= 1)
        or (("□" in bare or r"\square" in bare) and operators >= 1 and words <= 1 and size <= 80)
        or (any(arrow in bare for arrow in (*_ARROWS, "→")) and han <= 24 and size <= 120)
        or (operators >= 2 and digits >= 1 and words <= 2 and han <= 12 and size <= 100)
        or (operators >= 3 and words == 0 and han <= 18 and size <= 80)
    )


def as_formula(text: str) -> str:
    """The text as a displayed formula: its signs as commands, delimiters around it."""
    text = _unwrapped(" ".join(text.replace("\u3000", " ").split()))
    for sign, command in _SIGNS.items():
        text = text.replace(sign, command)
    if found := _ARROW.search(text):
        left, label, right = (part.strip() for part in found.groups())
        arrow = rf"\xrightarrow{{{label}}}" if "\\" in label else rf"\xrightarrow{{\text{{{label}}}}}"
        if right.endswith(_REDOX):
            right = right.removesuffix(_REDOX).strip()
            arrow = rf"\underset{{{_REDOX}}}{{{arrow}}}"
        text = f"{left} {arrow} {right}".strip()
    text = " ".join(re.sub(r"(?<!\\)([%&])", r"\\\1", text).split())
    return text if not text or text.startswith((r"\begin{", "$$", r"\[")) else rf"\[ {text} \]"


def has_arrow(latex: str) -> bool:
    """Whether it is a reaction: such a line of text is a displayed formula of its own."""
    return any(arrow in latex for arrow in _ARROWS)


def formulas_in_cells(html: str) -> Iterator[tuple[str, int]]:
    """The cells of a table that look like formulas, as formulas, each at a place of its own from 0."""
    at = 0
    for cell in BeautifulSoup(html, "html.parser").find_all(["td", "th"]):
        text = " ".join(cell.get_text(separator=" ").split())
        if not _is_cell_formula(text):
            continue
        yield as_formula(text), at
        at += len(text) + 1


def without_margins(latex: str) -> tuple[str, list[str]]:
    """A displayed formula without the number before it and the captions behind it, and these as text."""
    compact = " ".join(latex.split())
    if len(compact) > MAX_MARGINS:
        return latex, []
    opening, closing, inside = _envelope(compact)
    taken = []
    if number := _NUMBER.match(inside):
        taken.append(_as_words(number[1]))
        inside = inside[number.end() :].strip()
    while caption := next(filter(_is_caption, (pattern.search(inside) for pattern in _CAPTIONS)), None):
        taken.append(_as_words(caption[2]))
        inside = inside[: caption.start()].rstrip()
    if not taken:
        return latex, []
    inside = _SPACES_AT_END.sub("", inside).strip()
    if not inside:
        return compact, []
    return f"{opening} {inside} {closing}".strip(), [text for text in taken if text]


def side_by_side(latex: str) -> list[str]:
    r"""The sums that stand in one displayed formula, parted by ``\quad``; none where they are not all arithmetic."""
    opening, closing, inside = _envelope(" ".join(latex.split()))
    parts = [part.strip() for part in re.split(r"\s*(?:\\qquad|\\quad)\s*", inside) if part.strip()]
    if len(parts) < 2 or not all(map(_is_arithmetic, parts)):
        return []
    return [f"{opening} {part} {closing}".strip() for part in parts]


def is_name(latex: str) -> bool:
    """Whether an inline formula is a short name, such as ``$x_1$`` without its signs, and no candidate."""
    inside = "".join(_unwrapped(latex.strip()).split())
    if inside.startswith(_ARROWS):
        return True
    if not inside or len(inside) > 24 or any(sign in inside for sign in _STRONG):
        return False
    return bool(_NAME.fullmatch(inside))


def without_inline_marks(content: str) -> str:
    """The page with the dollars taken out of paragraphs that describe a picture."""
    blocks = re.split(r"(\n\s*\n)", content)
    for place in range(0, len(blocks), 2):
        start = " ".join(blocks[place].split()).lower()
        if len(start) >= 24 and start.startswith(_DESCRIPTIONS):
            blocks[place] = _WRAPPED[3].sub(r"\1", _WRAPPED[2].sub(r"\1", blocks[place]))
    return "".join(blocks)


def text_of_div(text: str) -> str:
    """The text of a paragraph that is a ``<div>``, one line a block; any other as it is."""
    if not re.match(r"<(div|dir)\b", text, re.IGNORECASE) or "<table" in text.lower() or len(text) > MAX_DIV:
        return text
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup.find_all(["style", "script"]):
        tag.decompose()
    for tag in soup.find_all("br"):
        tag.replace_with("\n")
    for tag in soup.find_all(["div", "dir", "p", "li"]):
        tag.append("\n")
    lines = (line.strip() for line in soup.get_text().replace("\xa0", " ").split("\n"))
    return "\n".join(line for line in lines if line) or text


def _unwrapped(text: str) -> str:
    for pattern in _WRAPPED:
        text = pattern.sub(r" \1 ", text)
    return text


def _envelope(text: str) -> tuple[str, str, str]:
    for opening, closing in _ENVELOPES:
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening) + len(closing):
            return opening, closing, text[len(opening) : -len(closing)].strip()
    return "", "", text


def _is_cell_formula(text: str) -> bool:
    if len(text) > MAX_CELL or not looks_like_formula(text):
        return False
    if not any(sign in text for sign in ("=", "+", "-", "×", "÷", "/", "≈", r"\times", r"\div", r"\approx")):
        return False
    return _has_figures(text)


def _is_arithmetic(text: str) -> bool:
    if len(text) > MAX_SUM or _ADVANCED.search(text) or not any(sign in text for sign in _RELATIONS):
        return False
    return _has_figures(text)


def _has_figures(text: str) -> bool:
    return len(re.findall(r"\d", text)) >= 2 or r"\frac" in text


def _as_words(latex: str) -> str:
    return " ".join(plain_formula(latex).replace("\xa0", " ").split())


def _is_caption(found: re.Match[str] | None) -> bool:
    if not found:
        return False
    plain = _as_words(found[2])
    inside = plain[1:-1].strip() if plain.startswith("(") and plain.endswith(")") else plain
    if re.fullmatch("[0-9IVXivx]+", inside.replace(" ", "")):
        return False
    letters, words = len(re.findall("[A-Za-z]", plain)), len(re.findall("[A-Za-z]{2,}", plain))
    signs = len(re.findall(r"\\[A-Za-z]+|[=<>≤≥÷×±∑∫√_^{}]", found[2]))
    digits = len(re.findall(r"\d", plain))
    return (letters >= 10 and words >= 2 and signs <= 6) or (letters >= 14 and not digits and signs <= 3)
