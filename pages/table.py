"""The table grid: cells with spans, on a grid whose every slot is covered exactly once.

A grid that does not tile cannot be built, so whoever holds a ``TableGrid`` holds a sound table: overlapping cells,
ragged rows and spans past the edge are a ``TableError`` that names the slots. Slots are ``(row, column)``, counted
from 0. ``table_html``, ``table_markdown`` and ``table_otsl`` read and write a grid in their language.

    >>> grid = TableGrid(1, 2, (Cell(0, 0, text="Mass"), Cell(0, 1, text="$3\\\\,$kg")))
    >>> grid.by_slot()[0][1].text
    '$3\\\\,$kg'
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

#: Limits of a table that is read: a page holds none larger, and hostile markup must not fill the memory.
MAX_COLUMNS = 1_000
MAX_SLOTS = 100_000


_PLACE = attrgetter("row", "column")


class TableError(ValueError):
    """Markup or cells that are not a sound table.

    reason: ``overlap``, ``hole``, ``span`` (past the edge, or below 1), ``text``, ``size`` or ``markup``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type["TableError"], tuple[str, str]]:
        return type(self), (self.reason, str(self))  # so that it can be raised in another process


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. row, column: its top left slot. text: inline Markdown of the dialect, in one line without outer
    spaces (``one_line`` makes any text so). heading: a column's or a row's heading, ``th`` in HTML."""

    row: int
    column: int
    rowspan: int = 1
    colspan: int = 1
    text: str = ""
    heading: bool = False


@dataclass(frozen=True, slots=True)
class LooseCell:
    """A cell as markup tells of it, before ``lay_out`` gives it a place. rowspan: 0 reaches to the last row."""

    text: str = ""
    rowspan: int = 1
    colspan: int = 1
    heading: bool = False


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table of ``rows`` x ``columns`` slots; ``TableError`` unless the cells cover each exactly once.

    Cells are kept in the order of their slots, so that equal tables are equal grids.
    """

    rows: int
    columns: int
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(sorted(self.cells, key=_PLACE)))
        if self.rows < 1 or self.columns < 1:
            raise TableError("size", f"a table of {self.rows} rows and {self.columns} columns holds nothing")
        _check_size(self.rows, self.columns)
        for cell in self.cells:
            _check_cell(cell, self.rows, self.columns)
        _check_tiling(self.rows, self.columns, self.cells)

    def by_slot(self) -> list[list[Cell]]:
        """The covering cell of each slot, as ``[row][column]``: a cell with spans stands in all of its slots."""
        slots: list[list[Cell]] = [[self.cells[0]] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            for row in range(cell.row, cell.row + cell.rowspan):
                slots[row][cell.column : cell.column + cell.colspan] = [cell] * cell.colspan
        return slots

    def by_row(self) -> list[list[Cell]]:
        """The cells that begin in each row, left to right; a row under row spans alone is empty."""
        rows: list[list[Cell]] = [[] for _ in range(self.rows)]
        for cell in self.cells:
            rows[cell.row].append(cell)
        return rows


def one_line(text: str) -> str:
    """The text with each stretch of white space as one space, none outside: how a cell holds it."""
    return " ".join(text.split())


def lay_out(rows: Sequence[Sequence[LooseCell]], fill: bool = False) -> TableGrid:
    """The grid that rows of loose cells make when each takes the first free slots of its row, as in HTML.

    fill: mend what does not tile, for reading a model's output: spans are cut at the next cell and at the last row,
    holes become empty cells. Without it ``TableError`` says what does not tile; labels are read so.
    """
    free_from: list[int] = []  # per column, the first row that no cell laid so far reaches
    cells: list[Cell] = []
    for row, loose_cells in enumerate(rows):
        column = 0
        for loose in loose_cells:
            while column < len(free_from) and free_from[column] > row:
                column += 1
            rowspan = loose.rowspan or len(rows) - row
            colspan = loose.colspan
            if fill:
                rowspan = min(rowspan, len(rows) - row)
                taken = (c for c in range(column, min(column + colspan, len(free_from))) if free_from[c] > row)
                colspan = next(taken, column + colspan) - column
            if column + colspan > len(free_from):
                free_from.extend([0] * (column + colspan - len(free_from)))
                _check_size(len(rows), len(free_from))
            for c in range(column, column + colspan):
                free_from[c] = max(free_from[c], row + rowspan)
            cells.append(Cell(row, column, rowspan, colspan, loose.text, loose.heading))
            column += colspan
    if fill:
        covered = {slot for cell in cells for slot in _slots(cell)}
        cells += [Cell(row, column) for row, column in _holes(len(rows), len(free_from), covered)]
    return TableGrid(len(rows), len(free_from), tuple(cells))


def _check_size(rows: int, columns: int) -> None:
    if columns > MAX_COLUMNS or rows * columns > MAX_SLOTS:
        limits = f"at most {MAX_COLUMNS} columns and {MAX_SLOTS} slots"
        raise TableError("size", f"a table of {rows} rows and {columns} columns is too large: {limits}")


def _check_cell(cell: Cell, rows: int, columns: int) -> None:
    where = f"cell at ({cell.row}, {cell.column})"
    if min(cell.rowspan, cell.colspan) < 1:
        raise TableError("span", f"{where} spans {cell.rowspan} rows and {cell.colspan} columns: 1 is the least")
    if cell.row < 0 or cell.column < 0 or cell.row + cell.rowspan > rows or cell.column + cell.colspan > columns:
        last = f"({cell.row + cell.rowspan - 1}, {cell.column + cell.colspan - 1})"
        raise TableError("span", f"{where} reaches to {last}, outside the {rows} rows and {columns} columns")
    if cell.text != one_line(cell.text):
        raise TableError("text", f"{where} has line breaks, double or outer spaces in its text: {cell.text[:80]!r}")


def _check_tiling(rows: int, columns: int, cells: Sequence[Cell]) -> None:
    if not _tiles(rows, columns, cells):
        _name_slots(rows, columns, cells)


def _tiles(rows: int, columns: int, cells: Sequence[Cell]) -> bool:
    """Whether the cells cover each slot exactly once; all sound tables pass here, so it is the quick way to ask."""
    taken = bytearray(rows * columns)
    covered = 0
    for cell in cells:
        covered += cell.rowspan * cell.colspan
        for row in range(cell.row, cell.row + cell.rowspan):
            start = row * columns + cell.column
            taken[start : start + cell.colspan] = b"\1" * cell.colspan
    return covered == len(taken) == taken.count(1)


def _name_slots(rows: int, columns: int, cells: Sequence[Cell]) -> None:
    """Raise the ``TableError`` that names what does not tile."""
    owner: dict[tuple[int, int], Cell] = {}
    for cell in cells:
        for slot in _slots(cell):
            other = owner.setdefault(slot, cell)
            if other is not cell:
                pair = f"the cells at ({other.row}, {other.column}) and ({cell.row}, {cell.column})"
                raise TableError("overlap", f"slot {slot} is covered twice, by {pair}")
    holes = _holes(rows, columns, owner)
    if holes:
        named = ", ".join(map(str, holes[:5])) + (f" and {len(holes) - 5} more" if len(holes) > 5 else "")
        raise TableError("hole", f"no cell covers slot {named} of {rows} rows and {columns} columns")


def _slots(cell: Cell) -> Iterator[tuple[int, int]]:
    return product(range(cell.row, cell.row + cell.rowspan), range(cell.column, cell.column + cell.colspan))


def _holes(rows: int, columns: int, covered: Container[tuple[int, int]]) -> list[tuple[int, int]]:
    return [slot for slot in product(range(rows), range(columns)) if slot not in covered]
