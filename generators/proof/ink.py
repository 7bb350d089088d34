"""Whether the pixels are what the boxes say: every box owns ink, no ink is without a box, and all ink stands out."""

import re
from collections.abc import Iterator

import numpy as np

from proofpress.generators.proof.geometry import SLACK
from proofpress.generators.proof.printed import Printed

PAPER = 230  # grey levels below this are ink or its soft edge; paper tints and table stripes lie above
FAINT = 210  # a thin dash's ink is no darker than this
JUT = 0.12  # share of a word's height by which a glyph may stand out of its box, in large type
CONTRAST = 3.0  # of each word's ink to its paper, as WCAG 2.2 (1.4.3) counts it and asks of large print

#: Pieces that are nothing but their words; the others have lines and drawings beside them.
TEXTS = ("paragraph", "list_item", "heading", "caption", "note", "code", "page_number", "formula_number")

_SAYS = re.compile(r"\w")
_LEVELS = np.arange(256) / 255
#: The relative luminance of each grey level and a flare of 5 %, as WCAG 2.2 defines them.
_LIGHT = (np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4) + 0.05).tolist()


def contrast(printed: Printed) -> Iterator[str]:
    """Every word with a letter or digit stands out from what is behind it."""
    words = [
        (w, box) for w, box in zip(printed.layout.words, _whole_pixels(printed), strict=True) if _SAYS.search(w.text)
    ]
    for word, (left, top, right, bottom) in words:
        for rows in (slice((top + bottom) // 2, (top + bottom) // 2 + 1), slice(top, bottom + 1)):  # mostly one will do
            seen = printed.pixels[rows, left : right + 1]
            ratio = _LIGHT[seen.max(initial=0)] / _LIGHT[seen.min(initial=255)]
            if ratio >= CONTRAST:
                break
        else:
            yield f"{word.element}: {word.text!r} has a contrast of {ratio:.1f}"


def in_its_boxes(printed: Printed) -> Iterator[str]:
    """Every word's and every figure's box owns ink, and no ink stands outside all words and all that is drawn."""
    faint, stray = printed.pixels < FAINT, printed.pixels < PAPER
    for word, (left, top, right, bottom) in zip(printed.layout.words, _whole_pixels(printed), strict=True):
        middle = faint[(top + bottom) // 2 : (top + bottom) // 2 + 1, left : right + 1]  # most words have ink there
        if not middle.any() and not faint[top : bottom + 1, left : right + 1].any():
            yield f"{word.element}: {word.text!r} left no ink"
    for piece in printed.kept:
        for x0, y0, x1, y1 in printed.layout.pieces[piece.id].boxes if piece.type == "figure" else ():
            if not faint[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1].any():
                yield f"{piece.id} left no ink"
    drawn = list(printed.layout.decor)
    drawn += [box for piece in printed.kept if piece.type not in TEXTS for box in printed.layout.pieces[piece.id].boxes]
    boxes = [(SLACK, box) for box in drawn]
    boxes += [(max(SLACK, JUT * (word.box[3] - word.box[1])), word.box) for word in printed.layout.words]
    for slack, (x0, y0, x1, y1) in boxes:
        down = slice(max(0, int(y0 - slack)), int(np.ceil(y1 + slack)))
        stray[down, max(0, int(x0 - slack)) : int(np.ceil(x1 + slack))] = False
    if stray.any():
        row, column = divmod(int(stray.argmax()), stray.shape[1])
        yield f"ink in no word and no drawing at x={column}, y={row}"


def _whole_pixels(printed: Printed) -> list[list[int]]:
    boxes = np.array([word.box for word in printed.layout.words]).reshape(-1, 4)
    rounded: list[list[int]] = np.maximum(np.rint(boxes), 0).astype(int).tolist()
    return rounded
