r"""Texts by how they are set: headings, bold, italics; and the marks of notes with what stands beside them.

Where the modes part: upstream takes any fragment of a text for it (``partial_ratio``), reads ``<br>`` as the start of
bold, counts a page that is bold from end to end as every bold text, and measures a note's neighbours by the length they
have before cleaning. Strict asks for the whole text with exact numbers, in a span that is about it, and reads a note's
own line (``[^1]: text``) as text behind its mark.
"""

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from proofpress.model.rewards.scoring import Score
from proofpress.model.rewards.unit_tests.forms import forgiven, occurrences, olmocr_form, strict_form
from proofpress.model.rewards.unit_tests.kinds import FootnoteTest, FormatTest, Mode, failed, passed

WINDOW = 200  # characters before and behind a note's mark that are looked at
MAX_SPAN = 3  # times the text's length: a longer span is not about it

_SPANS = {
    "heading": (re.compile(r"^#{1,6}\s+(.+?)$", re.MULTILINE),),
    "bold": (re.compile(r"\*\*(.*?)\*\*", re.DOTALL), re.compile(r"__(.*?)__", re.DOTALL)),
    "italic": (
        re.compile(r"(?<!\*)\*(?!\*)(.*?)(?<!\*)\*(?!\*)", re.DOTALL),
        re.compile(r"(?<!_)_(?!_)(.*?)(?<!_)_(?!_)", re.DOTALL),
    ),
}
_TAGS = {"heading": ("h1", "h2", "h3", "h4", "h5", "h6"), "bold": ("b", "strong"), "italic": ("i", "em")}
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def check_format(test: FormatTest, page: str, mode: Mode) -> Score:
    """``format``."""
    form = olmocr_form if mode == "olmocr" else strict_form
    text = form(test.text)
    spans = [form(span) for span in _formatted(page, test.format, mode)]
    if not test.case_sensitive:
        text, spans = text.lower(), [span.lower() for span in spans]
    if any(_says(text, span, test.max_diffs, mode) for span in spans):
        return passed()
    sample = ", ".join(repr(span[:30]) for span in spans[:3]) or "nothing"
    return failed(f"{text[:60]!r} is not set as {test.format}; that is {sample}", empty=not page.strip())


def _says(text: str, span: str, max_diffs: int, mode: Mode) -> bool:
    if mode == "olmocr":
        return fuzz.partial_ratio(text, span) / 100 >= 1 - max_diffs / len(text)
    short_enough = len(span) <= max(MAX_SPAN * len(text), len(text) + WINDOW)
    return short_enough and any(True for _ in occurrences(text, span, max_diffs))


def _formatted(page: str, format: str, mode: Mode) -> Iterator[str]:
    for pattern in _SPANS[format]:
        yield from pattern.findall(page)
    for tag in _TAGS[format]:
        # Upstream's pattern also takes longer names that begin so: <br> for <b>.
        name = tag if mode == "olmocr" else rf"{tag}(?=[\s>])"
        end = page.lower().rfind(f"</{tag}>")  # beyond it nothing closes, and each open tag would look to the end
        yield from re.findall(rf"<{name}[^>]*>(.*?)</{tag}>", page[: end + len(tag) + 3], re.IGNORECASE | re.DOTALL)


def check_footnote(test: FootnoteTest, page: str, mode: Mode) -> Score:
    """``footnote``. The text before and the text behind may stand beside different occurrences of the mark."""
    marks = list(_marks(test.marker, page, mode))
    if not marks:
        return failed(f"no mark {test.marker!r}", empty=not page.strip())
    if test.appears_before_marker:
        sides = (page[max(0, start - WINDOW) : start] for start, _ in marks)
        if not any(_beside(test.appears_before_marker, side, test.max_diffs, mode, last=True) for side in sides):
            return failed(f"{test.appears_before_marker[:60]!r} does not stand before mark {test.marker!r}")
    if test.appears_after_marker:
        sides = (page[end : end + WINDOW] for _, end in marks)
        if not any(_beside(test.appears_after_marker, side, test.max_diffs, mode, last=False) for side in sides):
            return failed(f"{test.appears_after_marker[:60]!r} does not stand behind mark {test.marker!r}")
    return passed()


def _marks(marker: str, page: str, mode: Mode) -> Iterator[tuple[int, int]]:
    name = re.escape(marker)
    patterns = [rf"\[\^{name}\]" + ("(?!:)" if mode == "olmocr" else ""), rf"(?i:<sup[^>]*>{name}</sup>)"]
    if mode == "strict":
        patterns.append(rf"\$\^(?:{name}|\{{{name}\}})\$" if len(marker) == 1 else rf"\$\^\{{{name}\}}\$")
    if marker.isascii() and marker.isdigit():
        raised = marker.translate(_SUPERSCRIPTS)
        patterns.append(raised if mode == "olmocr" else rf"(?<![⁰¹²³⁴⁵⁶⁷⁸⁹]){raised}(?![⁰¹²³⁴⁵⁶⁷⁸⁹])")
    for pattern in patterns:
        for found in re.finditer(pattern, page):
            yield found.span()


def _beside(text: str, side: str, max_diffs: int, mode: Mode, last: bool) -> bool:
    """Whether a text ends (``last``) or begins a stretch of the page, letters and digits alone."""
    form = olmocr_form if mode == "olmocr" else strict_form
    wanted = "".join(filter(str.isalnum, form(text))).lower()
    found = "".join(filter(str.isalnum, form(side))).lower()
    if mode == "olmocr":
        if not found:
            return False
        near = found[-2 * len(wanted) :] if last else found[: 2 * len(wanted)]
        return fuzz.partial_ratio(wanted, near) / 100 >= 1 - max_diffs / len(olmocr_form(text))
    near = found[-2 * len(wanted) :] if last else found[: 2 * len(wanted)]
    return len(near) >= len(wanted) - forgiven(wanted, max_diffs) and any(
        True for _ in occurrences(wanted, near, max_diffs)
    )
