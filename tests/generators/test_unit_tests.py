import random

import pytest

from proofpress.generators.unit_tests import MOST, write_tests
from proofpress.model.rewards.unit_tests import parse_test, run
from proofpress.pages.record import Element

BOX = ((0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0),)
TABLE = (
    "<table><tr><th>Region</th><th>Sales</th></tr><tr><th>North</th><td>1,500</td></tr>"
    "<tr><th>South</th><td>820</td></tr></table>"
)
PARTS = (
    ("running_head", "Annals of Fish", {}),
    ("title", "On the weight of fish", {"level": "1"}),
    (
        "paragraph",
        "We weighed every fish that swam into the old net before noon, and the keeper paid \\$5 for all of them.[^1]",
        {},
    ),
    ("paragraph", "None of them was as heavy as $m_0 = 3$, which the keeper of the lake had promised us.", {}),
    ("formula", r"\int_0^1 x^2\,dx=\frac{1}{3}", {}),
    ("table", TABLE, {}),
    ("note", "A heron had eaten the others before we came to the shore.", {"marker": "1"}),
    ("page_number", "412", {}),
)
ELEMENTS = tuple(Element(f"e{n}", kind, text, BOX, None, more) for n, (kind, text, more) in enumerate(PARTS))
TEXT = "\n\n".join(
    {"title": "# {}", "formula": "$${}$$", "note": "[^1]: {}"}.get(kind, "{}").format(text)
    for kind, text, _ in PARTS
    if kind not in ("running_head", "page_number")
)
ROWS = [row for seed in range(20) for row in write_tests("p", TEXT, ELEMENTS, random.Random(seed))]


def passes(row, text, mode="strict"):
    return run(parse_test(row), text, mode).value == 1.0


def test_a_page_gets_tests_of_every_kind_and_no_more_than_its_share():
    rows = write_tests("p", TEXT, ELEMENTS, random.Random(3))
    counts = {kind: sum(row["type"] == kind for row in rows) for kind in MOST}
    assert all(0 < counts[kind] <= MOST[kind] for kind in MOST)
    assert len({row["id"] for row in rows}) == len(rows)
    assert rows == write_tests("p", TEXT, ELEMENTS, random.Random(3))


@pytest.mark.parametrize("mode", ["strict", "olmocr"])
def test_every_test_passes_on_the_truth_it_is_made_from(mode):
    for row in ROWS:
        if mode == "strict" or row["type"] != "math":  # upstream's formula tests need a browser
            assert passes(row, TEXT, mode), row


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("present", "heavy", "light"),
        ("absent", "We weighed", "Annals of Fish 412 We weighed"),
        ("math", "x^2", "x^3"),
        ("footnote", "them.[^1]", "them."),
        ("format", "# On", "On"),
        ("table", "1,500", "1,600"),
        ("baseline", TEXT, ""),
    ],
)
def test_a_reading_with_a_fault_fails_a_test_of_its_kind(kind, old, new):
    assert old in TEXT
    rows = [row for row in ROWS if row["type"] == kind]
    assert not all(passes(row, TEXT.replace(old, new)) for row in rows)


def test_a_reading_in_another_order_fails():
    blocks = TEXT.split("\n\n")
    blocks[1], blocks[2] = blocks[2], blocks[1]
    assert not all(passes(row, "\n\n".join(blocks)) for row in ROWS if row["type"] == "order")


def test_a_table_test_asks_for_one_relation():
    relations = {"up", "down", "left", "right", "top_heading", "left_heading"}
    tests = [row for row in ROWS if row["type"] == "table"]
    assert all(len(relations & set(row)) == 1 for row in tests)
    assert {name for row in tests for name in relations & set(row)} == relations


def test_what_stands_twice_is_not_asked_for_and_what_is_in_the_text_is_not_absent():
    twice = [Element(f"e{n}", "paragraph", "The same words stand here again and again", BOX) for n in range(2)]
    head = Element("e2", "running_head", "Again and again", BOX)
    rows = write_tests("p", "\n\n".join(e.text for e in twice), [*twice, head], random.Random(1))
    assert {row["type"] for row in rows} == {"baseline"}


def test_a_blank_page_is_asked_to_be_blank():
    (row,) = write_tests("p", "", [Element("e0", "page_number", "7", BOX)], random.Random(1))
    assert passes(row, "") and not passes(row, "Some words")
