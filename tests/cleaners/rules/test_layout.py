"""Boxes come out in pixels of the picture, whatever they were in; those that can be none come out as evidence."""

import pytest

from proofpress.cleaners.corpus import Frame, quad, quad_of_size
from proofpress.cleaners.layouts import layout_text
from proofpress.cleaners.rules.layout import place
from proofpress.pages.record import Element, Word

SIZE = (200, 100)
BOX = quad([10, 20, 50, 40])


def reasons(placed):
    return [check.reason for check in placed.checks if check.reason]


@pytest.mark.parametrize(
    ("frame", "box"),
    [
        (None, [10, 20, 50, 40]),
        (Frame(200, 100), [10, 20, 50, 40]),
        (Frame(1000, 1000), [50, 200, 250, 400]),
        (Frame(400, 200), [20, 40, 100, 80]),
        (Frame(200, 100, bottom_up=True), [10, 60, 50, 80]),
    ],
)
def test_boxes_of_any_sheet_are_laid_on_the_picture(frame, box):
    placed = place((), (Word("a", quad(box), ""),), frame, SIZE)
    xs, ys = placed.words[0].quad[::2], placed.words[0].quad[1::2]
    assert (min(xs), min(ys), max(xs), max(ys)) == (10, 20, 50, 40)
    assert placed.words[0].quad == BOX


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ((), "layout.malformed"), (quad([10, 20, 10, 40]), "layout.zero_size"),
        (quad([10, 40, 50, 40]), "layout.zero_size"), (quad([-90, 20, 5, 40]), "layout.outside"),
        (quad([10, 20, 50, 140]), "layout.outside"), (BOX, "layout.duplicate"),
    ],
)  # fmt: skip
def test_a_bad_box_is_left_out_and_told(bad, reason):
    placed = place((), (Word("a", BOX, ""), Word("a", bad, "")), None, SIZE)
    assert [word.quad for word in placed.words] == [BOX]
    assert reasons(placed) == [reason]
    assert "'a'" in placed.checks[-1].evidence and placed.checks[-1].outcome == "failed"


def test_a_box_a_pixel_over_the_edge_is_cut():
    placed = place((), (Word("a", quad([190, 20, 201, 40]), ""),), None, SIZE)
    assert placed.words[0].quad == quad([190, 20, 200, 40])


def test_boxes_that_run_from_bottom_to_top_are_turned_over():
    words = tuple(Word(str(n), quad([10, 90 - 10 * n, 20, 96 - 10 * n]), "") for n in range(8))
    placed = place((), words, None, SIZE)
    assert reasons(placed) == ["layout.origin"]
    assert [word.quad[1] for word in placed.words] == [4.0 + 10 * n for n in range(8)]


def test_an_element_keeps_its_text_and_loses_a_bad_polygon():
    placed = place((Element("e0", "paragraph", "a", (BOX, quad([5, 5, 5, 5]))),), (), None, SIZE)
    assert placed.elements[0].polygons == (BOX,) and placed.elements[0].text == "a"


@pytest.mark.parametrize("box", [None, "abcd", [1, 2, 3], [1, 2, 3, None], [1, 2, 3, float("nan")], [True] * 4, {}])
def test_what_is_no_box_has_no_quad(box):
    assert quad(box) == quad_of_size(box) == ()


def test_a_layout_says_its_regions_in_thousandths_from_top_to_bottom():
    low, high = (
        Element("e0", "table", "", (quad([0, 50, 200, 100]),)),
        Element("e1", "title", "", (quad([20, 5, 180, 15]),)),
    )
    assert layout_text((low, high), SIZE) == "- title 100 50 900 150\n- table 0 500 1000 1000"


def test_boxes_of_a_sheet_that_is_itself_turned_are_left_as_they_are():
    upright = [Word(str(n), quad([10, 10 * n, 50, 10 * n + 8]), "") for n in range(1, 9)]
    turned = [Word(word.text, tuple(100.0 - side for side in word.quad), "") for word in upright]
    assert place((), turned, None, (100, 100)).words == tuple(turned)
    line = [
        Word(str(n), (10.0, 90.0 - 10 * n, 10.0, 82.0 - 10 * n, 18.0, 82.0 - 10 * n, 18.0, 90.0 - 10 * n), "")
        for n in range(8)
    ]
    assert place((), line, None, (100, 100)).words == tuple(line)  # a quarter turned, read upward
    over = [Word(word.text, quad([10, 100 - 10 * n - 8, 50, 100 - 10 * n]), "") for n, word in enumerate(upright, 1)]
    assert [word.quad for word in place((), over, None, (100, 100)).words] == [word.quad for word in upright]


def test_a_line_that_leans_is_no_page_from_bottom_to_top():
    line = [Word(str(n), quad([30 * n, 40 - n, 30 * n + 25, 56 - n]), "") for n in range(1, 15)]
    assert place((), line, None, (500, 100)).words == tuple(line)
