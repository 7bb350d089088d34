import random
import re

import pytest

from proofpress.generators.content.languages import Language
from proofpress.generators.content.tables_shaped import SUMMED, shaped
from proofpress.generators.coverage import Lattice, plan

LATTICE = Lattice.of({"kind": ("report",)})


def made(index):
    features = plan(LATTICE, 1, index)
    shape = {axis.partition(".")[2]: value for axis, value in features.items() if axis.startswith("table.")}
    rng = random.Random(index)
    return shape, shaped(rng, Language(features["language"]), shape, 7, lambda stream: "x^2")


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_tables_have_the_shape_they_were_asked_for(start):
    for index in range(start, start + 50):
        shape, table = made(index)
        cells, rows = table.grid.cells, table.grid.by_slot()
        tall, wide = any(cell.rowspan > 1 for cell in cells), any(cell.colspan > 1 for cell in cells)
        assert {(0, 0): "none", (1, 0): "row", (0, 1): "column", (1, 1): "both"}[tall, wide] == shape["spans"]
        assert any(not cell.text for cell in cells) == (shape["empty"] == "yes")
        heads = 0
        while all(cell.heading for cell in rows[heads]) and len({id(cell) for cell in rows[heads]}) > 1:
            heads += 1
        assert heads == int(shape["heads"])
        assert (table.turned == heads - 1) if shape["turned"] == "yes" else table.turned is None
        assert any("$x^2$" in cell.text for cell in cells) == (shape["cells"] == "formulas")
        assert any(cell.text.startswith("• ") for cell in cells) == (shape["cells"] == "lists")


def test_sums_are_right():
    summed = 0
    for index in range(300):
        shape, table = made(index)
        if shape["numbers"] not in SUMMED or shape["empty"] == "yes" or shape["cells"] == "formulas":
            continue
        columns = [[], []]
        grid = table.grid
        first = 2 if shape["spans"] in ("row", "both") else 1
        for row in grid.by_slot()[int(shape["heads"]) :]:
            if len({id(cell) for cell in row}) > 1:
                columns[0].append(amount(row[first].text))
                columns[1].append(amount(row[first + 1].text))
        for column in columns:
            assert sum(column[:-1]) == column[-1]
        summed += 1
    assert summed > 40


def amount(text):
    digits = int("".join(str(int(character)) for character in text if character.isdigit()))
    return -digits if re.match(r"[(\-−]", text) else digits
