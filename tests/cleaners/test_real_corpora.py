"""The real samples: every defect that was counted in them is found, and nothing else is lost."""

import json
import re
from collections import Counter
from functools import cache

import pytest

from proofpress.cleaners.clean import clean, restore
from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.rule import Drop, Fix, Keep
from proofpress.cleaners.rules import RULES
from proofpress.pages.latex import LatexError, normal_form
from proofpress.pages.record import PageRecord
from proofpress.pages.table_html import from_html

# The fixes after which KaTeX reads another formula, because it was wrong about what TeX prints.
CHANGES_READING = {"formula.line_break", "formula.number", "formula.letters"}


@pytest.fixture(scope="module")
def tables(shared):
    path = shared / "data" / "corpora" / "pubtabnet"
    return list(clean(CORPORA["pubtabnet"], path, CORPORA["pubtabnet"].items(path)))


@pytest.fixture(scope="module")
def annotations(shared):
    lines = (
        (shared / "data" / "corpora" / "pubtabnet" / "examples" / "PubTabNet_Examples.jsonl").read_text().splitlines()
    )
    return [json.loads(line) for line in lines]


def evidence(records, reason):
    return {r.source.id: c.evidence for r in records for c in r.checks if c.reason == reason}


def test_all_20_tables_tile_and_are_kept(tables, annotations):
    assert [record.source.id for record in tables] == [row["filename"] for row in annotations]
    assert all(isinstance(record, PageRecord) for record in tables)
    assert sum(len(from_html(record.text).cells) for record in tables) == 1380


def test_raw_markup_is_found_in_exactly_the_cells_that_have_it(tables):
    found = evidence(tables, "table.raw_markup")
    assert {name: re.findall(r"cell (\d+):", text) for name, text in found.items()} == {
        "PMC3519711_003_00.png": ["28"],
        "PMC4840965_004_00.png": ["12", "108"],
        "PMC5577841_001_00.png": ["7"],
    }
    assert "load values < 100 CFU/L" in found["PMC3519711_003_00.png"]


def test_the_one_phantom_cell_is_emptied(tables):
    assert evidence(tables, "table.phantom") == {"PMC3519711_003_00.png": "cell 0: '<b> </b>'"}


def test_bold_is_stripped_wherever_it_was(tables, annotations):
    cells = [cell for row in annotations for cell in row["html"]["cells"]]
    assert sum("<b>" in cell["tokens"] for cell in cells) == 123
    opened = sum(cell["tokens"].count("<b>") for cell in cells)
    emptied = 1  # the phantom's
    counted = sum(int(n) for text in evidence(tables, "table.style").values() for n in re.findall(r"\bb×(\d+)", text))
    assert counted == opened - emptied == 126


def test_the_149_empty_cells_and_the_phantom_are_empty_in_the_labels(tables, annotations):
    cells = [cell for row in annotations for cell in row["html"]["cells"]]
    assert sum(not cell["tokens"] and "bbox" not in cell for cell in cells) == 149
    assert sum(not cell.text for record in tables for cell in from_html(record.text).cells) == 150


def test_the_four_breaks_between_two_bold_runs_are_a_space(tables):
    assert evidence(tables, "table.seam") == {"PMC4172848_007_00.png": ", ".join(["</b><b>"] * 4)}
    assert any("Number of couples per facilitator: Mean (SD)" in record.text for record in tables)


def test_every_other_character_of_every_cell_is_in_the_label(tables, annotations):
    for record, row in zip(tables, annotations, strict=True):
        cells = ["".join(cell["tokens"]).replace("</b><b>", " ") for cell in row["html"]["cells"]]
        texts = [re.sub(r"</?(b|i|sup|sub)>", "", cell) for cell in cells]
        labels = [re.sub(r"\$[\^_]\{(.*?)\}\$", r"\1", cell.text) for cell in from_html(record.text).cells]
        assert labels == [" ".join(text.split()) for text in texts], row["filename"]


def test_all_boxes_lie_on_their_pictures(tables):
    assert {c.outcome for record in tables for c in record.checks if c.rule == "layout.boxes"} == {"passed"}


@pytest.fixture(scope="module")
def formulas(shared):
    text = (shared / "data" / "corpora" / "im2latex" / "data" / "sample" / "formulas.lst").read_text()
    return text.split("\n")[:-1]


def judged(latex):
    """Every verdict that the formula rules give it in turn, with the text each was given."""
    steps = []
    for rule in RULES["formula"]:
        verdict = rule.judge(latex)
        steps.append((latex, verdict))
        if isinstance(verdict, Drop):
            break
        if isinstance(verdict, Fix):
            latex = verdict.text
    return steps


@pytest.fixture(scope="module")
def verdicts(formulas):
    return [judged(formula.strip("%")) for formula in formulas]


def test_what_was_counted_in_the_1197_formulas_is_in_them(formulas):
    """The counts of the sample's description, by the patterns that give them."""
    formulas = [formula for formula in formulas if formula]
    bare = [re.sub(r"\\label\{[^}]*\}", "", formula) for formula in formulas]
    assert len(formulas) == 1197
    assert sum(r"\label" in formula for formula in formulas) == 683
    assert sum(bool(re.search(r"[.,;]\s*$", formula)) for formula in bare) == 776
    assert sum(r"\over" in formula for formula in formulas) == 200
    assert sum(bool(re.search(r"\\(eqno|nonumber|tag)(?![A-Za-z])", formula)) for formula in formulas) == 10


def test_the_rules_find_them_all_but_what_stands_behind_a_percent_sign(verdicts):
    """11 labels and 2 of the 10 numbers and no-numbers are in comments; 32 of the 200 are ``\\overline`` and its like.

    Of the 776, some end in a spacing command (``\\,``) or in a comment; others end in a mark with only space behind it.
    """
    reasons = Counter(verdict.reason for steps in verdicts for _, verdict in steps if verdict.reason)
    assert reasons["formula.label"] == 683 - 11
    assert reasons["formula.nonumber"] == 10 - 2
    assert reasons["formula.over"] == 200 - 32
    assert reasons["formula.trailing_punctuation"] == 775
    assert reasons["formula.comment"] == 33


def test_only_formulas_that_katex_cannot_draw_are_dropped(verdicts):
    """Three are blank lines, two a comment from end to end; ``\\intf`` is no command, and ``\\b`` and ``\\cline`` are
    none of KaTeX's, which has nothing else that draws the same."""
    drops = {at: steps[-1][1] for at, steps in enumerate(verdicts) if isinstance(steps[-1][1], Drop)}
    assert {at: drop.reason for at, drop in drops.items() if drop.reason == "formula.empty"}.keys() == {
        200, 421, 449, 761, 891,
    }  # fmt: skip
    undrawable = {at: drop.evidence for at, drop in drops.items() if drop.reason != "formula.empty"}
    assert undrawable.keys() == {546, 733, 1130}
    for at, command in ((546, r"\intf"), (733, r"\b"), (1130, r"\cline")):
        assert f"Undefined control sequence: {command}" in undrawable[at]


def test_a_fix_changes_nothing_that_is_drawn_where_katex_reads_both(verdicts):
    @cache
    def form(latex):
        try:
            return normal_form(latex)
        except LatexError:
            return None

    for steps in verdicts:
        for before, verdict in steps:
            if isinstance(verdict, Fix) and verdict.reason not in CHANGES_READING:
                was, is_now = form(before), form(verdict.text)
                assert was is None or is_now is None or was == is_now, (verdict.reason, before, verdict.text)


def test_kept_labels_are_what_the_rules_leave(verdicts):
    for steps in verdicts[::6]:
        latex, last = steps[-1]
        if isinstance(last, Keep):
            assert all(not isinstance(verdict, Fix) for _, verdict in judged(latex)), latex


@pytest.mark.slow
def test_400_pictures_make_399_records_and_800_rows_have_none(shared):
    path = shared / "data" / "corpora" / "im2latex"
    made = list(clean(CORPORA["im2latex"], path, CORPORA["im2latex"].items(path)))
    kept = [record for record in made if isinstance(record, PageRecord)]
    rejects = [reject for reject in made if not isinstance(reject, PageRecord)]
    assert Counter(record.split for record in kept) == {"train": 200, "validation": 99, "test": 100}
    assert Counter(reject.reason for reject in rejects) == {"file.missing": 800, "formula.unparseable": 1}
    assert all(restore(reject)["formula"] for reject in rejects if reject.reason == "formula.unparseable")
