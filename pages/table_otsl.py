"""A table grid in OTSL, one token a slot (Lysak et al. 2023, https://arxiv.org/abs/2305.03393).

``<fcel>`` begins a cell with text, ``<ecel>`` one without, ``<ched>`` a heading; ``<lcel>`` belongs to the cell on its
left, ``<ucel>`` to the one above, ``<xcel>`` to both; ``<nl>`` ends a row. Text follows its token, escaped as in HTML.

    >>> to_otsl(TableGrid(2, 2, (Cell(0, 0, colspan=2, text="Mass", heading=True), Cell(1, 0, text="3"), Cell(1, 1))))
    '<ched>Mass<lcel><nl><fcel>3<ecel><nl>'
"""

import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import takewhile

from proofpress.pages.table import Cell, TableError, TableGrid, one_line

_TOKEN = re.compile(r"<(fcel|ecel|ched|rhed|srow|lcel|ucel|xcel|nl)>")
_HEADINGS = frozenset({"ched", "rhed", "srow"})
_ORIGINS = _HEADINGS | {"fcel", "ecel"}


def to_otsl(grid: TableGrid) -> str:
    """The grid's tokens and texts, on one line, without an outer tag."""
    return "".join(
        "".join(_slot(row, column, cell) for column, cell in enumerate(cells)) + "<nl>"
        for row, cells in enumerate(grid.by_slot())
    )


def is_otsl(text: str) -> bool:
    """Whether a text has a token of OTSL in it."""
    return bool(_TOKEN.search(text))


def from_otsl(otsl: str) -> TableGrid:
    """The grid of the tokens, within an ``<otsl>`` tag or not; ``TableError`` naming a slot where they contradict.

    Row headings ``<rhed>`` and section rows ``<srow>``, which docling writes, are headings.
    """
    rows = _read_slots(otsl)
    columns = max((len(row) for row in rows), default=0)
    cells = []
    for row, slots in enumerate(rows):
        if len(slots) < columns:
            raise TableError("hole", f"row {row} has {len(slots)} slots and another row {columns}")
        for column, (token, text) in enumerate(slots):
            if token in _ORIGINS:
                colspan = 1 + _length("lcel", (slots[c][0] for c in range(column + 1, len(slots))))
                below = (rows[r][column : column + 1] for r in range(row + 1, len(rows)))
                rowspan = 1 + _length("ucel", (slot[0][0] if slot else "" for slot in below))
                cells.append(Cell(row, column, rowspan, colspan, text, token in _HEADINGS))
    grid = TableGrid(len(rows), columns, tuple(cells))
    for row, covering in enumerate(grid.by_slot()):
        for column, cell in enumerate(covering):
            token, right = rows[row][column][0], _continuation(row, column, cell)
            if token != right and not (token in _ORIGINS and not right):
                raise TableError("markup", f"slot ({row}, {column}) is <{token}>, where its cell would have <{right}>")
    return grid


def _slot(row: int, column: int, cell: Cell) -> str:
    if token := _continuation(row, column, cell):
        return f"<{token}>"
    token = "ched" if cell.heading else "fcel" if cell.text else "ecel"
    return f"<{token}>{escape(cell.text, quote=False)}"


def _continuation(row: int, column: int, cell: Cell) -> str:
    """The token of a slot its cell spans, "" for the one it begins in."""
    if row == cell.row:
        return "lcel" if column > cell.column else ""
    return "xcel" if column > cell.column else "ucel"


def _read_slots(otsl: str) -> list[list[tuple[str, str]]]:
    """Rows of (token, text)."""
    pieces = _TOKEN.split(otsl)
    rows: list[list[tuple[str, str]]] = [[]]
    for token, text in zip(pieces[1::2], pieces[2::2], strict=True):
        if token == "nl":
            rows.append([])
        else:
            rows[-1].append((token, one_line(unescape(text.replace("</otsl>", "")))))
    return rows if rows[-1] else rows[:-1]


def _length(token: str, tokens: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(token.__eq__, tokens))
