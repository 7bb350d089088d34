"""A sheet as measured: where the browser says every piece and word stands, in typed form.

``templates/press.js`` answers in flat arrays; this module gives them names. All lengths are pixels of the image.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Stands for one inline formula in a piece's text.
MATH = "\ufffc"
_WORD_FIELDS = 8

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """One painted word, or the part of it on one line. start: its offset in its piece's text, or -1 for none."""

    element: str
    text: str
    start: int
    box: Box
    visible: bool


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """One painted piece. boxes: one for each column it stands in. text: as in the document, ``MATH`` for formulas.

    wide: whether its content runs out of it. formulas: the HTML each of its formulas is painted from.
    cells: for a table, its rows of ``(tag, rowspan, colspan, text)``; corners: each cell's left, top and right.
    """

    id: str
    boxes: tuple[Box, ...]
    text: str
    marker: str
    wide: bool
    formulas: tuple[str, ...]
    cells: tuple[tuple[tuple[str, int, int, str], ...], ...]
    corners: tuple[tuple[tuple[float, float, float], ...], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything measured on one sheet. dropped: pieces that did not fit. failed_fonts: families that did not load.

    families: what all text but that of formulas and figures is set in. odd: what is not set plainly, in words.
    decor: where lines are drawn that are no content.
    """

    pieces: Mapping[str, PlacedPiece]
    words: tuple[PlacedWord, ...]
    dropped: frozenset[str]
    failed_fonts: tuple[str, ...]
    families: frozenset[str]
    odd: tuple[str, ...]
    decor: tuple[Box, ...] = ()


def read_layout(measured: Mapping[str, Any]) -> Layout:
    """The layout that ``press.print`` answered."""
    flat = measured["words"]
    words = tuple(
        PlacedWord(flat[at], flat[at + 1], flat[at + 2], _box(flat[at + 3 : at + 7]), bool(flat[at + 7]))
        for at in range(0, len(flat), _WORD_FIELDS)
    )
    pieces = {
        id_: PlacedPiece(
            id=id_,
            boxes=tuple(_box(rects[at : at + 4]) for at in range(0, len(rects), 4)),
            text=text,
            marker=marker,
            wide=wide,
            formulas=tuple(measured["math"].get(id_, ())),
            cells=tuple(
                tuple((tag.lower(), rowspan, colspan, cell) for tag, rowspan, colspan, cell, *_ in row)
                for row in measured["cells"].get(id_, ())
            ),
            corners=tuple(
                tuple((left, top, right) for *_, left, top, right in row) for row in measured["cells"].get(id_, ())
            ),
        )
        for id_, rects, text, marker, wide in measured["pieces"]
    }
    return Layout(
        pieces=pieces,
        words=words,
        dropped=frozenset(measured["dropped"]),
        failed_fonts=tuple(measured["failed"]),
        families=frozenset(measured["families"]),
        odd=tuple(measured["odd"]),
        decor=tuple(_box(measured["decor"][at : at + 4]) for at in range(0, len(measured["decor"]), 4)),
    )


def quad(box: Box) -> tuple[float, ...]:
    """The box as a polygon, clockwise from top left."""
    left, top, right, bottom = box
    return (left, top, right, top, right, bottom, left, bottom)


def _box(numbers: list[float]) -> Box:
    left, top, right, bottom = numbers
    return (left, top, right, bottom)
