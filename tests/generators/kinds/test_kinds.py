import unicodedata
from random import Random

import pytest

from proofpress.generators.address import Address
from proofpress.generators.coverage import Lattice, plan
from proofpress.generators.kinds import KINDS, lay_out
from proofpress.generators.kinds.style import draw_style
from proofpress.generators.kinds.traits import AXES, OFF
from proofpress.generators.layout import block_of, realised, text_of
from proofpress.pages import markdown

PAGES = 12


def specs(kind, count=PAGES, **features):
    lattice = Lattice.of({"kind": (kind,), **features})
    return [lay_out(plan(lattice, 2, index), Address(2, "press", index), 1024) for index in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_a_function_of_its_address_and_has_a_label(kind):
    for spec, again in zip(specs(kind, 3), specs(kind, 3), strict=True):
        assert spec == again
        blocks = [block for piece in spec.pieces if (block := block_of(piece)) is not None]
        assert markdown.read(markdown.write(blocks)) == blocks
        assert len({piece.id for piece in spec.pieces}) == len(spec.pieces)


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_show_what_the_lattice_asks_for(kind):
    for spec in specs(kind):
        shown = realised(spec, {piece.id for piece in spec.pieces})
        for axis in AXES:
            if spec.features[axis] != OFF.get(axis) and axis != "face":
                assert shown[axis] == spec.features[axis], axis


def test_what_is_not_on_the_page_is_not_among_its_features():
    for spec in specs("report", 4):
        assert {axis: value for axis, value in realised(spec, set()).items() if axis in OFF} == OFF
        assert realised(spec, set())["language"] == spec.features["language"]


def number(text):
    digits = "".join(str(unicodedata.digit(character)) for character in text if character.isdigit())
    return -int(digits) if text.startswith("(") else int(digits)


def table(spec):
    (grid,) = (piece.grid for piece in spec.pieces if piece.grid is not None)
    return grid.by_slot()


def test_invoices_add_up():
    for spec in specs("invoice", 30):
        rows = table(spec)[1:]
        *lines, net, tax, total = [number(row[-1].text) for row in rows]
        assert sum(lines) == net and net + tax == total
        for row in rows[:-3]:
            if len({id(cell) for cell in row}) == 5:
                assert number(row[2].text) * number(row[3].text) == number(row[4].text)
        assert any(piece.attributes.get("role") == "sum" and number(text_of(piece)) == total for piece in spec.pieces)


def test_receipts_add_up():
    for spec in specs("receipt", 30):
        *lines, total, given, change = [number(row[-1].text) for row in table(spec)]
        assert sum(lines) == total and given - total == change > 0


def test_statements_add_up():
    for spec in specs("statement", 30):
        rows = [row for row in table(spec) if len({id(cell) for cell in row}) > 1 and not row[-1].heading]
        values = [[number(cell.text) for cell in row[1:]] for row in rows]
        for column in zip(*values, strict=True):
            *parts, balance = column
            first = next(n for n in range(1, len(parts)) if sum(parts[:n]) == parts[n])
            assert sum(parts[first + 1 : -1]) == parts[-1] and parts[first] - parts[-1] == balance


def test_pages_are_written_in_their_language():
    for code, letter in (("ru", "CYRILLIC"), ("ar", "ARABIC"), ("ja", ("CJK", "HIRAGANA", "KATAKANA"))):
        for spec in specs("manual", 3, language=(code,), code=("no",), **{"table.cells": ("absent", "words")}):
            text = "".join(run.text for piece in spec.pieces for run in piece.runs if run.kind == "text")
            letters = [character for character in text if character.isalpha()]
            own = sum(unicodedata.name(character).startswith(letter) for character in letters)
            assert own > 0.8 * len(letters)
            assert spec.style.language == code and (spec.style.direction == "rtl") == (code == "ar")


def test_a_restricted_page_has_nothing_it_may_not_have():
    features = {"figure": ("no",), "notes": ("no",), "formula": ("absent",), "table.heads": ("absent",)}
    for spec in specs("paper", 6, **features, language=("de",)):
        kinds = {piece.type for piece in spec.pieces}
        assert not kinds & {"figure", "note", "formula", "table"}


@pytest.mark.parametrize("width", [640, 1024, 1240])
def test_no_page_is_set_smaller_than_can_be_read(width):
    lattice = Lattice.of()
    for index in range(150):
        style, _ = draw_style("dictionary", ("a4", "slip"), plan(lattice, 3, index), Random(index), width)
        assert style.size >= 12.5 * width / 1024 - 0.01
        assert style.least == 11 * width / 1024
