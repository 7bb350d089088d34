"""How much of a table was read right: its cells, their neighbours, its headings, beside the published TEDS.

Tables are compared as grids (``pages.table``), so ``thead``, attribute quotes or a missing end tag change nothing, and
``th`` or ``td`` only the ``headings`` part. Rows and columns of the two grids are first paired in order by how alike
they read, so that a row left out costs its own cells and does not shift the rest.

- ``cells``: F1 of cells on paired rows and columns, each credited by how alike its text is (a number matches whole or
  not), half where its spans differ. An empty cell weighs a tenth of another: a blank grid of the right shape earns next
  to nothing.
- ``relations``: F1 of the pairs (text, right or below, text) of neighbours, which no pairing of rows can mend.

What stands outside the predicted tables counts as invented cells and relations, one for ``STRAY`` characters.

The value is their mean, times the F1 of the numbers of tables (``tables``; those inside cells count too), less up to
``MENDING`` of it for markup that does not tile and had to be mended.

    >>> score("<table><tr><td>a<td>b</table>", "<table><tr><th>a</th><td>b</td></tr></table>").value
    1.0
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from proofpress.model.rewards.alignment import align
from proofpress.model.rewards.scoring import GoldError, Score, f1, mean, overlap
from proofpress.model.rewards.teds import teds
from proofpress.model.rewards.text import canonical, cell_similarity
from proofpress.pages.table import Cell, TableError, TableGrid, one_line
from proofpress.pages.table_html import from_html, tables_in
from proofpress.pages.table_markdown import from_markdown
from proofpress.pages.table_otsl import from_otsl, is_otsl

_TABLE = re.compile(r"<table(?![^\s/>])", re.IGNORECASE)

WEIGHT, EMPTY_WEIGHT = 10, 1  # of a cell with and without text
STRAY = 5  # characters beside the tables that count as a cell: a word
MENDING = 0.2  # of the value, lost where no table tiles
MAX_PAIRS = 1_000_000  # of rows, of columns and of tables to be compared


def score(prediction: str, gold: str) -> Score:
    """The reward of a text that should be the gold's tables and nothing else, with parts ``teds`` and ``teds_s`` too.

    A prediction without HTML tables is tried as one in OTSL or Markdown. TEDS is of the first table of each text, as
    published; it is left out, with status ``timeout``, where the tables are too large for it.
    """
    tables = tables_in(prediction)
    stray = _outside(prediction, tables) if tables else 0
    result = compare(tables or [prediction], tables_in(gold), stray)
    published = teds(prediction, gold)
    if published is None:
        return Score(result.value, result.parts, "timeout", "the tables are too large for TEDS")
    parts = {**result.parts, "teds": max(0.0, published.teds), "teds_s": max(0.0, published.teds_s)}
    return Score(result.value, parts, result.status, result.evidence)


def compare(prediction: Sequence[str], gold: Sequence[str], stray: int = 0) -> Score:
    """The reward of tables, each one's markup, against the gold's; both in reading order.

    stray: characters beside the predicted tables, where none should be. Parts: ``cells``; ``relations`` and
    ``headings`` where either side has any; ``tables``, the F1 of their numbers; ``tiling``, the share of the predicted
    tables that tile without mending. Raises ``GoldError`` for a gold without tables or with one that does not tile.
    """
    if not gold:
        raise GoldError("no table to compare with")
    found, problems = _read_all(prediction)
    grids = _canonical([*found, *map(_read_gold, gold)])
    found, expected = grids[: len(found)], grids[len(found) :]
    if not found:
        parts = {"cells": 0.0, "tables": 0.0, "tiling": 0.0}
        if any(markup.strip() for markup in prediction):
            return Score(0.0, parts, "unparseable", problems[0])
        return Score(0.0, parts, "empty", "the prediction is empty")
    if _pairs(found, expected) > MAX_PAIRS:
        return Score(0.0, {}, "timeout", f"{len(found)} tables are too large to compare with {len(expected)}")
    parts = _overlaps(found, expected, stray)
    numbers = [sum(_count(markup) for markup in side) for side in (prediction, gold)]
    parts["tables"] = f1(min(numbers), *numbers)
    parts["tiling"] = 1 - len(problems) / len(prediction)
    value = mean(parts[name] for name in ("cells", "relations") if name in parts) * parts["tables"]
    return Score(value * (1 - MENDING * (1 - parts["tiling"])), parts, "ok", problems[0] if problems else "")


def _read_all(prediction: Sequence[str]) -> tuple[list[TableGrid], list[str]]:
    """The grids of the tables that can be read, mended where they must be, and what was wrong with those that do not
    tile as they are."""
    found, problems = [], []
    for markup in prediction:
        try:
            found.append(_read(markup))
        except TableError as error:
            problems.append(str(error))
            with suppress(TableError):
                found.append(_read(markup, fill=True))
    return found, problems


def _read(markup: str, fill: bool = False) -> TableGrid:
    if _TABLE.search(markup):
        return from_html(markup, fill)
    if is_otsl(markup):
        return from_otsl(markup)
    return from_markdown(markup, fill)


def _read_gold(markup: str) -> TableGrid:
    try:
        grid = from_html(markup)
    except TableError as error:
        raise GoldError(f"the gold table is not sound: {error}") from error
    if not any(cell.text for cell in grid.cells):
        raise GoldError("the gold table has no text")
    return grid


def _canonical(grids: Sequence[TableGrid]) -> list[TableGrid]:
    """The grids with their texts as they are compared."""
    texts = iter(canonical([cell.text for grid in grids for cell in grid.cells]))
    return [
        replace(grid, cells=tuple(replace(cell, text=one_line(next(texts))) for cell in grid.cells)) for grid in grids
    ]


def _pairs(found: Sequence[TableGrid], expected: Sequence[TableGrid]) -> int:
    """How many pairs of rows and of columns it takes to compare each table with each."""
    rows = [sum(grid.rows for grid in side) for side in (found, expected)]
    columns = [sum(grid.columns for grid in side) for side in (found, expected)]
    return rows[0] * rows[1] + columns[0] * columns[1]


def _overlaps(found: Sequence[TableGrid], expected: Sequence[TableGrid], stray: int) -> dict[str, float]:
    credit = np.array([[_credit(one, other) for other in expected] for one in found])
    matched = float(sum(credit[pair] for pair in align(credit)))
    predicted, wanted = (sum(_weight(cell) for grid in side for cell in grid.cells) for side in (found, expected))
    invented = -(-stray // STRAY)
    parts = {"cells": f1(matched, predicted + invented * WEIGHT, wanted)}
    for name, items, extra in (("relations", _relations, invented), ("headings", _headings, 0)):
        shared, *counts = overlap(*([item for grid in side for item in items(grid)] for side in (found, expected)))
        if any(counts):
            parts[name] = f1(shared, counts[0] + extra, counts[1])
    return parts


def _credit(one: TableGrid, other: TableGrid) -> float:
    """The weights of cells that stand in both grids, each times how alike they are."""
    slots, other_slots = one.by_slot(), other.by_slot()
    rows = align(_likeness(slots, other_slots))
    columns = align(_likeness(list(zip(*slots, strict=True)), list(zip(*other_slots, strict=True))))
    total = 0.0
    for row, other_row in rows:
        for column, other_column in columns:
            cell, other_cell = slots[row][column], other_slots[other_row][other_column]
            if (cell.row, cell.column, other_cell.row, other_cell.column) == (row, column, other_row, other_column):
                same_spans = (cell.rowspan, cell.colspan) == (other_cell.rowspan, other_cell.colspan)
                alike = cell_similarity(cell.text, other_cell.text) * (1.0 if same_spans else 0.5)
                total += alike * min(_weight(cell), _weight(other_cell))
    return total


def _likeness(one: Sequence[Sequence[Cell]], other: Sequence[Sequence[Cell]]) -> np.ndarray:
    """(len(one), len(other)) similarities of lines of cells, 0..1."""
    joined = [["\x1f".join(cell.text for cell in line) for line in side] for side in (one, other)]
    return cdist(*joined, scorer=Levenshtein.normalized_similarity, dtype=np.float64)


def _relations(grid: TableGrid) -> Iterator[tuple[str, str, str]]:
    """The texts of each two cells that touch, and on which side; two empty cells say nothing."""
    slots = grid.by_slot()
    across = ((cell, "right", right) for row in slots for cell, right in pairwise(row))
    down = ((cell, "below", below) for column in zip(*slots, strict=True) for cell, below in pairwise(column))
    for cell, side, neighbour in dict.fromkeys(chain(across, down)):
        if cell is not neighbour and (cell.text or neighbour.text):
            yield cell.text, side, neighbour.text


def _headings(grid: TableGrid) -> Iterator[str]:
    return (cell.text for cell in grid.cells if cell.heading)


def _count(markup: str) -> int:
    """How many tables there are in a table's markup, itself among them."""
    return max(1, len(_TABLE.findall(markup)))


def _outside(text: str, tables: Sequence[str]) -> int:
    """How many characters that are no space stand outside the tables."""
    for table in tables:
        text = text.replace(table, "\n", 1)
    return len("".join(text.split()))


def _weight(cell: Cell) -> int:
    return WEIGHT if cell.text else EMPTY_WEIGHT
