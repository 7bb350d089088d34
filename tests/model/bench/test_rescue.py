import pytest

from proofpress.model.bench.blocks import RESCUED, predicted_blocks
from proofpress.model.bench.rescue import (
    as_formula,
    formulas_in_cells,
    is_name,
    looks_like_formula,
    side_by_side,
    text_of_div,
    without_inline_marks,
    without_margins,
)


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("3 + 4 = 7", True),
        ("$x$ = 1", True),
        ("A + B → C", True),
        ("□ + 3", True),
        ("a + b - c = d", True),
        ("The level rose by 3 + 4 metres = 7 metres", False),
        ("In 1876 it fell.", False),
        ("", False),
        ("1 + 1 = 2 " * 30, False),
    ],
)
def test_a_line_that_looks_like_a_formula(text, looks):
    assert looks_like_formula(text) is looks


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("3 × 4 ≤ 20 %", r"\[ 3 \times 4 \leq 20 \% \]"),
        ("$a$ + \\(b\\)", r"\[ a + b \]"),
        (r"A \xrightarrow{heat} B", r"\[ A \xrightarrow{\text{heat}} B \]"),
        (r"\begin{array}{l}a\end{array}", r"\begin{array}{l}a\end{array}"),
        (" ", ""),
    ],
)
def test_it_is_written_as_a_displayed_formula(text, latex):
    assert as_formula(text) == latex


def test_cells_that_are_sums_are_found_in_their_order():
    table = "<table><tr><td>3 + 4 = 7</td><th>City</th></tr><tr><td>1 / 2 + 2 = x</td><td>12</td></tr></table>"
    found = list(formulas_in_cells(table))
    assert [latex for latex, _ in found] == [r"\[ 3 + 4 = 7 \]", r"\[ 1 / 2 + 2 = x \]"]
    assert found[0][1] < found[1][1]


@pytest.mark.parametrize(
    ("latex", "formula", "margins"),
    [
        (r"\[(12)\quad a=b\]", r"\[ a=b \]", ["(12)"]),
        (r"\[a=b \qquad \text{for all real numbers}\]", r"\[ a=b \]", [r"\text{for all real numbers}"]),
        (r"\[a=b \quad (the first law of motion)\]", r"\[ a=b \]", ["(the first law of motion)"]),
        (r"\[a=b \quad (3)\]", r"\[a=b \quad (3)\]", []),
        (r"\[f(x)\]", r"\[f(x)\]", []),
        (r"\[(12)\]", r"\[(12)\]", []),
    ],
)
def test_numbers_and_captions_leave_a_formula(latex, formula, margins):
    assert without_margins(latex) == (formula, margins)


def test_sums_that_stand_side_by_side_are_parted_and_other_formulas_are_not():
    assert side_by_side(r"\[3+4=7 \qquad 8-2=6\]") == [r"\[ 3+4=7 \]", r"\[ 8-2=6 \]"]
    for whole in (r"\[x \quad y\]", r"\[3+4=7\]", r"\[\left(3=2\right) \quad 3=4+1\]"):
        assert side_by_side(whole) == []


@pytest.mark.parametrize(
    ("latex", "name"),
    [(r"\[x1\]", True), (r"\[abc\]", True), (r"\[x=1\]", False), (r"\[x^2\]", False), (r"\[\]", False)],
)
def test_a_short_name_is_no_candidate(latex, name):
    assert is_name(latex) is name


def test_a_description_of_a_picture_and_a_div_are_text():
    assert without_inline_marks("The image shows $a$ and \\(b\\) side by side.") == (
        "The image shows a and b side by side."
    )
    assert without_inline_marks("It shows $a$.") == "It shows $a$."
    assert text_of_div("<div>a<br>b</div>") == "a\nb"
    assert text_of_div("a <div>b</div>") == "a <div>b</div>"


def kinds(markdown, edition):
    return [(block.kind, block.category) for block in predicted_blocks(markdown, edition)]


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("3 + 4 = 7", [("text", "text_block"), ("formula", "text_formula")]),
        ("![3 + 4 = 7](a.png)", [("formula", "image_formula")]),
        (
            "<table><tr><td>3 + 4 = 7</td></tr></table>",
            [("table", "html_table"), ("formula", "equation_isolated")],
        ),
        (r"A \xrightarrow{x} B", [("text", "text_block"), ("formula", "equation_isolated")]),
        ("$$(1) \\quad a=b$$", [("formula", "equation_isolated"), ("text", "equation_caption")]),
        ("It is $x1$.", [("text", "text_block")]),
    ],
)
def test_v1_6_cuts_more_formulas_out_of_a_page_than_v1_5(markdown, found):
    assert sorted(kinds(markdown, "v1.6")) == sorted(found)
    assert not RESCUED & {category for _, category in kinds(markdown, "v1.5")}
    assert kinds(markdown, "v1.5") != kinds(markdown, "v1.6")
