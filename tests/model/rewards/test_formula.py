import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.formula import bare, compare
from proofpress.model.rewards.scoring import GoldError
from proofpress.pages.latex import is_valid

#: Pairs that other checkers take for equal in one direction or both.
DIFFERENT = [
    ("x^2", "x_2"),
    ("x^2", "x2"),
    ("x^{2}y", "x^{2y}"),
    ("x^{y^z}", "x^{yz}"),
    ("x_{a}^{b}", "x_{b}^{a}"),
    (r"\sqrt{a}b", r"\sqrt{ab}"),
    (r"\sqrt{ab}", "ab"),
    (r"\sqrt[3]{a}", r"3\sqrt{a}"),
    (r"\overline{ab}", "ab"),
    (r"\underline{ab}", r"\overline{ab}"),
    (r"\hat{a}b", r"\hat{ab}"),
    (r"\cancel{a}", "a"),
    (r"\frac{a}{b}", r"\binom{a}{b}"),
    (r"\frac{a}{b}", r"\frac{b}{a}"),
    (r"\frac{1}{\frac{a}{b}}", r"\frac{\frac{1}{a}}{b}"),
    (r"\mathbb{R}", "R"),
    (r"\mathcal{L}", "L"),
    (r"\mathbf{x}", "x"),
    (r"\phi", r"\varphi"),
    ("X", "x"),
    ("x+y", "x"),
    ("x+y", "x-y"),
    ("1.5", "15"),
    ("a+b+c", "a+c+b"),
    (r"\sum_{i=1}^{n} i", r"\sum_{i=1}^{m} i"),
    (r"\begin{matrix}a&b\\c&d\end{matrix}", r"\begin{matrix}a&c\\b&d\end{matrix}"),
    (r"\begin{matrix}a&b\\c&d\end{matrix}", r"\begin{matrix}a&b&c&d\end{matrix}"),
    (r"\begin{pmatrix}a\end{pmatrix}", r"\begin{bmatrix}a\end{bmatrix}"),
    ("(a)", "[a]"),
    ("a=b", "a=b+1"),
]

SAME = [
    (r"a \le b", r"a\leq b"),
    (r"\frac{a}{b}", r"{a \over b}"),
    ("x^2", "x^{2}"),
    ("{a}+{b}", "a+b"),
    ("x ^ 2", "x^2"),
    (r"\dfrac{a}{b}", r"\frac ab"),
    ("x_1^2", "x^2_1"),
]

formulas = st.recursive(
    st.sampled_from(["x", "y", "2", r"\alpha", "+", "="]),
    lambda inner: st.one_of(
        st.builds("{} {}".format, inner, inner),
        st.builds("{{{}}}^{{{}}}".format, inner, inner),
        st.builds(r"\frac{{{}}}{{{}}}".format, inner, inner),
        st.builds(r"\sqrt{{{}}}".format, inner),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_formulas_that_look_different_are_different_both_ways(one: str, other: str) -> None:
    forth, back = compare([one], [other]), compare([other], [one])
    assert forth.status == "ok"
    assert forth.value == pytest.approx(back.value)
    assert forth.value < 1.0


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_formula_are_equal(one: str, other: str) -> None:
    assert compare([one], [other]).value == 1.0


@pytest.mark.parametrize("formula", ["x", "$x$", "$$ x $$", r"\(x\)", r"\[ x \]", " x\n"])
def test_delimiters_are_no_part_of_a_formula(formula: str) -> None:
    assert bare(formula) == "x"


@settings(max_examples=60, deadline=None)
@given(formulas, formulas)
def test_the_value_is_bounded_symmetric_and_1_for_equal_formulas(one: str, other: str) -> None:
    assert compare([one], [one]).value == 1.0
    assert 0.0 <= compare([one], [other]).value <= 1.0
    assert compare([one], [other]).value == pytest.approx(compare([other], [one]).value)


@settings(max_examples=60, deadline=None)
@given(formulas, st.sampled_from(["+1", "x", r"\beta", r"\frac{a}{b}", "=0", "abcdefghijklmnopqrstuvwxyz"]))
def test_what_is_added_costs_as_what_is_missing(gold: str, more: str) -> None:
    assert compare([f"{gold} {more}"], [gold]).value < 1.0
    assert compare([gold], [f"{gold} {more}"]).value < 1.0


def test_one_wrong_symbol_costs_little_and_each_further_one_more() -> None:
    gold = "a+b+c+d+e+f"
    values = [compare([wrong], [gold]).value for wrong in (gold, "a+b+c+d+e+z", "a+b+c+d+y+z", "a+b+c+x+y+z", "q")]
    assert values == sorted(values, reverse=True)
    assert 0.8 < values[1] < 1.0


def test_a_wrong_frame_costs_less_than_wrong_content() -> None:
    gold = r"\overline{a+b=c+d}"
    assert compare(["a+b=c+d"], [gold]).value > compare([r"\overline{p-q<r-s}"], [gold]).value


def test_several_formulas_are_compared_in_order() -> None:
    assert compare(["x", "y"], ["x", "y"]).value == 1.0
    assert compare(["y", "x"], ["x", "y"]).value < 1.0
    assert compare(["xy"], ["x", "y"]).value < 1.0
    assert compare(["x"], ["x", "y"]).value < 1.0
    assert compare(["x", "y", "z"], ["x", "y"]).value < 1.0


@pytest.mark.parametrize("prediction", [r"\frac{a}{", r"\nosuch{x}", "x^2^3", "a & b", "}", "x" * 30_000])
def test_what_katex_does_not_take_matches_nothing_and_is_named(prediction: str) -> None:
    result = compare([prediction], ["x^2"])
    assert (result.value, result.status, result.parts["validity"]) == (0.0, "unparseable", 0.0)
    assert prediction[:20] in result.evidence
    half = compare(["x^2", prediction], ["x^2"])
    assert 0.0 < half.value < 1.0
    assert half.parts["validity"] == 0.5


@pytest.mark.parametrize("prediction", [[], [""], [" "]])
def test_an_empty_prediction_scores_nothing_and_says_so(prediction: list[str]) -> None:
    result = compare(prediction, ["x"])
    assert (result.value, result.status) == (0.0, "empty")


@pytest.mark.parametrize("gold", [[], [""], [r"\quad"], [r"\frac{"], [r"\nosuch"], ["x", r"\frac{"]])
def test_a_gold_that_shows_nothing_or_is_not_valid_is_refused(gold: list[str]) -> None:
    with pytest.raises(GoldError):
        compare(["x"], gold)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=r"\{}^_&$%~# abfrac12", max_size=30))
def test_garbage_has_a_value(garbage: str) -> None:
    assert 0.0 <= compare([garbage], [r"\frac{a}{b}"]).value <= 1.0


#: Pairs that upstream's suite has for equal, since it asks whether one is found in the other and sees no fonts.
CONTAINED = {
    "formula_pairs-0010": "a full stop more",
    "formula_pairs-0031": "an upright x and an italic one",
    "formula_pairs-0034": "words before the formula",
    "formula_pairs-0036": "the conditions of the cases stand in a column of their own",
}
#: Tokens that CDM counts as one and the eye does not, or that are no formulas.
TOKENS_APART = {
    "cdm_same_token-005": r"\prime alone stands on the line, ' is raised",
    "cdm_same_token-027": "a command without its argument; wide accents are wide",
    "cdm_same_token-028": "a command without its argument; wide accents are wide",
    "cdm_same_token-030": "two shapes",
    "cdm_same_token-031": "two shapes",
    "cdm_same_token-034": "half a pair of delimiters",
    "cdm_same_token-035": "half a pair of delimiters",
    "cdm_same_token-039": "an upstream slip",
}
#: Commands of SymPy's own dialect, which no LaTeX has.
NOT_LATEX = re.compile(r"\\(variable|lcm|arccosh|arctanh|artanh|exponentialE|floor|ceil)\b|\\left\{")


def cases(shared: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / f"data/cases/{name}.jsonl").read_text().splitlines()]


def test_published_probes_have_the_verdict_of_the_eye(shared: Path) -> None:
    for pair in cases(shared, "katex_probe_pairs"):
        if pair["same_rendering"] is not None:
            same = compare([pair["a"]], [pair["b"]]).value == 1.0
            assert same == pair["same_rendering"], pair


def test_published_pairs_are_the_same_where_they_look_the_same(shared: Path) -> None:
    for pair in cases(shared, "formula_pairs"):
        if pair["sense"].startswith("render") and pair["equal"] is not None:
            same = compare([pair["b"]], [pair["a"]]).value == 1.0
            assert same == (pair["equal"] and pair["id"] not in CONTAINED), pair


def test_what_is_not_equal_as_mathematics_is_not_the_same_on_paper(shared: Path) -> None:
    pairs = [pair for pair in cases(shared, "formula_pairs") if pair["sense"].startswith("semantic")]
    different = [pair for pair in pairs if not pair["equal"] and is_valid(bare(pair["a"]), display=True)]
    assert len(different) > 20
    for pair in different:
        assert compare([bare(pair["b"])], [bare(pair["a"])]).value < 1.0, pair


def test_tokens_that_look_the_same_are_the_same(shared: Path) -> None:
    for pair in cases(shared, "cdm_same_token"):
        if pair["id"] not in TOKENS_APART:
            assert compare([pair["b"]], [pair["a"]]).value == 1.0, pair
    assert compare([r"x^\prime"], ["x'"]).value == 1.0


def test_pairs_that_break_cdm_have_their_values(shared: Path) -> None:
    for pair in cases(shared, "cdm_issue_pairs"):
        value = compare([pair["pred"]], [pair["gold"]]).value
        assert value == 1.0 if pair["expected"] == 1.0 else 0.5 < value < 1.0, pair["id"]


def test_recorded_readings_are_neither_right_nor_worthless(shared: Path) -> None:
    for pair in cases(shared, "formula_edit_pairs"):
        result = compare([bare(pair["pred"])], [bare(pair["gold"])])
        assert 0.0 <= result.value < 1.0, pair["id"]
        assert result.status in ("ok", "unparseable")


def test_what_a_stricter_parser_reads_is_a_formula(shared: Path) -> None:
    for case in cases(shared, "latex_sympy_cases"):
        if case["parses"] and not NOT_LATEX.search(case["latex"]):
            assert compare([case["latex"]], [case["latex"]]).value == 1.0, case["id"]
