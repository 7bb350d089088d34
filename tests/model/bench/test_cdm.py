import json

import pytest

from proofpress.flows.typesetting import Typesetting
from proofpress.model.bench.cdm import cdm, look, tokens

#: Upstream takes a backslash for an n, by a slip of its table.
SLIPS = {"cdm_same_token-039"}
ARGUMENT = {r"\widehat", r"\hat", r"\widetilde", r"\tilde"}


@pytest.fixture(scope="module")
def typeset():
    with Typesetting() as typesetting:
        yield typesetting


def cases(shared, name):
    return [json.loads(line) for line in (shared / "data/cases" / f"{name}.jsonl").open(encoding="utf-8")]


def value(typeset, prediction, gold):
    return cdm(*typeset([prediction, gold])).value


def test_tokens_that_look_alike_are_alike(shared, typeset):
    def shown(token):
        if token.startswith(r"\left"):
            token = rf"{token} x \right."
        elif token.startswith(r"\right"):
            token = rf"\left. x {token}"
        elif token in ARGUMENT:
            token += "{x}"
        elif token.startswith(r"\text"):
            token = rf"\text{{{token}}}"
        [layout] = typeset([token])
        return [look(glyph.text) for glyph in tokens(layout) if glyph.text != "x"]

    for row in cases(shared, "cdm_same_token"):
        assert (shown(row["a"]) == shown(row["b"])) is (row["cdm_same"] and row["id"] not in SLIPS), row["id"]


def test_pairs_of_upstreams_issues(shared, typeset):
    for row in cases(shared, "cdm_issue_pairs"):
        found = value(typeset, row["pred"], row["gold"])
        assert found == row["expected"] if row["expected"] is not None else 0 < found < 1


@pytest.mark.parametrize(
    "latex", ["x", "x^2", r"\frac{a}{b}", r"\sqrt{ab}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "中文"]
)
def test_a_formula_has_all_of_itself(typeset, latex):
    assert value(typeset, latex, latex) == 1


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("a+b=c+d", "a+b=c", 10 / 12),  # what is added costs precision
        ("a+b", "a+b=c", 6 / 8),
        ("E=mc^3", "E=mc^2", 8 / 10),
        ("a/b", r"\frac{a}{b}", 4 / 6),  # a bar is not a slash
        ("b", "a", 0),
        (r"\nosuch{x}", "x", 0),
        ("", "x", 0),
        (r"\color{#cc0000}x+y", "x+y", 1),  # upstream's red is an error
        (r"\left( x \right)", "(x)", 1),
    ],
)  # fmt: skip
def test_f1_of_glyphs(typeset, prediction, gold, expected):
    assert value(typeset, prediction, gold) == pytest.approx(expected)


def test_a_gold_that_is_no_formula_has_no_value(typeset):
    assert cdm(*typeset(["x", r"\frac{"])) is None
    assert cdm(*typeset(["x", ""])) is None


def test_tokens_far_from_their_place_do_not_count(typeset):
    there = r"a \hspace{20em} b + c + d + e + f"
    assert value(typeset, r"b + c + d + e + f \hspace{20em} a", there) < 1


def test_the_same_layouts_give_the_same_value_again(typeset):
    long = "+".join(f"x_{{{i}}}" for i in range(60))
    first, second = (cdm(*typeset([long.replace("x_{7}", "y"), long])) for _ in range(2))
    assert first == second and 0.9 < first.value < 1
