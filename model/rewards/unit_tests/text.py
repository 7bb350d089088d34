"""Texts on a page: present, absent, in order; and whether the page is text at all.

Where the modes part: upstream finds a text in a page *shorter* than it when the page is a fragment of the text, lets
numbers differ within ``max_diffs``, passes every absent test on an empty page, and calls an order right if any earlier
occurrence exists. Strict finds whole texts with exact numbers, needs a page with words, and asks that both the first
and the last occurrence stand in order.
"""

import re

from fuzzysearch import find_near_matches
from rapidfuzz import fuzz

from proofpress.model.rewards.scoring import Score
from proofpress.model.rewards.soundness import looping_tail
from proofpress.model.rewards.unit_tests.forms import occurrences, olmocr_form, strict_form
from proofpress.model.rewards.unit_tests.kinds import BaselineTest, Mode, OrderTest, TextTest, failed, passed

MAX_REPEATED = 5  # characters of the pieces whose repetition at the end upstream counts
#: The most of a page, in characters and as a share, that may be a looping tail in strict mode.
MAX_LOOP, MAX_LOOP_SHARE = 200, 0.25

_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
_FOREIGN = re.compile(
    "[\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff"  # Chinese and Japanese
    "\U0001f600-\U0001f64f\U0001f300-\U0001f5ff\U0001f680-\U0001f6ff\U0001f1e0-\U0001f1ff]"  # emoji
)


def check_text(test: TextTest, page: str, mode: Mode) -> Score:
    """``present`` and ``absent``."""
    form = olmocr_form if mode == "olmocr" else strict_form
    text, content = form(test.text), form(page)
    if not test.case_sensitive:
        text, content = text.lower(), content.lower()
    content = _ends(content, test.first_n, test.last_n)
    wanted = test.type == "present"
    if mode == "olmocr":
        ratio = fuzz.partial_ratio(text, content) / 100
        threshold = 1 - test.max_diffs / len(text)
        if (ratio >= threshold) == wanted:
            return passed()
        return failed(f"{text[:60]!r}: best match {ratio:.3f}, threshold {threshold:.3f}")
    if not strict_form(page):
        return failed("nothing was read", empty=True)
    found = next(occurrences(text, content, test.max_diffs), None)
    if (found is not None) == wanted:
        return passed()
    where = f"found: {content[found[0] : found[1]]!r}" if found else "not on the page"
    return failed(f"{text[:60]!r}: {where}")


def check_order(test: OrderTest, page: str, mode: Mode) -> Score:
    """``order``."""
    starts = []
    for name, text in (("before", test.before), ("after", test.after)):
        if mode == "olmocr":
            matches = find_near_matches(olmocr_form(text), olmocr_form(page), max_l_dist=test.max_diffs)
            starts.append([match.start for match in matches])
        else:
            starts.append([start for start, _ in occurrences(strict_form(text), strict_form(page), test.max_diffs)])
        if not starts[-1]:
            return failed(f"{name}: {text[:60]!r} is not on the page", empty=not page.strip())
    before, after = starts
    if mode == "olmocr" or test.before == test.after:
        in_order = min(before) < max(after)
    else:
        in_order = min(before) < min(after) and max(before) < max(after)
    return passed() if in_order else failed(f"{test.before[:60]!r} does not come before {test.after[:60]!r}")


def check_baseline(test: BaselineTest, page: str, mode: Mode) -> Score:
    """``baseline``. Strict also fails a page of which much is one loop, table markup not counted."""
    if test.max_length is not None:
        shown = _without_images(page) if test.max_length_skips_image_alt_tags else page
        length = _letters(shown)
        return passed() if length <= test.max_length else failed(f"{length} characters on a page that is blank")
    if not _letters(page):
        return failed("no letter and no digit", empty=True)
    for size in range(1, MAX_REPEATED + 1):
        if (count := _repeats(page, size)) > test.max_repeats:
            return failed(f"ends with {count} times the same {size} characters")
    if mode == "strict" and (loop := looping_tail(page)) > max(MAX_LOOP, MAX_LOOP_SHARE * len(page)):
        return failed(f"the last {loop} characters are a loop")
    if test.check_disallowed_characters and (foreign := _FOREIGN.findall(page)):
        return failed(f"characters of another script: {''.join(foreign[:20])}")
    return passed()


def _ends(text: str, first: int | None, last: int | None) -> str:
    if first and last:
        return text[:first] + text[-last:]
    if first:
        return text[:first]
    return text[-last:] if last else text


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _without_images(text: str) -> str:
    # Without this, marks that are never closed cost the square of the page.
    return _IMAGE.sub("", text) if "](" in text[: text.rfind(")")] else text


def _repeats(text: str, size: int) -> int:
    """How often the last ``size`` characters stand at the end, white space folded."""
    text = re.sub(r"\s+", " ", text)
    if len(text) < size:
        return 0
    last, count, end = text[-size:], 0, len(text)
    while end >= size and text[end - size : end] == last:
        count += 1
        end -= size
    return count
