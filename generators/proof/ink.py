"""Whether the pixels are what the boxes say: every box owns ink, no ink is without a box, and all ink stands out."""

import re
from collections.abc import Iterator

import numpy as np

from proofpress.generators.proof.geometry import SLACK
from proofpress.generators.proof.printed import Printed
from proofpress.generators.sheet import MATH

PAPER = 230  # grey levels below this are ink or its soft edge; paper tints and table stripes lie above
FAINT = 210  # a thin dash's ink is no darker than this
JUT = 0.12  # share of a word's height by which a glyph may stand out of its box, in large type
TAIL = 1.5  # pixels more for a formula: the browser makes its box low, and an italic f reaches below it
CONTRAST = 3.0  # of each word's ink to its paper, as WCAG 2.2 (1.4.3) counts it and asks of large print

#: Pieces that are nothing but their words; the others have lines and drawings beside them.
TEXTS = ("paragraph", "list_item", "heading", "caption", "note", "code", "page_number", "formula_number")

_SAYS = re.compile(r"\w")
_LEVELS = np.arange(256) / 255
#: The relative luminance of each grey level and a flare of 5 %, as WCAG 2.2 defines them.
_LIGHT = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4) + 0.05


def contrast(printed: Printed) -> Iterator[str]:
    """Every word with a letter or digit stands out from what is behind it."""
    boxes = _whole_pixels(printed)
    darkest, lightest = _middle_rows(printed.pixels, boxes)
    for at in np.flatnonzero(_LIGHT[lightest] / _LIGHT[darkest] < CONTRAST):  # for most words their middle row will do
        word, seen = printed.layout.words[at], _within(printed.pixels, boxes[at])
        ratio = _LIGHT[seen.max(initial=0)] / _LIGHT[seen.min(initial=255)]
        if ratio < CONTRAST and _SAYS.search(word.text):
            yield f"{word.element}: {word.text!r} has a contrast of {ratio:.1f}"


def in_its_boxes(printed: Printed) -> Iterator[str]:
    """Every word's and every figure's box owns ink, and no ink stands outside all words and all that is drawn."""
    boxes = _whole_pixels(printed)
    darkest, _ = _middle_rows(printed.pixels, boxes)
    for at in np.flatnonzero(darkest >= FAINT):  # most words have ink in their middle row
        word = printed.layout.words[at]
        if not (_within(printed.pixels, boxes[at]) < FAINT).any():
            yield f"{word.element}: {word.text!r} left no ink"
    for piece in printed.kept:
        for x0, y0, x1, y1 in printed.layout.pieces[piece.id].boxes if piece.type == "figure" else ():
            if not (printed.pixels[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1] < FAINT).any():
                yield f"{piece.id} left no ink"
    drawn = list(printed.layout.decor)
    drawn += [box for piece in printed.kept if piece.type not in TEXTS for box in printed.layout.pieces[piece.id].boxes]
    owned = np.concatenate((np.array(drawn).reshape(-1, 4), _boxes(printed)))
    slack = np.maximum(SLACK, JUT * (owned[:, 3] - owned[:, 1]))
    slack[: len(drawn)] = SLACK
    slack[len(drawn) :][[word.text == MATH for word in printed.layout.words]] += TAIL
    near = np.maximum(owned[:, :2] - slack[:, None], 0).astype(int)
    far = np.ceil(owned[:, 2:] + slack[:, None]).astype(int)
    stray = printed.pixels < PAPER
    for (left, top), (right, bottom) in zip(near.tolist(), far.tolist(), strict=True):
        stray[top:bottom, left:right] = False
    if stray.any():
        row, column = divmod(int(stray.argmax()), stray.shape[1])
        yield f"ink in no word and no drawing at x={column}, y={row}"


def _boxes(printed: Printed) -> np.ndarray:
    """The words' boxes: ``(n, 4)``."""
    return np.array([word.box for word in printed.layout.words]).reshape(-1, 4)


def _whole_pixels(printed: Printed) -> np.ndarray:
    """The words' boxes in whole pixels: ``(n, 4)``, right and bottom inside."""
    return np.maximum(np.rint(_boxes(printed)), 0).astype(int)


def _within(pixels: np.ndarray, box: np.ndarray) -> np.ndarray:
    left, top, right, bottom = box
    return pixels[top : bottom + 1, left : right + 1]


def _middle_rows(pixels: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The darkest and the lightest level in the row of pixels through the middle of each box: ``(n,)`` each."""
    if not len(boxes):
        return np.zeros(0, np.uint8), np.zeros(0, np.uint8)
    height, width = pixels.shape
    left, top, right, bottom = boxes.T
    left = np.minimum(left, width - 1)
    lengths = np.maximum(np.minimum(right, width - 1) - left, 0) + 1
    starts = np.cumsum(lengths) - lengths
    first = np.minimum((top + bottom) // 2, height - 1) * width + left
    seen = pixels.ravel()[np.repeat(first - starts, lengths) + np.arange(lengths.sum())]
    return np.minimum.reduceat(seen, starts), np.maximum.reduceat(seen, starts)
