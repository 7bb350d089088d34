"""Rules for boxes: laid on the picture in its pixels, and those that can be no box of anything taken out.

No label is made from a box: in 37 of 100 pictures of PubTabNet they are off
(https://github.com/ibm-aur-nlp/PubTabNet/issues/25), and a bad box must not cost a good label.

>>> flaw((1, 1, 1, 1, 1, 5, 1, 5), (60, 40))
'layout.zero_size'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from proofpress.cleaners.corpus import Frame
from proofpress.pages.record import Check, Element, Word

#: How far beyond the edge a box may reach, as a share of the longer side: rounding, and boxes drawn by hand.
SLACK = 0.01
#: Below this correlation of order and height the boxes stand on their head.
UPSIDE_DOWN = -0.6
MIN_WORDS_FOR_ORIGIN = 6
SEVERAL_LINES = 1.5  # heights of a box between the highest and the lowest of several lines

Polygon = tuple[float, ...]

#: What the checks of this module say, for the list of rules: name, what it does, an example.
LAYOUT_RULES: tuple[tuple[str, str, str], ...] = (
    ("layout.origin", "turns boxes over that count y from the lower edge", "PDF points on a picture"),
    ("layout.malformed", "takes out boxes that are not four or eight finite numbers", "[3, null]"),
    ("layout.zero_size", "takes out boxes without height or width", "[1, 1, 1, 5]"),
    ("layout.outside", "takes out boxes off the picture, cuts those that reach beyond its edge", "[-40, 2, -3, 9]"),
    ("layout.duplicate", "takes out the second of two equal boxes with equal text", "[1, 1, 9, 5] twice"),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """Elements and words in pixels of the picture, and what was found on the way."""

    elements: tuple[Element, ...]
    words: tuple[Word, ...]
    checks: tuple[Check, ...]


def place(elements: Sequence[Element], words: Sequence[Word], frame: Frame | None, size: tuple[int, int]) -> Placed:
    """Lay boxes of a frame (None: pixels already) on a picture of this size.

    A word with a bad box is left out of the words; an element keeps its text and loses the polygon. Either is a failed
    check of ``layout.boxes``, whose evidence has the boxes as the corpus gave them.
    """
    shown = frame or Frame(*size)
    turned = not shown.bottom_up and _is_upside_down(words)
    checks = []
    if turned:
        shown = replace(shown, bottom_up=True)
        checks.append(Check("layout.origin", "fixed", "layout.origin", f"{len(words)} boxes ran from bottom to top"))
    bad: list[tuple[str, str]] = []
    kept_words, seen = [], set()
    for word in words:
        quad = _on(word.quad, shown, size)
        reason = flaw(quad, size)
        if not reason and (quad, word.text) in seen:
            reason = "layout.duplicate"
        if reason:
            bad.append((reason, f"{word.text!r} {list(word.quad)}"))
            continue
        seen.add((quad, word.text))
        kept_words.append(replace(word, quad=_clipped(quad, size)))
    kept_elements = []
    for element in elements:
        polygons = []
        for polygon in element.polygons:
            points = _on(polygon, shown, size)
            if reason := flaw(points, size):
                bad.append((reason, f"{element.id} {list(polygon)}"))
            else:
                polygons.append(_clipped(points, size))
        kept_elements.append(replace(element, polygons=tuple(polygons)))
    checks += _boxes_check(bad, bool(words) or any(element.polygons for element in elements), size)
    return Placed(tuple(kept_elements), tuple(kept_words), tuple(checks))


def flaw(polygon: Polygon, size: tuple[int, int]) -> str:
    """Why a polygon in pixels can be no box on a picture of this size; empty where it can."""
    if len(polygon) < 6:
        return "layout.malformed"
    xs, ys = polygon[::2], polygon[1::2]
    if max(xs) - min(xs) <= 0 or max(ys) - min(ys) <= 0:
        return "layout.zero_size"
    slack = SLACK * max(size)
    beyond = min(xs) < -slack or min(ys) < -slack or max(xs) > size[0] + slack or max(ys) > size[1] + slack
    return "layout.outside" if beyond else ""


def move(polygon: Polygon, x: float, y: float) -> Polygon:
    """The polygon moved by x and y."""
    return tuple(value + (y if at % 2 else x) for at, value in enumerate(polygon))


def _boxes_check(bad: list[tuple[str, str]], any_boxes: bool, size: tuple[int, int]) -> Iterator[Check]:
    for reason in sorted({reason for reason, _ in bad}):
        found = [evidence for why, evidence in bad if why == reason]
        yield Check("layout.boxes", "failed", reason, f"{len(found)} on {size[0]}x{size[1]}: {', '.join(found)}")
    if any_boxes and not bad:
        yield Check("layout.boxes", "passed")


def _on(polygon: Polygon, frame: Frame, size: tuple[int, int]) -> Polygon:
    """A polygon of the frame in pixels of the picture, rounded to a hundredth."""
    x_scale, y_scale = size[0] / frame.width, size[1] / frame.height
    placed = []
    for at, value in enumerate(polygon):
        if at % 2:
            value = (frame.height - value if frame.bottom_up else value) * y_scale
        else:
            value *= x_scale
        placed.append(round(value, 2))
    if frame.bottom_up and len(placed) == 8:  # clockwise from the top left again
        placed = [*placed[6:8], *placed[4:6], *placed[2:4], *placed[0:2]]
    return tuple(placed)


def _clipped(polygon: Polygon, size: tuple[int, int]) -> Polygon:
    return tuple(min(max(value, 0.0), float(size[at % 2])) for at, value in enumerate(polygon))


def _is_upside_down(words: Sequence[Word]) -> bool:
    """Whether what comes first stands lowest: cells and lines come from top to bottom in every corpus.

    Words whose upper side does not run to the right stand on a sheet that is itself turned, and one line tells nothing:
    it leans either way.
    """
    quads = [word.quad for word in words if len(word.quad) == 8]
    quads = [quad for quad in quads if quad[2] - quad[0] >= abs(quad[3] - quad[1])]
    heights = [(quad[1] + quad[-1]) / 2 for quad in quads]
    line = float(np.median([abs(quad[-1] - quad[1]) for quad in quads])) if quads else 0.0
    if len(heights) < MIN_WORDS_FOR_ORIGIN or np.ptp(heights) <= SEVERAL_LINES * line:
        return False
    return float(np.corrcoef(np.arange(len(heights)), heights)[0, 1]) < UPSIDE_DOWN
