r"""The tables of a page as cells that know their neighbours: how upstream reads them, and how they are.

A cell is named by its top left slot (row, column); a cell with spans has several neighbours on a side. Upstream counts
the rows of a nested table as the outer one's too and splits Markdown cells at ``\|``; ``strict_tables`` reads with
``pages.table``.

    >>> [graph] = olmocr_tables("| a | b |\n|---|---|\n| 1 | 2 |", markdown=True)
    >>> graph.up[1, 1], graph.headings_from((1, 1), graph.up)
    ({(0, 1)}, {(0, 1)})
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bs4 import BeautifulSoup

from proofpress.pages.table import LooseCell, TableError, TableGrid
from proofpress.pages.table_html import from_html, tables_in
from proofpress.pages.table_markdown import from_markdown

Slot = tuple[int, int]
Neighbours = Mapping[Slot, set[Slot]]

MAX_SPAN = 1_000
MAX_TABLES = 300  # on a page, those inside cells too: upstream walks the rows of each
MAX_OPEN_TAGS = 300  # "<" without ">": each costs the parser the rest of the page
MAX_SLOTS = 100_000


class TooLarge(ValueError):
    """More markup than any page has: no verdict."""


@dataclass(frozen=True, slots=True)
class CellGraph:
    """A table's cells. texts: by slot. up, down, left, right: the cells that touch it there. rectangular: no holes."""

    texts: Mapping[Slot, str]
    headings: frozenset[Slot]
    rectangular: bool
    up: Neighbours
    down: Neighbours
    left: Neighbours
    right: Neighbours

    def headings_from(self, start: Slot, relation: Neighbours) -> set[Slot]:
        """The headings met by walking on through a relation; where there are none, the cells where it ends."""
        seen, waiting = {start}, [start]
        while waiting:
            for neighbour in relation[waiting.pop()] - seen:
                seen.add(neighbour)
                waiting.append(neighbour)
        seen.discard(start)
        return (seen & self.headings) or {cell for cell in seen if not relation[cell]}


def strict_tables(page: str, markdown: bool) -> list[CellGraph]:
    """The tables of a page by ``pages.table``, each cell once; without ``th``, first row and column are headings."""
    graphs = []
    outside = page
    for markup in tables_in(page):
        outside = outside.replace(markup, "\n", 1)
        try:
            graphs.append(_graph_of(from_html(markup, fill=True)))
        except TableError:
            continue  # no table in the markup
    for lines in _bar_lines(outside) if markdown else ():
        try:
            graphs.append(_graph_of(from_markdown("\n".join(lines), fill=True), markdown=True))
        except TableError:
            continue
    return graphs


def _graph_of(grid: TableGrid, markdown: bool = False) -> CellGraph:
    slots: list[list[Slot | None]] = [[(cell.row, cell.column) for cell in row] for row in grid.by_slot()]
    headings = {(cell.row, cell.column) for cell in grid.cells if cell.heading}
    if markdown or not headings:
        headings = {(cell.row, cell.column) for cell in grid.cells if not cell.row or not cell.column}
    return _connect({(cell.row, cell.column): cell.text for cell in grid.cells}, headings, slots)


def olmocr_tables(page: str, markdown: bool) -> list[CellGraph]:
    """The tables of a page as upstream's parsers see them: Markdown first, then HTML."""
    graphs = [_lay_out(rows) for rows in _olmocr_markdown(page)] if markdown else []
    graphs += [_lay_out(rows) for rows in _olmocr_html(page)]
    return [graph for graph in graphs if graph]


def _olmocr_html(page: str) -> list[list[list[LooseCell]]]:
    if page.lower().count("<table") > MAX_TABLES or page.count("<") - page.count(">") > MAX_OPEN_TAGS:
        raise TooLarge("too much broken markup")
    tables = []
    for table in BeautifulSoup(page, "html.parser").find_all("table"):
        rows = table.find_all("tr")
        read = []
        for number, row in enumerate(rows):
            headed = row.find_parent("thead") is not None
            cells = []
            for cell in row.find_all(["th", "td"], recursive=False):
                for line_break in cell.find_all("br"):
                    line_break.replace_with("\n")
                to_the_end = str(cell.get("rowspan", "")).strip() == "0"
                cells.append(
                    LooseCell(
                        cell.get_text().strip(),
                        rowspan=len(rows) - number if to_the_end else _span(cell.get("rowspan")),
                        colspan=_span(cell.get("colspan")),
                        heading=cell.name == "th" or headed,
                    )
                )
            read.append(cells)
        tables.append(read)
    return tables


def _span(value: object) -> int:
    try:
        return min(max(1, int(str(value))), MAX_SPAN)
    except ValueError:
        return 1


def _olmocr_markdown(page: str) -> list[list[list[LooseCell]]]:
    tables = []
    for lines in _bar_lines(page.strip()):
        rule = next((n for n, line in enumerate(lines) if set(_bars_off(line)) <= set("- :") and _bars_off(line)), None)
        rows: list[list[str]] = []
        for number, line in enumerate(lines):
            if number == rule or (line.strip() and set(line) <= set("- :|")):
                continue
            cells = [cell.strip() for cell in line.split("|")]
            cells = cells[1:] if cells and not cells[0] else cells
            cells = cells[:-1] if cells and not cells[-1] else cells
            if cells:
                rows.append(cells)
        tables.append(
            [
                [LooseCell(text, heading=not row or not column) for column, text in enumerate(cells)]
                for row, cells in enumerate(rows)
            ]
        )
    return tables


def _bars_off(line: str) -> str:
    return line.replace("|", "").strip()


def _bar_lines(page: str) -> list[list[str]]:
    """Stretches of at least two lines that have a bar."""
    stretches: list[list[str]] = [[]]
    for line in page.split("\n"):
        if "|" in line:
            stretches[-1].append(line)
        elif stretches[-1]:
            stretches.append([])
    return [lines for lines in stretches if len(lines) >= 2]


def _lay_out(rows: Sequence[Sequence[LooseCell]]) -> CellGraph | None:
    """Rows of cells in their slots as upstream lays them out: what overlaps is overwritten, holes stay holes."""
    texts: dict[Slot, str] = {}
    headings: set[Slot] = set()
    slots: list[list[Slot | None]] = []
    open_above: list[tuple[Slot, int] | None] = []  # by column: the cell that reaches down, and for how many rows yet
    for row, cells in enumerate(rows):
        line: list[Slot | None] = []
        waiting = list(cells)
        while waiting or len(line) < len(open_above):
            column = len(line)
            if column < len(open_above) and (above := open_above[column]):
                line.append(above[0])
                open_above[column] = (above[0], above[1] - 1) if above[1] > 1 else None
                continue
            if not waiting:
                line.append(None)
                continue
            cell = waiting.pop(0)
            texts[row, column] = cell.text
            if cell.heading:
                headings.add((row, column))
            open_above += [None] * (column + cell.colspan - len(open_above))
            for under in range(column, column + cell.colspan):
                open_above[under] = ((row, column), cell.rowspan - 1) if cell.rowspan > 1 else None
            line += [(row, column)] * cell.colspan
        slots.append(line)
        _check_size(slots, open_above)
    while any(open_above):
        slots.append([above[0] if above else None for above in open_above])
        open_above = [(above[0], above[1] - 1) if above and above[1] > 1 else None for above in open_above]
        _check_size(slots, open_above)
    width = max((column + 1 for line in slots for column, slot in enumerate(line) if slot), default=0)
    if not width:
        return None
    slots = [(line + [None] * width)[:width] for line in slots]
    return _connect(texts, headings, slots)


def _check_size(slots: Sequence[object], columns: Sequence[object]) -> None:
    if len(slots) * len(columns) > MAX_SLOTS:
        raise TooLarge(f"a table of more than {MAX_SLOTS} slots")


def _connect(texts: Mapping[Slot, str], headings: set[Slot], slots: Sequence[Sequence[Slot | None]]) -> CellGraph:
    """Neighbours: from each slot of a cell, the next other cell on that side, holes skipped."""
    columns = [list(column) for column in zip(*slots, strict=True)]
    left, right = _along(texts, slots)
    up, down = _along(texts, columns)
    holes = any(slot is None for line in slots for slot in line)
    return CellGraph(texts, frozenset(headings), not holes, up, down, left, right)


def _along(texts: Mapping[Slot, str], lines: Sequence[Sequence[Slot | None]]) -> tuple[Neighbours, Neighbours]:
    before: dict[Slot, set[Slot]] = {slot: set() for slot in texts}
    behind: dict[Slot, set[Slot]] = {slot: set() for slot in texts}
    for line in lines:
        last: Slot | None = None
        for slot in line:
            if slot is None or slot == last:
                continue
            if last is not None:
                behind[last].add(slot)
                before[slot].add(last)
            last = slot
    return before, behind
