"""Unit tests of a printed page, made from its truth: rows in the format of olmOCR-bench (arXiv 2502.18443).

Each test asks one thing: a text that is there, a running head that is not, two texts in order, one neighbour of a
cell, a formula, what stands before a note's mark, a heading. Texts are plain words of the label that stand on the page
once, so that a test has one meaning under every reader's normal form.

    write_tests(page.id, page.text, page.elements, address.stream("tests"))
    # ({"id": "4f..-order-0", "type": "order", "before": "It was the first", "after": "of the net", ...}, ...)
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from proofpress.pages import markdown
from proofpress.pages.record import UNLABELLED, Element
from proofpress.pages.table import Cell, TableGrid
from proofpress.pages.table_html import from_html
from proofpress.pages.text import normalise

#: The most tests of each type that a page gets.
MOST = {"baseline": 1, "present": 3, "absent": 3, "order": 3, "table": 4, "math": 3, "footnote": 2, "format": 2}
WORDS = (3, 9)  # of a text that a test asks for
LETTERS = (8, 20)  # the same in scripts without spaces
LONGEST = 400  # characters of a formula
FORGIVEN = 25  # characters of a text for each edit that is forgiven

_MARKUP = re.compile(r"[$\\<>*_#|`\[\]^~•–]")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MARK = re.compile(r"\[\^([^\s\[\]]+)\]")

Row = Mapping[str, Any]


def write_tests(page_id: str, text: str, elements: Sequence[Element], rng: random.Random) -> tuple[Row, ...]:
    """The tests of a page, drawn by ``rng``. text: its label. elements: of the whole page, in reading order."""
    found = _Page(text, elements, rng)
    rows: list[Row] = []
    for kind, most in MOST.items():
        for number, fields in enumerate(islice(_WRITERS[kind](found), most)):
            about = {"id": f"{page_id}-{kind}-{number}", "pdf": f"{page_id}.pdf", "page": 1, "type": kind}
            rows.append({**about, "max_diffs": 0, **fields})
    return tuple(rows)


class _Page:
    """A page's truth in the forms that tests are made from."""

    def __init__(self, text: str, elements: Sequence[Element], rng: random.Random) -> None:
        self.text, self.rng, self.elements = text, rng, elements
        self.plain = normalise(text.replace("\\$", "$"))
        self.folded = " ".join(self.plain.lower().split())
        self.prose = [e for e in elements if e.type not in (*UNLABELLED, "formula", "table", "code")]

    def once(self, text: str) -> bool:
        """Whether the text stands on the page exactly once, in whatever case."""
        return self.folded.count(" ".join(normalise(text).lower().split())) == 1

    def shuffled(self, elements: Sequence[Element]) -> list[Element]:
        return self.rng.sample(elements, len(elements))

    def extract(self, element: Element) -> str | None:
        """Some words of an element that follow each other and stand on the page once; None where none were found."""
        for part in self.rng.sample(parts := _MARKUP.split(element.text), len(parts)):
            unspaced = bool(_UNSPACED.search(part))
            units = list(part.strip()) if unspaced else part.split()
            low, high = LETTERS if unspaced else WORDS
            if len(units) < low:
                continue
            length = self.rng.randint(low, min(high, len(units)))
            start = self.rng.randint(0, len(units) - length)
            chosen = units[start : start + length]
            while chosen and not chosen[0].isalpha():  # a number at an end may go on beyond it
                chosen = chosen[1:]
            while chosen and not chosen[-1].isalpha():
                chosen = chosen[:-1]
            text = ("" if unspaced else " ").join(chosen)
            if len(chosen) >= low and self.once(text):
                return text
        return None


def _baseline(page: _Page) -> Iterator[Row]:
    """The page is text at all, or is blank."""
    if any(map(str.isalnum, page.text)):
        yield {"max_repeats": 30, "check_disallowed_characters": not _UNSPACED.search(page.text)}
    else:
        yield {"max_length": 0}


def _present(page: _Page) -> Iterator[Row]:
    for element in page.shuffled(page.prose):
        if (text := page.extract(element)) is not None:
            yield {"text": text, "max_diffs": len(text) // FORGIVEN}


def _absent(page: _Page) -> Iterator[Row]:
    """Running heads, feet and page numbers: on the page, and in no reading of it. A blank page lacks everything."""
    running = [e for e in page.elements if e.type in ("running_head", "running_foot", "page_number")]
    for element in running if page.folded else ():
        text = " ".join(normalise(element.text).split())
        said = any(map(str.isalnum, text)) and not _MARKUP.search(element.text.replace("–", ""))
        if said and text.lower() not in page.folded:
            yield {"text": text, "case_sensitive": False}


def _order(page: _Page) -> Iterator[Row]:
    """Texts of two blocks that follow each other, in the order they are read in."""
    pairs = list(pairwise(page.prose))
    for one, other in page.rng.sample(pairs, len(pairs)):
        before, after = page.extract(one), page.extract(other)
        if before and after:
            yield {"before": before, "after": after}


def _table(page: _Page) -> Iterator[Row]:
    """A cell whose text stands in its table once, and one neighbour or heading of it."""
    for element in page.shuffled([e for e in page.elements if e.type == "table"]):
        grid = from_html(element.text)
        texts = [normalise(cell.text).lower() for cell in grid.cells]
        cells = [c for c in grid.cells if _is_plain(c.text) and texts.count(normalise(c.text).lower()) == 1]
        for cell in page.rng.sample(cells, min(len(cells), MOST["table"])):
            beside = [(name, other.text) for name, other in _beside(grid, cell) if _is_plain(other.text)]
            if beside:
                name, text = page.rng.choice(beside)
                yield {"cell": cell.text, name: text}


def _beside(grid: TableGrid, cell: Cell) -> Iterator[tuple[str, Cell]]:
    """What stands beside a cell, by the name of the relation; a heading is the next ``th`` over it or before it."""
    slots, row, column = grid.by_slot(), cell.row, cell.column
    places = {
        "up": (row - 1, column),
        "down": (row + cell.rowspan, column),
        "left": (row, column - 1),
        "right": (row, column + cell.colspan),
    }
    for name, (y, x) in places.items():
        if 0 <= y < grid.rows and 0 <= x < grid.columns:
            yield name, slots[y][x]
    over = (slots[y][column] for y in range(row - 1, -1, -1))
    before = (slots[row][x] for x in range(column - 1, -1, -1))
    for name, others in (("top_heading", over), ("left_heading", before)):
        heading = next((other for other in others if other.heading), None)
        if heading is not None and not cell.heading:
            yield name, heading


def _is_plain(text: str) -> bool:
    return bool(text.strip()) and not _MARKUP.search(text)


def _math(page: _Page) -> Iterator[Row]:
    """Formulas of their own line, then those in lines of text."""
    displayed = [e.text for e in page.elements if e.type == "formula"]
    inline = [run.text for e in page.prose for run in markdown.runs(e.text) if run.kind == "math"]
    for formulas in (displayed, [formula for formula in inline if len(formula) > 4]):
        for formula in page.rng.sample(formulas, len(formulas)):
            if len(formula) <= LONGEST:
                yield {"math": formula}


def _footnote(page: _Page) -> Iterator[Row]:
    """The words right before a note's mark."""
    for element in page.prose:
        for mark in _MARK.finditer(element.text) if element.type != "note" else ():
            part = _MARKUP.split(element.text[: mark.start()])[-1]
            before = part[-15:] if _UNSPACED.search(part) else " ".join(part.split()[-5:])
            if sum(map(str.isalpha, before)) >= 3:
                yield {"marker": mark[1], "appears_before_marker": before.strip()}


def _format(page: _Page) -> Iterator[Row]:
    for element in page.shuffled([e for e in page.prose if e.type in ("title", "heading")]):
        if _is_plain(element.text) and any(map(str.isalpha, element.text)):
            yield {"text": element.text, "format": "heading"}


_WRITERS: Mapping[str, Callable[[_Page], Iterator[Row]]] = {
    "baseline": _baseline,
    "present": _present,
    "absent": _absent,
    "order": _order,
    "table": _table,
    "math": _math,
    "footnote": _footnote,
    "format": _format,
}
