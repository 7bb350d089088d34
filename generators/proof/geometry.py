"""Whether everything stands where it can be read: on the page, under nothing, in order, apart from each other."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from proofpress.generators.proof.printed import Printed
from proofpress.generators.sheet import Box

SLACK = 3.0  # pixels by which a glyph may stand out of its element's box: italics, radicals, tall integrals
WIDE = SLACK + 0.5  # of a word at its element's side: the press lets content jut out as far, in whole pixels
TALL = 0.15  # share of a word's height by which its font may reach out of a tight line: room for marks, seldom ink
OVERLAP = 0.3  # share of the lower word's height that two words' boxes may have in common: tight leading, not ink
TALL_OVERLAP = 0.45  # the same where fonts keep room for marks above and below letters
TALL_LANGUAGES = frozenset(("ar", "he", "hi", "zh", "ja", "ko"))

_LATIN = re.compile("[0-9A-Za-z\u0660-\u0669\ufffc]")


def unclipped(printed: Printed) -> Iterator[str]:
    """Every word has a size, lies on the page and inside its own element."""
    height, width = printed.pixels.shape
    for word in printed.layout.words:
        left, top, right, bottom = word.box
        if right - left < 0.5 or bottom - top < 1:
            yield f"{word.element}: {word.text!r} has no size"
        if left < 0 or top < 0 or right > width or bottom > height:
            yield f"{word.element}: {word.text!r} stands off the page"
        boxes = printed.layout.pieces[word.element].boxes
        tall = SLACK + TALL * (bottom - top)
        if not any(
            left >= b[0] - WIDE and top >= b[1] - tall and right <= b[2] + WIDE and bottom <= b[3] + tall for b in boxes
        ):
            yield f"{word.element}: {word.text!r} stands out of its element"


def uncovered(printed: Printed) -> Iterator[str]:
    for word in printed.layout.words:
        if not word.visible:
            yield f"{word.element}: something stands over {word.text!r}"


def within_its_place(printed: Printed) -> Iterator[str]:
    for piece in printed.layout.pieces.values():
        if piece.wide:
            yield f"{piece.id}: wider than its place"


def in_order(printed: Printed) -> Iterator[str]:
    """Reading goes on in the script's direction or down, from piece to piece, from word to word, from cell to cell."""
    placed = printed.layout.pieces
    rtl = printed.spec.style.direction == "rtl"
    for before, after in pairwise(printed.kept):
        if not _leads(placed[before.id].boxes[-1], placed[after.id].boxes[0], rtl):
            yield f"{after.id} stands before {before.id}"
    lines = {piece.id: rtl and piece.type != "code" for piece in printed.kept if piece.type not in ("figure", "table")}
    for first, second in pairwise(word for word in printed.layout.words if word.element in lines):
        # Within a line set from right to left, digits and Latin words run the other way.
        leftward = lines[first.element]
        embedded = leftward and (_LATIN.search(first.text) or _LATIN.search(second.text))
        leads = _leads(first.box, second.box, leftward) or (embedded and _leads(first.box, second.box, False))
        if first.element == second.element and not leads:
            yield f"{second.element}: {second.text!r} stands before {first.text!r}"
    for piece in placed.values():
        rows = [row for row in piece.corners if row]
        if any(
            not (second[2] < first[2] - 1 if rtl else second[0] > first[0] + 1) or abs(second[1] - first[1]) > 1
            for row in rows
            for first, second in pairwise(row)
        ):
            yield f"{piece.id}: the cells of a row do not stand in a row"
        if any(below[0][1] <= above[0][1] + 1 for above, below in pairwise(rows)):
            yield f"{piece.id}: rows do not follow each other"


def _leads(first: Box, second: Box, rtl: bool) -> bool:
    """Whether one reads on from the first box to the second: it is to the right (``rtl``: to the left), or lower."""
    height = min(first[3] - first[1], second[3] - second[1])
    beside = second[2] <= first[0] + SLACK if rtl else second[0] >= first[2] - SLACK
    return beside or second[1] + second[3] > first[1] + first[3] + height / 2


def apart(printed: Printed) -> Iterator[str]:
    """No two elements, and no two words, stand over each other."""
    owned = [(piece, box) for piece in printed.layout.pieces.values() for box in piece.boxes]
    boxes = np.array([box for _, box in owned]).reshape(-1, 4)
    for first, second in _crossing(boxes, lambda across, down, lower: (across > 1) & (down > 1)):
        if owned[first][0] is not owned[second][0]:
            yield f"{owned[first][0].id} and {owned[second][0].id} overlap"
    boxes = np.array([word.box for word in printed.layout.words]).reshape(-1, 4)
    allowed = TALL_OVERLAP if printed.spec.style.language in TALL_LANGUAGES else OVERLAP
    for first, second in _crossing(boxes, lambda across, down, lower: (across > 2) & (down > allowed * lower)):
        yield f"{printed.layout.words[first].text!r} and {printed.layout.words[second].text!r} overlap"


def _crossing(boxes: np.ndarray, enough: Callable[..., np.ndarray]) -> Iterator[tuple[int, int]]:
    """Index pairs of boxes ``(n, 4)`` whose intersection is enough, given its width, height and the lower height.

    From the top down, each box is compared with those only that begin above its bottom: a page has many words.
    """
    order = np.argsort(boxes[:, 1], kind="stable")
    left, top, right, bottom = boxes[order].T
    place = np.arange(len(boxes))
    below = np.maximum(np.searchsorted(top, bottom) - place - 1, 0)  # how many boxes after each begin above its bottom
    one = np.repeat(place, below)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(below) - below, below)
    across = np.minimum(right[one], right[other]) - np.maximum(left[one], left[other])
    down = np.minimum(bottom[one], bottom[other]) - np.maximum(top[one], top[other])
    height = bottom - top
    pairs = enough(across, down, np.minimum(height[one], height[other]))
    crossing = np.sort(np.stack((order[one[pairs]], order[other[pairs]]), axis=1), axis=1)
    yield from sorted((first, second) for first, second in crossing.tolist())
