import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards import MAX_CHARACTERS, GoldError, score

TASKS = ["page", "form", "text", "table", "formula"]

TEXT = "The river rose by 1.5% in May, and 12 of the 40 gauges along it were flooded within -3 hours of rain."
MEDIOCRE_TEXT = "The riven rose by 1.5% in Moy, and 12 of the 4O gauges olong it wene flooded within -3 hours of ram."

FORMULA = r"\sum_{i=1}^{n} x_i^2 = \frac{a+b}{\sqrt{c}}"
MEDIOCRE_FORMULA = r"\sum_{i=1}^{n} x_j^2 = \frac{a-b}{\sqrt{c}}"

TABLE = (
    "<table><tr><th>City</th><th>Mean</th><th>Share</th></tr><tr><td>Basel</td><td>1.5</td><td>20%</td></tr>"
    "<tr><td>Bern</td><td>-7</td><td></td></tr><tr><td>Total</td><td>-5.5</td><td>100%</td></tr></table>"
)
ROWS = re.findall("<tr>.*?</tr>", TABLE)
MEDIOCRE_TABLE = TABLE.replace("Basel", "Base1").replace("-7", "7").replace("Mean", "Moan")
BLANK_TABLE = "<table>" + "<tr><td></td><td></td><td></td></tr>" * 4 + "</table>"
OTHER_TABLE = re.sub(r"(?<=>)[^<]+(?=<)", "other", TABLE)

PAGE = f"# Floods\n\n{TEXT}\n\n$${FORMULA}$$\n\nWhere $x_i$ is the level, in m.\n\n{TABLE}"
MEDIOCRE_PAGE = (
    f"# Floods\n\n{MEDIOCRE_TEXT}\n\n$${MEDIOCRE_FORMULA}$$\n\nWhere $x_i$ is the 1evel, in m.\n\n{MEDIOCRE_TABLE}"
)

GOLD = {
    "text": (TEXT, MEDIOCRE_TEXT),
    "formula": (FORMULA, MEDIOCRE_FORMULA),
    "table": (TABLE, MEDIOCRE_TABLE),
    "page": (PAGE, MEDIOCRE_PAGE),
}

ADVERSARIAL = [
    ("text", "nothing", ""),
    ("text", "white space", " \n\t "),
    ("text", "a fragment", "The river rose"),
    ("text", "one word", "the"),
    ("text", "the right numbers alone", "1.5% 12 40 -3"),
    ("text", "the words in alphabetical order", " ".join(sorted(TEXT.split()))),
    ("text", "the words backwards", " ".join(reversed(TEXT.split()))),
    ("text", "the text twice", f"{TEXT} {TEXT}"),
    ("text", "the text and a loop", TEXT + " of rain" * 40),
    ("text", "other numbers and no words", "17 18 19 20"),
    ("text", "an invented formula beside it", f"{TEXT} $E=mc^2$"),
    ("text", "an invented table beside it", f"{TEXT}\n\n{TABLE}"),
    ("text", "the text as a formula", f"$\\text{{{TEXT.replace('%', '')}}}$"),
    ("text", "the text as a table", f"<table><tr><td>{TEXT}</td></tr></table>"),
    ("formula", "nothing", ""),
    ("formula", "empty delimiters", "$$ $$"),
    ("formula", "blanks", r"\quad\quad"),
    ("formula", "what does not parse", r"\frac{"),
    ("formula", "the formula and what does not parse", FORMULA + r"\frac{"),
    ("formula", "the formula and the alphabet", FORMULA + r" a b c d e f g h i j k l m n o p q r s t u v w x y z"),
    ("formula", "the formula twice", f"{FORMULA} = {FORMULA}"),
    ("formula", "its symbols without structure", "i=1nxi2=a+bc"),
    ("formula", "its symbols sorted", "++112===abciinnx"),
    ("formula", "one symbol", "x"),
    ("formula", "a frame with nothing in it", r"\sum_{}^{} = \frac{}{\sqrt{}}"),
    ("formula", "its source as text", r"\texttt{sum i=1 n xi2 = a+b/c}"),
    ("table", "nothing", ""),
    ("table", "no table", "City Mean Share Basel 1.5 20% Bern -7 Total -5.5 100%"),
    ("table", "an open tag", "<table>"),
    ("table", "a blank grid of the right shape", BLANK_TABLE),
    ("table", "the right shape with other content", OTHER_TABLE),
    ("table", "one right cell", "<table><tr><td>City</td></tr></table>"),
    ("table", "all content in one cell", "<table><tr><td>City Mean Share Basel 1.5 20% Bern -7</td></tr></table>"),
    ("table", "a blank grid beside it", TABLE + BLANK_TABLE + BLANK_TABLE * 8),
    ("table", "the table twice", TABLE + TABLE),
    ("table", "the table three times", TABLE * 3),
    ("table", "the heading row alone", TABLE.split("</tr>")[0] + "</tr></table>"),
    ("table", "rows upside down", f"<table>{''.join(ROWS[::-1])}</table>"),
    ("table", "each cell in a row of its own", re.sub(r"</(t[hd])><t", r"</\1></tr><tr><t", TABLE)),
    ("table", "the table and a loop of rows", f"<table>{''.join(ROWS)}{ROWS[-1] * 30}</table>"),
    ("page", "nothing", ""),
    ("page", "the title alone", "# Floods"),
    ("page", "the text without formulas and tables", f"# Floods\n\n{TEXT}\n\nWhere is the level, in m."),
    ("page", "the table alone", TABLE),
    ("page", "the formula alone", f"$${FORMULA}$$"),
    ("page", "kinds without content", f"# x\n\n$$x$$\n\n{BLANK_TABLE}"),
    ("page", "the page twice", f"{PAGE}\n\n{PAGE}"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "what", "prediction"), ADVERSARIAL)
def test_no_trick_pays_as_much_as_a_mediocre_reading(task: str, what: str, prediction: str) -> None:
    gold, mediocre = GOLD[task]
    honest = score(mediocre, gold, task).value
    assert 0.5 < honest < 1.0
    assert score(prediction, gold, task).value < honest, what


@pytest.mark.parametrize("task", GOLD)
def test_the_gold_scores_1_in_each_part(task: str) -> None:
    result = score(GOLD[task][0], GOLD[task][0], task)
    assert (result.value, result.status) == (1.0, "ok")
    assert set(result.parts.values()) == {1.0}


@pytest.mark.parametrize("invented", ["$E=mc^2$", "$$E$$", TABLE])
def test_what_is_invented_costs_on_a_page_that_has_none_of_it(invented: str) -> None:
    assert score(f"{TEXT}\n\n{invented}", TEXT, "page").value < 0.6


@pytest.mark.parametrize("prediction", ["# Floods\n\n", "", "x"])
def test_blocks_out_of_order_cost(prediction: str) -> None:
    gold = f"{prediction}\n\n{TEXT}\n\n$$E$$\n\nWhere E is the energy."
    moved = f"{prediction}\n\nWhere E is the energy.\n\n$$E$$\n\n{TEXT}"
    assert score(moved, gold, "page").value < score(gold, gold, "page").value


def test_a_formula_in_the_wrong_place_costs() -> None:
    assert score("$x$ is the level of y.", "The level of y is $x$.", "text").value < 0.9


def test_headings_and_lists_are_part_of_the_page() -> None:
    assert score("Floods\n\none\n\ntwo", "# Floods\n\n- one\n- two", "page").value < 1.0


def test_a_loop_at_the_end_is_a_part_unless_the_gold_has_it() -> None:
    looping = TEXT + " of rain" * 40
    assert score(looping, TEXT, "text").parts["repetition"] < 0.4
    assert score(looping, looping, "text").parts["repetition"] == 1.0
    assert score(BLANK_TABLE * 9, TABLE, "table").parts["repetition"] == 1.0


@pytest.mark.parametrize(
    ("task", "gold"),
    [
        ("text", ""),
        ("page", " \n"),
        ("formula", ""),
        ("formula", "$$ $$"),
        ("formula", r"\frac{a"),
        ("formula", r"\label{x} y"),
        ("table", "a | b"),
        ("table", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
        ("page", f"{TEXT}\n\n$$\\frac{{$$"),
        ("page", f"{TEXT}\n\n<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
        ("text", "x" * (MAX_CHARACTERS + 1)),
    ],
)
def test_a_gold_that_would_not_score_1_is_refused(task: str, gold: str) -> None:
    with pytest.raises(GoldError):
        score("x", gold, task)


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(ValueError, match="chart"):
        score("x", "x", "chart")


def test_a_runaway_prediction_is_not_read_and_says_so() -> None:
    result = score("x " * MAX_CHARACTERS, TEXT, "text")
    assert (result.value, result.status) == (0.0, "timeout")


@pytest.mark.parametrize(
    ("task", "prediction"),
    [
        ("table", "<table>" + "<tr><td>0</td></tr>" * 10_000 + "</table>"),
        ("table", "<table>" * 5_000),
        ("table", "<table><tr>" + "<td>1" * 20_000),
        ("table", "<table><tr><td rowspan=1000 colspan=1000>x</table>"),
        ("table", ("<table><tr><td>a</td></tr></table>") * 3_000),
        ("formula", "{" * 15_000),
        ("formula", "x" * 15_000),
        ("formula", r"\def\x{\x\x}\x"),
        ("text", "loop " * 30_000),
        ("page", "$" * 50_000),
        ("page", "# \n\n" * 20_000),
        ("page", "$x$ " * 5_000),
    ],
)
@pytest.mark.timeout(60)  # a guard against hanging
def test_hostile_predictions_take_bounded_time(task: str, prediction: str) -> None:
    assert score(prediction, GOLD[task][0], task).value < 0.5


PIECES = [
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "$",
    "$$",
    "\\",
    "\\frac{",
    "}",
    "{",
    "^",
    "_",
    "&",
    "\n",
    "\n\n",
]
PIECES += [
    "# ",
    "- ",
    "|",
    "a",
    "1.5",
    " ",
    "é",
    "\ufffc",
    "\ue000",
    "\x00",
    "\u202e",
    "```",
    "[^1]: ",
    "<td colspan=2>",
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from(sorted(GOLD)))
def test_garbage_has_a_value_in_bounds(garbage: str, task: str) -> None:
    result = score(garbage, GOLD[task][0], task)
    assert 0.0 <= result.value <= 1.0
    assert all(0.0 <= part <= 1.0 for part in result.parts.values())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from(TASKS))
def test_whatever_is_accepted_as_gold_scores_1_against_itself(garbage: str, task: str) -> None:
    try:
        result = score(garbage, garbage, task)
    except GoldError:
        return
    assert result.value == 1.0
