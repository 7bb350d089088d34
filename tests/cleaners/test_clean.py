"""A corpus becomes records and rejects, each with what is needed to undo it."""

import json
from io import BytesIO

import pytest
from PIL import Image

from proofpress.cleaners.clean import CLEANER_VERSION, clean, restore
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.record import PageRecord, Reject, record_id


def cleaned(name, path):
    return list(clean(CORPORA[name], path, CORPORA[name].items(path)))


def checks(record):
    return {check.reason: check for check in record.checks if check.reason}


def test_a_table_becomes_a_record_of_one_element_over_the_whole_picture(pubtabnet, table_row, grid):
    path = pubtabnet(table_row("a.png", grid(2, 2), [["<b>", "A", "</b>"], "B", ">1", ""]))
    (record,) = cleaned("pubtabnet", path)
    assert record.text == "<table><tr><th>A</th><th>B</th></tr><tr><td>&gt;1</td><td></td></tr></table>"
    assert record.id == record.content_id == record_id("pubtabnet", "a.png", CLEANER_VERSION)
    assert (record.task, record.split, record.language) == ("table", "train", "en")
    assert (record.source.licence, record.source.id) == ("CDLA-Permissive-1.0", "a.png")
    (element,) = record.elements
    assert (element.type, element.text) == ("table", record.text)
    assert element.polygons == ((0, 0, 60, 0, 60, 40, 0, 40),)
    assert checks(record)["table.style"].evidence == "b×1"
    assert checks(record)["table.raw_markup"].evidence == "cell 2: '>1'"
    assert record.hashes["pixels"]
    assert PageRecord.from_row(record.to_row()) == record


def test_a_formula_is_cut_out_of_its_sheet_and_laid_on_white(im2latex):
    (record,) = cleaned("im2latex", im2latex(r"{a \over b}. \label{x}"))
    image = Image.open(BytesIO(record.image))
    assert (image.size, image.mode) == ((72, 42), "RGB")
    assert image.getpixel((0, 0)) == (255, 255, 255)
    assert image.getpixel((16, 16)) == (0, 0, 0)
    assert (record.width, record.height) == image.size
    assert record.text == r"{\frac{a}{b}}."
    found = checks(record)
    assert found["image.sheet"].evidence == "400x300 at (84, 34, 156, 76)"
    assert found["formula.label"].evidence == r"\label{x}"
    assert found["formula.trailing_punctuation"].outcome == "passed"


def test_every_rule_of_the_task_leaves_a_check(im2latex):
    (record,) = cleaned("im2latex", im2latex("a"))
    assert {check.rule for check in record.checks} >= {"formula.label", "formula.unparseable", "image.crop"}
    assert {check.outcome for check in record.checks if check.rule.startswith("formula")} == {"passed"}


def test_a_box_off_the_picture_does_not_cost_a_good_label(pubtabnet, table_row, grid):
    row = table_row("a.png", grid(1, 2), ["a", "b"])
    row["html"]["cells"][1]["bbox"] = [50, 1, 61, 9]
    (record,) = cleaned("pubtabnet", pubtabnet(row))
    assert [word.text for word in record.words] == ["a"]
    assert checks(record)["layout.outside"].outcome == "failed"
    assert "'b' [50.0, 1.0, 61.0, 1.0, 61.0, 9.0, 50.0, 9.0]" in checks(record)["layout.outside"].evidence


@pytest.mark.parametrize(
    ("structure", "cells", "reason"),
    [
        (["<tr>", "<td>", "</td>", "</tr>", "<tr>", "<td>", "</td>", "<td>", "</td>", "</tr>"], "abc", "table.ragged"),
        (["<tr>", "<td>", "</td>", "</tr>"], [["<b>", " ", "</b>"]], "table.empty"),
        (["<tr>", "<td>", "</td>", "</tr>"], ["a", "b"], "table.cell_count"),
    ],
)
def test_a_rejected_table_can_be_restored_exactly(pubtabnet, table_row, structure, cells, reason):
    row = table_row("a.png", structure, cells)
    (reject,) = cleaned("pubtabnet", pubtabnet(row))
    assert isinstance(reject, Reject)
    assert (reject.stage, reject.reason) == ("clean", reason)
    assert restore(Reject.from_row(reject.to_row())) == row


def test_a_rejected_formula_can_be_restored_exactly(im2latex):
    (reject,) = cleaned("im2latex", im2latex(r"%\intf \label{a}%"))
    assert reject.reason == "formula.unparseable"
    assert restore(reject) == {"split": "train", "row": "0 0 basic", "formula": r"%\intf \label{a}%"}


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_corrupt_picture_is_a_reject_and_the_run_goes_on(im2latex, data):
    first, broken, last = cleaned("im2latex", im2latex("a", "b", "c", pictures={"1.png": data}))
    assert (first.text, last.text) == ("a", "c")
    assert (broken.reason, broken.image, restore(broken)["formula"]) == ("image.corrupt", b"", "b")


def test_a_picture_cut_short_is_corrupt(im2latex, picture):
    (reject,) = cleaned("im2latex", im2latex("a", pictures={"0.png": picture()[:60]}))
    assert reject.reason == "image.corrupt"


def test_a_blank_picture_is_a_reject(im2latex, picture):
    (reject,) = cleaned("im2latex", im2latex("a", pictures={"0.png": picture(box=None)}))
    assert (reject.reason, reject.evidence) == ("image.blank", "60x40 pixels of one level, give or take 0")


def test_what_a_row_becomes_depends_on_that_row_alone(im2latex):
    path = im2latex("a", r"\intf", "c", "d")
    refs = list(CORPORA["im2latex"].items(path))
    forwards = list(clean(CORPORA["im2latex"], path, refs))
    backwards = list(clean(CORPORA["im2latex"], path, reversed(refs)))
    assert forwards == backwards[::-1]


def test_the_original_of_a_broken_line_is_the_line(pubtabnet):
    (reject,) = cleaned("pubtabnet", pubtabnet(b'{"filename": "a.png", "spl'))
    assert reject.source.id == "a.png"
    assert restore(reject) == {"line": '{"filename": "a.png", "spl\n'}
    assert json.loads(reject.original)
