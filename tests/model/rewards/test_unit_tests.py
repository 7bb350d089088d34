"""The unit tests of olmOCR-bench on texts and tables: upstream's verdicts, and the right ones where they differ."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.scoring import GoldError
from proofpress.model.rewards.unit_tests import MAX_CHARACTERS, parse_test, run
from proofpress.model.rewards.unit_tests.cells import olmocr_tables, strict_tables
from proofpress.model.rewards.unit_tests.forms import olmocr_form, strict_form

#: Where strict says otherwise than upstream's own test suite: the first A stands before every B.
STRICT_OTHERWISE = {"text_cases-0027"}

FOX = "The quick brown fox jumps over the lazy dog"
LONG = "word " * 400
TABLE = "<table><tr><th>Mass</th><th>Speed</th></tr><tr><td>17</td><td>-5.2</td></tr></table>"


def cases(shared, name):
    return [json.loads(line) for line in (shared / "data/cases" / f"{name}.jsonl").open(encoding="utf-8")]


def passes(page, mode, **test):
    return run(parse_test(test), page, mode).value == 1.0


@pytest.mark.parametrize("name", ["text_cases", "table_relation_cases"])
def test_olmocr_mode_gives_upstreams_verdict_on_its_own_suite(shared, name):
    rows = cases(shared, name)
    wrong = [
        row["id"] for row in rows if bool(run(parse_test(row["test"]), row["content"], "olmocr").value) != row["passed"]
    ]
    assert rows and not wrong


@pytest.mark.parametrize("name", ["text_cases", "table_relation_cases"])
def test_strict_mode_agrees_with_upstream_where_upstream_is_right(shared, name):
    rows = cases(shared, name)
    other = {row["id"] for row in rows if bool(run(parse_test(row["test"]), row["content"]).value) != row["passed"]}
    assert other == STRICT_OTHERWISE & {row["id"] for row in rows}


def test_olmocr_form_is_upstreams(shared):
    for row in cases(shared, "text_normalize"):
        expected = row["normalized"] if "normalized" in row else olmocr_form(row["same_as"])
        assert olmocr_form(row["input"]) == expected, row["id"]


def test_tables_are_read_with_upstreams_cells_headings_and_neighbours(shared):
    def sides(graph, relation):
        return [[list(slot), [list(other) for other in sorted(relation[slot])]] for slot in sorted(relation)]

    def headings(graph, relation):
        found = {slot: graph.headings_from(slot, relation) for slot in graph.texts}
        return [[list(slot), [list(other) for other in sorted(found[slot])]] for slot in sorted(found)]

    rows = cases(shared, "table_parse_cases")
    for row in rows:
        # each case is of one of upstream's two parsers
        markdown = row["format"] == "markdown"
        every = olmocr_tables(row["content"], markdown=True)
        of_html = olmocr_tables(row["content"], markdown=False)
        graphs = every[: len(every) - len(of_html)] if markdown else of_html
        read = [
            {
                "cells": [[*slot, text] for slot, text in sorted(graph.texts.items())],
                "heading": [list(slot) for slot in sorted(graph.headings)],
                "rect": graph.rectangular,
                **{side: sides(graph, getattr(graph, side)) for side in ("up", "down", "left", "right")},
                "top_heading": headings(graph, graph.up),
                "left_heading": headings(graph, graph.left),
            }
            for graph in graphs
        ]
        assert [{key: table[key] for key in read[0]} for table in row["tables"]] == read if read else not row["tables"]


@pytest.mark.parametrize(
    ("page", "test", "upstream"),
    [
        ("fox", {"type": "present", "text": FOX}, True),  # a fragment
        ("", {"type": "absent", "text": "Running head"}, True),  # an empty page
        ("Many lazy cats sleep over there all day", {"type": "present", "text": FOX, "max_diffs": 40}, True),
        ("born in 1985", {"type": "present", "text": "born in 1958", "max_diffs": 2}, True),  # digits swapped
        ("a loss of 5 %", {"type": "present", "text": "a loss of -5 %", "max_diffs": 2}, True),  # a sign
        ("costs 15 dollars", {"type": "present", "text": "costs 1.5 dollars", "max_diffs": 2}, True),  # a point
        ("in 20201", {"type": "present", "text": "in 2020"}, True),  # a longer number
        ("abc", {"type": "present", "text": "a_b_c"}, True),  # identifiers eaten
        ("234", {"type": "present", "text": "2*3*4"}, True),  # operators eaten
        ("beta alpha beta", {"type": "order", "before": "alpha", "after": "beta"}, True),
        (TABLE.replace("17", "12"), {"type": "table", "cell": "17", "max_diffs": 1}, True),
        (TABLE.replace("-5.2", "5.2"), {"type": "table", "cell": "17", "right": "-5.2", "max_diffs": 1}, True),
        (TABLE.replace("-5.2", "-5.3"), {"type": "table", "cell": "-5.2", "max_diffs": 1}, True),
        ("Chapter<br>Chapter One</b>", {"type": "format", "text": "Chapter One", "format": "bold"}, True),
        ("# C", {"type": "format", "text": "Chapter One", "format": "heading"}, True),
        (f"**{LONG} Important {LONG}**", {"type": "format", "text": "Important", "format": "bold"}, True),
        ("x" * 20 + " loop of words" * 300, {"type": "baseline"}, True),
        ("**bold** &amp; more", {"type": "present", "text": "bold & more"}, False),  # entities
        ("a <strong>bold</strong> move", {"type": "present", "text": "a bold move"}, False),
        ("| a\\|b | c |\n|---|---|\n| 1 | 2 |", {"type": "table", "cell": "a|b", "down": "1"}, False),
    ],
)  # fmt: skip
def test_strict_is_right_where_upstream_is_not(page, test, upstream):
    assert passes(page, "olmocr", **test) is upstream
    assert passes(page, "strict", **test) is not upstream


@pytest.mark.parametrize(
    ("page", "test"),
    [
        (f"# Title\n\n{FOX}, they say.", {"type": "present", "text": FOX}),
        (FOX.replace("lazy", "lazv"), {"type": "present", "text": FOX, "max_diffs": 1}),
        ("“Quoted” – and 3–5", {"type": "present", "text": '"Quoted" - and 3-5'}),
        ("5 apples and 3-5 pears", {"type": "present", "text": "5 pears"}),
        (FOX, {"type": "present", "text": FOX.upper(), "case_sensitive": False}),
        (f"{FOX} {'. ' * 50}", {"type": "present", "text": "The quick", "first_n": 12}),
        (FOX, {"type": "absent", "text": "The slow red fox"}),
        ("alpha beta", {"type": "order", "before": "alpha", "after": "beta"}),
        ("alpha beta alpha beta", {"type": "order", "before": "alpha", "after": "beta"}),
        (TABLE, {"type": "table", "cell": "17", "right": "-5.2", "up": "Mass", "top_heading": "Mass"}),
        (TABLE.lower(), {"type": "table", "cell": "-5.2", "left": "17"}),
        (TABLE, {"type": "baseline"}),
        ("<table>" + "<tr><td></td><td></td></tr>" * 100 + "<tr><td>a</td></tr></table>", {"type": "baseline"}),
        ("", {"type": "baseline", "max_length": 0}),
        ("## Chapter One", {"type": "format", "text": "Chapter One", "format": "heading"}),
        ("text[^1].\n\n[^1]: The note", {"type": "footnote", "marker": "1", "appears_before_marker": "text"}),
        ("text[^1].\n\n[^1]: The note", {"type": "footnote", "marker": "1", "appears_after_marker": "The note"}),
        ("text$^{12}$ and on", {"type": "footnote", "marker": "12", "appears_before_marker": "text"}),
    ],
)
def test_strict_passes_what_is_right(page, test):
    assert passes(page, "strict", **test)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"type": "smell", "text": "x"}, "type"),
        ({"text": "x"}, "type"),
        ({"type": "present", "text": "  "}, "text"),
        ({"type": "present"}, "text"),
        ({"type": "present", "text": "****"}, "text"),
        ({"type": "absent", "text": "<b></b>"}, "text"),
        ({"type": "present", "text": "x", "max_diffs": -1}, "max_diffs"),
        ({"type": "present", "text": "x", "colour": "red"}, "colour"),
        ({"type": "order", "before": "abcd", "after": "e", "max_diffs": 1}, "max_diffs"),
        ({"type": "format", "text": "x", "format": "underline"}, "format"),
        ({"type": "footnote", "marker": "1 2"}, "marker"),
        ({"type": "math", "math": ""}, "math"),
        ({"type": "present", "text": "x", "page": 0}, "page"),
    ],
)
def test_a_wrong_test_is_refused_with_its_field(row, field):
    with pytest.raises(GoldError, match=field):
        parse_test(row)


def test_a_runaway_has_no_verdict():
    test = parse_test({"type": "present", "text": "x"})
    assert run(test, "x" * (MAX_CHARACTERS + 1)).status == "timeout"


HOSTILE = [
    "*",
    "_",
    "**a",
    "<b>",
    "<b",
    "\\(",
    "\\[",
    "$",
    "![",
    "](",
    "|",
    "<table>",
    "<tr>",
    "<td rowspan=99999 colspan=9999>",
]
HOSTILE += ["[^1]", "<sup>", "&lt;", "a b ", "1.", "\ud800", "\n"]
TESTS = [
    {"type": "present", "text": FOX, "max_diffs": 3},
    {"type": "order", "before": "alpha beta", "after": "gamma", "max_diffs": 2},
    {"type": "table", "cell": "a", "up": "b"},
    {"type": "baseline"},
    {"type": "format", "text": "a b", "format": "bold"},
    {"type": "footnote", "marker": "1", "appears_before_marker": "abc"},
]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(HOSTILE), max_size=60), st.sampled_from(TESTS), st.sampled_from(["olmocr", "strict"]))
def test_garbage_gets_a_verdict(pieces, test, mode):
    assert run(parse_test(test), "".join(pieces), mode).value in (0.0, 1.0)


@pytest.mark.parametrize("piece", [piece for piece in HOSTILE if piece != "\ud800"])
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test["type"])
def test_a_long_page_of_one_mark_takes_linear_time(piece, test):
    page = piece * (60_000 // len(piece))
    for mode in ("olmocr", "strict"):
        assert run(parse_test(test), page, mode).value in (0.0, 1.0)


@given(st.text(max_size=80))
def test_strict_form_is_idempotent_on_plain_text(text):
    plain = "".join(character for character in text if character not in "*_<>&")
    assert strict_form(strict_form(plain)) == strict_form(plain)


def test_strict_tables_hold_nested_cells_once():
    [graph] = strict_tables("<table><tr><td>a<table><tr><td>b</td></tr></table></td></tr></table>", markdown=True)
    assert list(graph.texts.values()) == ["a b"]
