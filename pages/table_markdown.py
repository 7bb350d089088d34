"""A table grid as a Markdown table, for tables without spans whose headings are the first row.

The label's dialect writes tables as HTML; Markdown tables come from models and from corpora, and are read tolerantly:
outer bars, padding and the rule under the headings may be missing.

    >>> grid = from_markdown("| a | b |\\n|---|---|\\n| 1 | 2 |")
    >>> print(to_markdown(grid))
    | a | b |
    | --- | --- |
    | 1 | 2 |
"""

import re

from proofpress.pages.table import LooseCell, TableError, TableGrid, lay_out, one_line

_RULE = re.compile(":?-+:?")


def to_markdown(grid: TableGrid) -> str:
    """The grid's rows, one a line; ``TableError`` unless it has no spans and its first row alone is of headings."""
    for cell in grid.cells:
        if (cell.rowspan, cell.colspan) != (1, 1):
            raise TableError("span", f"Markdown has no spans, and the cell at ({cell.row}, {cell.column}) has")
        if cell.heading != (cell.row == 0):
            needs = "no heading but in its first row" if cell.heading else "headings all along its first row"
            raise TableError("markup", f"a Markdown table has {needs}: cell at ({cell.row}, {cell.column})")
    lines = ["| " + " | ".join(cell.text.replace("|", r"\|") for cell in row) + " |" for row in grid.by_row()]
    return "\n".join([lines[0], "| " + " | ".join(["---"] * grid.columns) + " |", *lines[1:]])


def from_markdown(text: str, fill: bool = False) -> TableGrid:
    r"""The table whose rows are the lines of the text; the first row is of headings if a rule ``|---|`` is under it.

    ``\|`` is a bar inside a cell, in math too. fill: see ``lay_out``. ``TableError`` where the text is no table.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or not all("|" in line for line in lines):
        raise TableError("markup", f"not the lines of a Markdown table: {text[:80]!r}")
    rows = [_split(line) for line in lines]
    headed = len(rows) > 1 and all(map(_RULE.fullmatch, rows[1]))
    if headed:
        del rows[1]
    return lay_out([[LooseCell(cell, heading=headed and row is rows[0]) for cell in row] for row in rows], fill)


def _split(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())
    if not cells[0]:
        del cells[0]
    if len(cells) > 1 and not cells[-1]:
        del cells[-1]
    return [one_line(cell.replace(r"\|", "|")) for cell in cells]
