import pytest

from proofpress.generators.content import mathml
from proofpress.pages.latex import LatexError


@pytest.mark.parametrize(
    ("latex", "letters"),
    [
        (r"\mathbb{R}", "ℝ"), (r"\mathbb{A}", "𝔸"), (r"\mathcal{A}", "𝒜"), (r"\mathcal{B}", "ℬ"),
        (r"\mathfrak{g}", "𝔤"),
        (r"\mathbf{v}", "𝐯"), (r"\mathbf{3}", "𝟑"), (r"\boldsymbol{\alpha}", "𝜶"), (r"\mathsf{T}", "𝖳"),
    ],
)  # fmt: skip
def test_letters_of_other_alphabets_are_their_own_characters(latex, letters):
    written = mathml.typeset(latex, False)
    assert letters in written and 'mathvariant="normal"' in written


@pytest.mark.parametrize(
    "latex", [r"\boxed{x}", r"\cancel{x}", r"\color{red}{x}", r"\begin{array}{c|c} a & b \end{array}", r"\phantom{x} y"]
)
def test_what_the_browser_would_set_otherwise_is_refused(latex):
    with pytest.raises(LatexError):
        mathml.typeset(latex, True)
    assert not mathml.accepted(latex, True, "STIX Two Math")


def test_formulas_are_at_hand_after_many_others_were_forgotten(monkeypatch):
    monkeypatch.setattr(mathml, "KEPT", 2)
    first = [(letter, True) for letter in "abcd"]
    mathml.prepare(first)
    before = [mathml.typeset(*formula) for formula in first]
    mathml.prepare([("d", True), ("e", True)])
    assert mathml.known("d", True) and mathml.known("e", True)
    assert [mathml.typeset(*formula) for formula in first] == before
    assert all(mathml.accepted(*formula, "STIX Two Math") for formula in first)


def test_what_katex_refuses_is_refused():
    with pytest.raises(LatexError):
        mathml.typeset(r"\frac{a}{", True)


@pytest.mark.parametrize("family", ["STIX Two Math", "Noto Sans Math"])
@pytest.mark.parametrize(
    "latex",
    [
        r"\int_0^1 \frac{x^2}{\sqrt{1+x}}\,dx",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"f(x) = \begin{cases} 1, & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        r"\begin{aligned} a &= b \\ &= c \end{aligned}",
        r"\widehat{AB} + \vec{v} \cdot \tilde{x}",
        r"\mathrm{H_2O} \rightarrow \mathrm{OH^-}",
    ],
)  # fmt: skip
def test_both_fonts_set_what_formulas_are_made_of(latex, family):
    assert mathml.accepted(latex, True, family)


def test_the_source_is_not_on_the_page():
    assert "annotation" not in mathml.typeset(r"\frac{a}{b}", True) and r"\frac" not in mathml.typeset(
        r"\frac{a}{b}", True
    )


def test_columns_are_aligned_as_katex_aligns_them():
    written = mathml.typeset(r"\begin{aligned} a &= b \end{aligned}", True)
    assert "text-align: right; padding: 0.35ex 0 0.35ex 0em" in written and "text-align: left" in written


def test_a_character_that_the_font_lacks_is_seen():
    assert not mathml.accepted(r"\text{中}", False, "STIX Two Math")
