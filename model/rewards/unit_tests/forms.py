r"""The two forms in which unit tests compare texts, and where a text stands in a page.

``olmocr_form`` is upstream's normalisation to the letter. It takes emphasis off by blind pairs of marks, so it eats
operators and identifiers too; ``strict_form`` takes off only what is emphasis, and entities and tags besides.

    >>> olmocr_form("a_b_c and 2*3*4"), strict_form("a_b_c and 2*3*4")
    ('abc and 234', 'a_b_c and 2*3*4')
    >>> strict_form("a **bold** move&nbsp;&amp; <i>more</i>")
    'a bold move & more'
"""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape

from fuzzysearch import find_near_matches
from rapidfuzz.distance import Levenshtein

from proofpress.pages.text import normalise, numbers

_OLMOCR_MARKS = (
    (re.compile(r"<br/?>"), " "),
    (re.compile(r"\*\*(.*?)\*\*"), r"\1"),
    (re.compile(r"__(.*?)__"), r"\1"),
    (re.compile(r"</?b>"), ""),
    (re.compile(r"</?i>"), ""),
    (re.compile(r"(\*\*|__)(.*?)\1"), r"\2"),
    (re.compile(r"(\*|_)(.*?)\1"), r"\2"),
    (re.compile(r"\s+"), " "),
)
_OLMOCR_FOLDED = str.maketrans("‘’‚“”„＿–—‑‒−\u00b5", "'''\"\"\"_-----\u03bc")

_BREAK = re.compile(r"<(?:br|/?p|/?div|hr)\s*/?>", re.IGNORECASE)
_INLINE_TAG = re.compile(r"</?(?:b|i|em|strong|u|span|mark|small)(?:\s[^<>]*)?>", re.IGNORECASE)
_EMPHASIS = re.compile(
    r"(?<![\w*])(?P<star>\*{1,3})(?=[^\s*])(?P<starred>.{1,500}?)(?<=[^\s*])(?P=star)(?![\w*])"
    r"|(?<![\w_])(?P<line>_{1,3})(?=[^\s_])(?P<lined>.{1,500}?)(?<=[^\s_])(?P=line)(?![\w_])"
)

_NUMBER_BEFORE = re.compile(r"[\d.,+±-]+\Z")
_NUMBER_BEHIND = re.compile(r"(?:[.,]?\d)*\s?%?")
MAX_NUMBER = 50  # characters

#: At most this share of a text may differ in strict mode, whatever a test forgives: more is another text.
MAX_FORGIVEN = 1 / 3


def olmocr_form(text: str) -> str:
    """A text as upstream compares it; not trimmed, case kept."""
    for pattern, replacement in _OLMOCR_MARKS:
        text = pattern.sub(replacement, text)
    return unicodedata.normalize("NFC", text).translate(_OLMOCR_FOLDED)


def strict_form(text: str) -> str:
    """A text as it is printed, in one line: no emphasis, no tags of it, entities as characters, typography folded."""
    text = _INLINE_TAG.sub("", _BREAK.sub(" ", text))
    for _ in range(2):  # bold around italics
        text = _EMPHASIS.sub(lambda found: found["starred"] or found["lined"], text)
    return " ".join(normalise(unescape(text)).split())


def forgiven(text: str, max_diffs: int) -> int:
    """How many edits of a text strict mode forgives."""
    return min(max_diffs, int(len(text) * MAX_FORGIVEN))


def same(text: str, found: str, max_diffs: int) -> bool:
    """Whether a whole text is another one, up to the edits forgiven, which may not touch a number."""
    allowed = forgiven(text, max_diffs)
    if numbers(text) != numbers(found):
        return False
    return Levenshtein.distance(text, found, score_cutoff=allowed) <= allowed


def occurrences(text: str, page: str, max_diffs: int) -> Iterator[tuple[int, int]]:
    """Where a text stands in a page, (start, end) in order, up to the edits forgiven, with each of its numbers exact.

    A number is exact when the page has no more of it either: 2020 is not in 20201, nor 5 in -5.
    """
    allowed = forgiven(text, max_diffs)
    if not allowed:
        spans = _exact(text, page)
    else:
        spans = iter(sorted((match.start, match.end) for match in find_near_matches(text, page, max_l_dist=allowed)))
    for start, end in spans:
        if _numbers_kept(text, page, start, end):
            yield start, end


def _exact(text: str, page: str) -> Iterator[tuple[int, int]]:
    at = page.find(text)
    while at >= 0:
        yield at, at + len(text)
        at = page.find(text, at + 1)


def _numbers_kept(text: str, page: str, start: int, end: int) -> bool:
    """Whether the numbers of a text are those of a stretch of the page, the numbers it cuts through taken whole."""
    if page[start : start + 1].isdigit() and (before := _NUMBER_BEFORE.search(page, max(0, start - MAX_NUMBER), start)):
        start = max(0, before.start() - 1)  # what stands before a sign says whether it is one
    behind = _NUMBER_BEHIND.match(page, end) if page[end - 1 : end].isdigit() else None
    found = numbers(page[start : behind.end() if behind else end])
    expected = numbers(text)
    return any(found[at : at + len(expected)] == expected for at in range(len(found) - len(expected) + 1))
