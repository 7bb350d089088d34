"""Tables as they stand in reports, papers and notices, with spans, two-level headings and sums that are right.

Two modules know the kinds: ``tables_numeric`` the ones that are counted (accounts, census, results), ``tables_verbal``
the ones that are read (timetable, roster, comparison, list of symbols). Cells are short inline Markdown.

    >>> content = table(random.Random(6))
    >>> content.grid.columns, content.traits["kind"], content.traits["spans"]
    (5, 'comparison', 'both')
"""

from dataclasses import dataclass
from random import Random

from proofpress.generators.content import prose, tables_numeric, tables_verbal
from proofpress.pages.table import TableGrid, lay_out

KINDS = {
    "accounts": (4, tables_numeric.accounts),
    "census": (3, tables_numeric.census),
    "results": (4, tables_numeric.results),
    "readings": (2, tables_numeric.readings),
    "timetable": (3, tables_verbal.timetable),
    "roster": (2, tables_verbal.roster),
    "comparison": (3, tables_verbal.comparison),
    "symbols": (2, tables_verbal.symbols),
    "identities": (2, tables_verbal.identities),
}
FEWEST_COLUMNS, FEWEST_ROWS = 3, 5


@dataclass(frozen=True, slots=True)
class TableContent:
    """A table and what is said above it. caption: plain text. traits: ``kind``; ``spans`` (none, row, column, both);
    ``heading_rows``; ``math`` and ``empty`` (yes, no: whether any cell holds a formula, or nothing)."""

    grid: TableGrid
    caption: str
    traits: dict[str, str]


def table(rng: Random, max_columns: int = 6, max_rows: int = 10) -> TableContent:
    """A table of at most ``max_columns`` x ``max_rows`` slots, headings included.

    ``ValueError`` below 3 columns or 5 rows, where no kind has room.
    """
    if max_columns < FEWEST_COLUMNS or max_rows < FEWEST_ROWS:
        raise ValueError(f"{max_columns} x {max_rows}: a table needs {FEWEST_COLUMNS} columns and {FEWEST_ROWS} rows")
    names = list(KINDS)
    kind = rng.choices(names, [KINDS[name][0] for name in names])[0]
    grid = lay_out(KINDS[kind][1](rng, max_columns, max_rows))
    return TableContent(grid, prose.caption(rng), {"kind": kind, **_traits(grid)})


def _traits(grid: TableGrid) -> dict[str, str]:
    tall = any(cell.rowspan > 1 for cell in grid.cells)
    wide = any(cell.colspan > 1 for cell in grid.cells)
    heading_rows = sum(all(cell.heading for cell in row) for row in grid.by_slot()[:2])
    return {
        "spans": {(False, False): "none", (True, False): "row", (False, True): "column", (True, True): "both"}[
            tall, wide
        ],
        "heading_rows": str(heading_rows),
        "math": "yes" if any("$" in cell.text.replace(r"\$", "") for cell in grid.cells) else "no",
        "empty": "yes" if any(not cell.text for cell in grid.cells) else "no",
    }
