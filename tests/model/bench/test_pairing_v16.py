"""What v1.6's matching finds again that v1.5's does not, and what it does not find either."""

import pytest

from proofpress.model.bench.blocks import Block
from proofpress.model.bench.chunks import match_chunks
from proofpress.model.bench.formula_candidates import best_rows, merged_latex
from proofpress.model.bench.matching import Group
from proofpress.model.bench.normal_forms import formula_form
from proofpress.model.bench.omnidocbench import evaluate

LONG = (
    "The river rose by two metres in May and all of the forty gauges along it were flooded within hours of the rain, "
    "which nobody had seen since the old bridge was lost in the winter before the war"
)


def page(*blocks):
    kinds = {"title": "text", "text_block": "text", "equation_isolated": "latex", "table": "html"}
    layout = [
        {"anno_id": order, "category_type": kind, "order": order, kinds[kind]: text}
        for order, (kind, text) in enumerate(blocks, start=1)
    ]
    return {"layout_dets": layout, "page_info": {"image_path": "page.jpg", "page_attribute": {}}, "extra": {}}


def scores(gold, markdown, edition):
    return evaluate([gold], lambda image: markdown, edition).scores


FORMULA = ("equation_isolated", r"\[3+4=7\]")
TEXT = ("text_block", "It rose by three and then by four metres.")

#: Gold, prediction: formulas that v1.6 finds where they were not written as displayed ones.
FOUND = {
    "in a line of text": ([TEXT, FORMULA], f"{TEXT[1]}\n\n3 + 4 = 7"),
    "in a picture's name": ([TEXT, FORMULA], f"{TEXT[1]}\n\n![3 + 4 = 7](sum.png)"),
    "in a cell": ([TEXT, FORMULA], f"{TEXT[1]}\n\n<table><tr><td>3 + 4 = 7</td><td>A</td></tr></table>"),
    "beside another": ([FORMULA, ("equation_isolated", r"\[8-2=6\]")], r"$$3+4=7 \qquad 8-2=6$$"),
    "behind a number": ([TEXT, FORMULA], f"{TEXT[1]}\n\n$$(12)\\quad 3+4=7$$"),
    "on two lines that the gold has as one": (
        [TEXT, ("equation_isolated", r"\[\begin{cases}a=b+c\\d=e+f\end{cases}\]")],
        f"{TEXT[1]}\n\n$$\\begin{{aligned}}a=b+c\\\\d=e+f\\end{{aligned}}$$",
    ),
    "as two formulas that the gold has as one": (
        [TEXT, ("equation_isolated", r"\[\begin{cases}a=b+c\\d=e+f\end{cases}\]")],
        f"{TEXT[1]}\n\n$$a=b+c$$\n\n$$d=e+f$$",
    ),
}


@pytest.mark.parametrize("what", FOUND)
def test_a_formula_is_found_again(what):
    blocks, markdown = FOUND[what]
    new = scores(page(*blocks), markdown, "v1.6")["formula_edit"]
    old = scores(page(*blocks), markdown, "v1.5").get("formula_edit", 1.0)
    assert new <= old and new < 0.2


@pytest.mark.parametrize(
    "markdown", [TEXT[1], f"{TEXT[1]}\n\nThree and four are seven.", f"{TEXT[1]}\n\n![a river](x.png)", ""]
)
def test_a_formula_that_is_not_there_is_not_found(markdown):
    assert scores(page(TEXT, FORMULA), markdown, "v1.6")["formula_edit"] == 1


def test_a_formula_is_found_for_one_gold_formula_only():
    found = scores(page(TEXT, FORMULA, ("equation_isolated", r"\[3+4=8\]")), f"{TEXT[1]}\n\n3 + 4 = 7", "v1.6")
    assert found["formula_edit"] == pytest.approx(5 / 10)


def test_a_text_takes_the_stretch_that_reads_most_like_it():
    pieces = ("x" * 30, *(LONG[start : start + 45] for start in range(0, len(LONG), 45)))
    markdown = "\n\n".join(pieces)
    gold = page(("title", "A different heading altogether"), ("text_block", LONG))
    assert scores(gold, markdown, "v1.6")["text_edit"] <= scores(gold, markdown, "v1.5")["text_edit"]


def test_a_stretch_goes_over_what_does_not_belong():
    half = len(LONG) // 2
    gold, markdown = page(("text_block", LONG)), f"{LONG[:half]}\n\nqqqq\n\n{LONG[half:]}"
    assert scores(gold, markdown, "v1.6")["text_edit"] < 0.05 < 0.45 < scores(gold, markdown, "v1.5")["text_edit"]


def test_a_text_written_as_a_formula_is_compared_as_text():
    gold = page(("text_block", "x = 1.5 m"), ("text_block", LONG))
    assert scores(gold, f"$$x = 1.5 m$$\n\n{LONG}", "v1.6")["text_edit"] == 0


def test_a_table_that_no_gold_table_takes_is_no_text_in_v1_6():
    gold = page(TEXT, ("table", "<table><tr><td>1</td></tr></table>"))
    markdown = f"<table><tr><td>1</td></tr></table>\n\n<table><tr><td>{TEXT[1]}</td></tr></table>"
    assert scores(gold, markdown, "v1.5")["text_edit"] == 0
    assert scores(gold, markdown, "v1.6")["text_edit"] == 1


def formula(latex, at=1):
    return Block("formula", "equation_isolated", latex, formula_form(latex, "v1.6"), at)


def test_the_least_sum_of_edits_wins_and_what_is_too_much_costs_nothing():
    gold = [formula("a+b"), formula("c+d")]
    predicted = [formula("x", 1), formula("a+b", 2), formula("y", 3), formula("c+e", 4)]
    rows = best_rows(gold, predicted, None)
    assert [row.predicted[0].text for row in rows] == ["a+b", "c+e"]
    assert [row.edit for row in rows] == [0.0, pytest.approx(1 / 3)]
    assert best_rows([], predicted, None) == []
    assert [row.predicted for row in best_rows(gold, [], None)] == [(), ()]


def formula_of(name, lines):
    return formula(rf"\begin{{{name}}}" + r"\\".join(lines) + rf"\end{{{name}}}")


LINES = [f"{a}={b}+{b}" for a, b in zip("abcdefghij", "klmnopqrst", strict=True)]


def test_a_predicted_formula_is_parted_in_the_way_that_fits():
    rows = best_rows(
        [formula_of("cases", LINES[:2]), formula_of("cases", LINES[2:4])], [formula_of("aligned", LINES[:4])], None
    )
    assert [row.edit for row in rows] == [0, 0]


def test_a_predicted_formula_of_many_rows_is_divided_in_reading_order():
    rows = best_rows(
        [formula_of("cases", LINES[:5]), formula_of("cases", LINES[5:])], [formula_of("aligned", LINES)], None
    )
    assert [[block.text for block in row.predicted] for row in rows] == [
        [rf"\[{line}\]" for line in part] for part in (LINES[:5], LINES[5:])
    ]


def test_a_row_that_no_gold_formula_has_is_left_out():
    read = [*LINES[:2], "X-Y-Z", *LINES[2:]]
    rows = best_rows(
        [formula_of("cases", LINES[:5]), formula_of("cases", LINES[5:])], [formula_of("aligned", read)], None
    )
    assert [[block.text for block in row.predicted] for row in rows] == [
        [rf"\[{line}\]" for line in part] for part in (LINES[:5], LINES[5:])
    ]


def test_steps_of_an_argument_are_taken_with_their_brace():
    reasons = r"\begin{cases}a=b \\ \Rightarrow c=d\end{cases}"
    [row] = best_rows([formula(reasons)], [formula(reasons)], None)
    assert row.edit == 0 and row.predicted[0].text.startswith(r"\left\{ \begin{array}")


def test_neighbours_that_grow_together_have_nothing_between_them():
    [row] = best_rows([formula("a+b=c+d+e+f")], [formula("a+b=c", 1), formula("+d+e+f", 2)], None)
    assert row.norm == row.gold.norm


def test_several_formulas_are_the_rows_of_one():
    assert merged_latex([formula(r"\[a\]"), formula("$$b$$")]) == r"\begin{array}{l} {a} \\ {b} \end{array}"
    assert merged_latex([formula(r"\[a\]")]) == "a"


def text(words, at):
    return Block("text", "text_block", words, words.replace(" ", ""), at)


def test_chunks_put_lines_together_and_stand_near_their_place():
    gold = [text(LONG, 1), text(LONG[::-1], 2)]
    lines = [text(LONG[start : start + 60], start) for start in range(0, len(LONG), 60)]
    predicted = [*lines, text(LONG[::-1], 1_000)]
    groups = match_chunks(gold, predicted)
    assert groups == [Group((0,), tuple(range(len(lines)))), Group((1,), (len(lines),))]
    assert match_chunks(gold, []) == [Group((0,), ()), Group((1,), ())]
    assert match_chunks([], predicted[-1:]) == [Group((), (0,))]


@pytest.mark.timeout(120)  # a guard against hanging
def test_a_page_of_many_formulas_has_a_result():
    gold = page(*[("equation_isolated", rf"\[x_{{{i}}}+{i}=y\]") for i in range(40)])
    markdown = "\n\n".join(rf"$$\begin{{aligned}}x_{{{i}}}&+{i}\\&=y\end{{aligned}}$$" for i in range(40))
    assert scores(gold, markdown, "v1.6")["formula_edit"] < 0.5


HOSTILE = {
    "sums": "3 + 4 = 7\n\n" * 500,
    "pictures": "![3+4=7](a)\n\n" * 500,
    "cells": "<table><tr>" + "<td>3 + 4 = 7</td>" * 300 + "</tr></table>",
    "alignments": r"$$\begin{aligned}a\\b\\c\\d\\e\\f\\g\end{aligned}$$" * 20,
    "rows": "$$" + r"a=b\\ " * 1_000 + "$$",
    "arguments": r"$$\begin{cases}a\\ \Rightarrow b\end{cases}$$" * 200,
    "inline formulas": "$x^2+1=y$ and " * 400,
    "titles": "# A heading\n\n" * 500,
    "sums side by side": r"$$3+4=7 \quad " * 400 + "$$",
    "captions": r"$$a \quad \text{for all}$$" * 200,
    "reactions": (r"A \xrightarrow{x} B" + "\n\n") * 300,
    "one-letter lines": "a\n\n" * 200,
}


@pytest.mark.timeout(120)  # a guard against hanging
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_pages_have_a_result(what):
    formulas = [("equation_isolated", rf"\[x_{{{i}}}+\frac{{{i}}}{{y}}=z\]") for i in range(12)]
    texts = [("text_block", f"It rose by {i} metres in a valley that nobody had seen before.") for i in range(8)]
    found = scores(page(*formulas, ("title", "A heading"), *texts), HOSTILE[what], "v1.6")
    assert found["text_edit"] > 0.5 and found["formula_edit"] > 0.5
