"""A cell of a table and what stands beside it.

Where the modes part: upstream's similarity never asks for more than half of a text, so 12 passes for 17 when one edit
is forgiven; strict compares numbers exactly, forgives at most a third of a text, and reads tables as ``cells`` says.
"""

import re
from collections.abc import Callable, Iterable

from rapidfuzz import fuzz

from proofpress.model.rewards.scoring import Score
from proofpress.model.rewards.unit_tests.cells import CellGraph, Slot, TooLarge, olmocr_tables, strict_tables
from proofpress.model.rewards.unit_tests.forms import olmocr_form, same, strict_form
from proofpress.model.rewards.unit_tests.kinds import Mode, TableTest, failed, passed

RELATIONS = ("up", "down", "left", "right", "left_heading", "top_heading")
FLOOR = 0.5  # the least similarity upstream asks for

_SCRIPT = re.compile(r"\$[\^_]\{([^{}$]*)\}\$")

Alike = Callable[[str, str], bool]


def check(test: TableTest, page: str, mode: Mode) -> Score:
    """``table``: passes where one cell of one table has the text and all neighbours that the test names."""
    read = olmocr_tables if mode == "olmocr" else strict_tables
    try:
        tables = read(page, not test.ignore_markdown_tables)
    except TooLarge as error:
        return Score(0.0, {}, "timeout", str(error))
    if not tables:
        return failed("no table on the page", empty=not page.strip())
    form = olmocr_form if mode == "olmocr" else _cell_form
    wanted = {name: form(text) for name in ("cell", *RELATIONS) if (text := getattr(test, name)) or name == "cell"}
    alike = _alike(test.max_diffs, mode)
    reasons = []
    for table in tables:
        texts = {slot: form(text) for slot, text in table.texts.items()}
        for slot in (slot for slot, text in texts.items() if alike(wanted["cell"], text)):
            missing = [
                name
                for name in RELATIONS
                if name in wanted
                and not any(alike(wanted[name], texts[other]) for other in _neighbours(table, slot, name))
            ]
            if not missing:
                return passed()
            reasons += [f"{name} of it is not {wanted[name][:40]!r}" for name in missing]
    if reasons:
        return failed(f"cell {wanted['cell'][:40]!r}: {'; '.join(reasons[:4])}")
    return failed(f"no cell {wanted['cell'][:60]!r}")


def _cell_form(text: str) -> str:
    """A cell's text without its scripts' marks: tests are written from plain text, where a script is just a digit."""
    return strict_form(_SCRIPT.sub(r"\1", text))


def _alike(max_diffs: int, mode: Mode) -> Alike:
    if mode == "strict":
        return lambda wanted, found: same(wanted, found, max_diffs)
    return lambda wanted, found: fuzz.ratio(wanted, found) / 100 >= max(FLOOR, 1 - max_diffs / (len(wanted) or 1))


def _neighbours(table: CellGraph, slot: Slot, name: str) -> Iterable[Slot]:
    if name == "top_heading":
        return table.headings_from(slot, table.up)
    if name == "left_heading":
        return table.headings_from(slot, table.left)
    return getattr(table, name)[slot]
