"""What holds for every page and recipe: 1 against itself, in bounds, symmetric where claimed, no pay for an error, and
never long at it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards import GoldError, RewardRecipe, score
from proofpress.model.rewards import formula as formulas
from proofpress.model.rewards import text as texts
from proofpress.pages.markdown import Block, write

MODES = [RewardRecipe(), RewardRecipe(combine="product"), RewardRecipe(combine="product", floor=0.3)]

words = st.lists(
    st.sampled_from(
        ["river", "rose", "1.5%", "-7", "20", "gauges", "the", "Bern,", "flood.", "(3)", "é", "暖风", "αβγ"]
    ),
    min_size=1,
    max_size=12,
)
latex = st.recursive(
    st.sampled_from(["x", "y", "2", r"\alpha", "=", "+"]),
    lambda inner: st.one_of(
        st.builds("{} {}".format, inner, inner),
        st.builds("x_{{{}}}".format, inner),
        st.builds(r"\frac{{{}}}{{{}}}".format, inner, inner),
        st.builds(r"\sqrt{{{}}}".format, inner),
    ),
    max_leaves=6,
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    columns = draw(st.integers(1, 4))
    cells = st.sampled_from(["", "a", "Basel", "1.5", "-7", "20%", "$x_i$", "total"])
    rows = draw(st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=1, max_size=4))
    rows[0][0] = "head"
    return "<table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows) + "</table>"


blocks = st.one_of(
    st.builds(lambda w, n: Block("heading", " ".join(w), level=n), words, st.integers(1, 3)),
    st.builds(lambda w: Block("paragraph", " ".join(w)), words),
    st.builds(lambda w, f: Block("paragraph", f"{' '.join(w)} ${f}$"), words, latex),
    st.builds(lambda w: Block("list_item", " ".join(w), marker="-"), words),
    st.builds(lambda w: Block("note", " ".join(w), marker="1"), words),
    st.builds(lambda f: Block("formula", f), latex),
    st.builds(lambda t: Block("table", t), tables()),
)
pages = st.lists(blocks, min_size=1, max_size=7).map(write)


@settings(max_examples=80, deadline=None)
@given(pages, st.sampled_from(MODES))
def test_every_page_scores_1_against_itself(page: str, recipe: RewardRecipe) -> None:
    result = score(page, page, "page", recipe)
    assert result.value == 1.0
    assert set(result.parts.values()) == {1.0}
    assert result.status == "ok"


@settings(max_examples=80, deadline=None)
@given(pages, pages, st.sampled_from(MODES))
def test_every_value_and_part_is_within_bounds(page: str, other: str, recipe: RewardRecipe) -> None:
    result = score(page, other, "page", recipe)
    assert 0.0 <= result.value <= 1.0 + 1e-12
    assert all(0.0 <= part <= 1.0 + 1e-12 for part in result.parts.values())


@settings(max_examples=50, deadline=None)
@given(words, words, latex, latex)
def test_texts_and_formulas_are_symmetric(one: list[str], other: list[str], left: str, right: str) -> None:
    assert texts.compare(" ".join(one), " ".join(other)).value == pytest.approx(
        texts.compare(" ".join(other), " ".join(one)).value
    )
    assert formulas.compare([left], [right]).value == pytest.approx(formulas.compare([right], [left]).value)


#: Ways to misread one place of a page, each with what the page has no other of.
ERRORS = [
    lambda token, rng: "qzv",
    lambda token, rng: token[:-1] + "ʘ",
    lambda token, rng: "",
    lambda token, rng: f"{token} kwzx",
]


@settings(max_examples=80, deadline=None)
@given(st.lists(words, min_size=1, max_size=4), st.randoms(use_true_random=False), st.sampled_from(MODES))
def test_no_further_misread_word_raises_the_reward(
    paragraphs: list[list[str]], rng: random.Random, recipe: RewardRecipe
) -> None:
    # No two words are the same: of words that are, a misread one may free its fellow for a better pairing.
    tokens = [[f"{word}{p}{n}" for n, word in enumerate(paragraph)] for p, paragraph in enumerate(paragraphs)]
    gold = "\n\n".join(map(" ".join, tokens))
    places = [(i, j) for i, paragraph in enumerate(tokens) for j in range(len(paragraph))]
    rng.shuffle(places)
    before = 1.0
    error = rng.choice(ERRORS)  # of one kind: a word left out and one put in beside it are one misread word, not two
    for number, (i, j) in enumerate(places[:6]):
        tokens[i][j] = error(tokens[i][j], rng)
        value = score("\n\n".join(map(" ".join, tokens)), gold, "page", recipe).value
        assert value <= before + 1e-9, (number, tokens)
        before = value


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abcdexyz"), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_no_further_wrong_symbol_raises_the_reward(symbols: list[str], rng: random.Random) -> None:
    gold = "+".join(symbols)
    places = list(range(len(symbols)))
    rng.shuffle(places)
    before = 1.0
    for place in places:
        symbols[place] = rng.choice([r"\aleph", "{}", rf"{symbols[place]} \wp", rf"{symbols[place]}^\Re"])
        value = score("+".join(symbols), gold, "formula").value
        assert value < before or before == 0.0
        before = value


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 5), st.integers(2, 4), st.randoms(use_true_random=False))
def test_no_further_wrong_cell_raises_the_reward(rows: int, columns: int, rng: random.Random) -> None:
    cells = [[f"r{row}c{column}" for column in range(columns)] for row in range(rows)]

    def markup() -> str:
        return "<table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in cells) + "</table>"

    gold, before = markup(), 1.0
    places = [(row, column) for row in range(rows) for column in range(columns)]
    rng.shuffle(places)
    for row, column in places:
        cells[row][column] = rng.choice(["", "wrong", f"{row}{column}.5"])
        value = score(markup(), gold, "table").value
        assert value <= before + 1e-9
        before = value


TASKS = ["page", "table", "formula"]
GOLDS = {"page": "# A\n\nb 1.5\n\n$$x$$\n\n<table><tr><td>c</td></tr></table>", "formula": r"\frac{a}{b}"}
GOLDS |= {"table": "<table><tr><td>c</td><td>1</td></tr></table>"}
MEGABYTE = 1_000_000
HEAVY = {
    "letters": "a" * MEGABYTE,
    "words": "word " * 39_000,
    "different words": " ".join(map(str, range(30_000))),
    "lines": "x\n\n" * 60_000,
    "headings": "# x\n\n" * 39_000,
    "list items": "- x\n" * 49_000,
    "deep list": "\n".join(" " * i + "- x" for i in range(600)),
    "dollars": "$" * 199_999,
    "formulas": "$x$ " * 49_000,
    "different formulas": " ".join(f"$x_{{{i}}}$" for i in range(20_000)),
    "one long formula": f"$${'x+' * 9_000}y$$",
    "deep braces": f"$${'{' * 9_000}x{'}' * 9_000}$$",
    "open braces": "{" * 199_000,
    "deep fractions": r"\frac{" * 3_000 + "x" + "}{y}" * 3_000,
    "macro bomb": r"$$\def\a{xx}\def\b{\a\a}\def\c{\b\b}\def\d{\c\c}\d\d\d\d\d\d\d\d$$",
    "open tables": "<table>" * 28_000,
    "nested tables": "<table><tr><td>" * 6_000 + "x" + "</td></tr></table>" * 6_000,
    "many tables": "<table><tr><td>x</td></tr></table>" * 5_800,
    "a wide table": "<table><tr>" + "<td>1</td>" * 19_000 + "</tr></table>",
    "a high table": "<table>" + "<tr><td>1</td></tr>" * 10_000 + "</table>",
    "a large table": "<table>" + ("<tr>" + "".join(f"<td>{i}</td>" for i in range(100)) + "</tr>") * 150 + "</table>",
    "different cells": "<table>" + "".join(f"<tr><td>{i}</td><td>{i * 7}</td></tr>" for i in range(6_000)) + "</table>",
    "giant spans": "<table>" + '<tr><td rowspan="65534" colspan="1000">x</td></tr>' * 3_500 + "</table>",
    "a long cell": f"<table><tr><td>{'x ' * 95_000}</td></tr></table>",
    "different tags": "<table><tr><td>" + "".join(f"<a{i}>" for i in range(20_000)) + "</td></tr></table>",
    "attributes": "<table " + "a=1 " * 49_000 + "><tr><td>x</td></tr></table>",
    "bars": "|" * 199_000,
    "Markdown rows": "| a | b |\n" * 19_000,
    "comments": "<!--" * 49_000,
    "fences": "```\n" * 49_000,
    "combining marks": "a" + "\u0301" * 199_000,
    "zero-width characters": "\u200b" * 199_000,
    "unlike Han": "".join(chr(0x4E00 + i % 20_000) for i in range(199_000)),
    "open quotes": "> " * 49_000,
    "quotes in quotes": "\n".join("> " * i + "x" for i in range(300)),
    "backslashes": "\\" * 199_000,
    "dollars and words": "$ x " * 49_000,
    "open arrays": r"\begin{array}{l}a\\" * 9_000,
    "closed environments": r"\end{array}" * 18_000,
    "rows of a matrix": r"$$\begin{matrix}" + r"a & b \\ " * 9_000 + r"\end{matrix}$$",
    "a tower of scripts": "$$" + "x^{" * 3_000 + "x" + "}" * 3_000 + "$$",
    "nested brackets": "$$" + r"\left( " * 9_000 + "x" + r"\right) " * 9_000 + "$$",
    "double scripts": "$$" + "x^a^b" * 9_000 + "$$",
    "colours": r"$$\color{red}{x}" * 9_000,
    "entities": "&#x41;" * 33_000,
    "open entities": "&#" * 99_000,
    "emphasis": "**a** _b_ " * 19_000,
    "open emphasis": "*" * 199_000,
    "links": "[a](b)" * 33_000,
    "open links": "[a](" * 49_000,
    "marks of notes": "[^1] " * 39_000,
    "notes": "[^1]: x\n\n" * 19_000,
    "spans of many digits": f'<table><tr><td colspan="{"9" * 190_000}">x</td></tr></table>',
    "rows without cells": "<table>" + "<tr>" * 39_000,
    "cells without rows": "<td>" * 49_000,
    "tables and words": "<table>x</table>y" * 11_000,
    "escaped bars": r"| a \| b |" + "\n|-|\n" + r"| a \| b |" * 15_000,
    "bars of one row": "|" + " a |" * 49_000,
    "OTSL": "<otsl>" + "<fcel>x<nl>" * 15_000 + "</otsl>",
    "open OTSL": "<fcel>" * 30_000,
    "numbers": "1.5% -7 " * 24_000,
    "one long number": "1" * 199_000,
    "right to left": "\u202e\u05d0\u05d1 " * 45_000,
    "joined faces": "\U0001f468\u200d" * 90_000,
    "Hangul": "\uac00\ub098 " * 60_000,
    "tabs": "\t" * 199_000,
    "carriage returns": "\r" * 199_000,
    "tags that are none": "<x " * 60_000,
    "attributes that stay open": '<table a="' * 19_000,
    "CDATA": "<![CDATA[" * 22_000,
    "style": "<style>" * 28_000,
    "a title again and again": "# A\n\nb 1.5\n\n" * 15_000,
    "half surrogates": "\ud800" * 1_000,
    "nulls": "\x00" * 199_000,
}  # fmt: skip


#: Each kind of garbage with one task in turn; with the others where there is time.
GARBAGE = [
    pytest.param(task, what, marks=[] if (i + k) % len(TASKS) == 0 else [pytest.mark.slow])
    for i, what in enumerate(HEAVY)
    for k, task in enumerate(TASKS)
]


@pytest.mark.parametrize(("task", "what"), GARBAGE)
@pytest.mark.timeout(60)  # a guard against hanging
def test_garbage_is_bounded_in_time_and_worth_nothing(task: str, what: str) -> None:
    result = score(HEAVY[what], GOLDS[task], task)
    assert 0.0 <= result.value < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("what", HEAVY)
@pytest.mark.timeout(300)  # a guard against hanging
def test_heavy_golds_are_refused_or_scored_in_bounded_time(what: str) -> None:
    for task in TASKS:
        try:
            score(HEAVY[what] + "?", HEAVY[what], task)
        except GoldError:
            continue
