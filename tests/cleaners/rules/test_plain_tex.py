"""Plain TeX and old LaTeX in KaTeX's spelling."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.cleaners.rule import KEEP, Fix
from proofpress.cleaners.rules import plain_tex as rules
from proofpress.pages.latex import normal_form, render_html


@pytest.mark.parametrize(
    ("judge", "latex", "text"),
    [
        (rules.words, r"\sum\sp f_{j=1}a\sb2", r"\sum^ f_{j=1}a_2"),
        (rules.words, r"\partial\!\!\!\slash", r"\partial\!\!\!/"),
        (rules.words, r"{\mit\Gamma}", r"{\it\Gamma}"),
        (rules.words, r"|\L_3)", r"|\text{Ł}_3)"),
        (rules.no_ink, r"a\vspace{3mm}\\ \smallskip b", r"a\\  b"),
        (rules.no_ink, r"\alpha\hfill b", r"\alpha b"),
        (rules.boxes, r"\mbox{for $x$}", r"\text{for $x$}"),
        (rules.boxes, r"\mbox{\boldmath $ \pi$}", r"\boldsymbol{\pi}"),
        (rules.boxes, r"\vbox{\hbox{1}}", r"\hbox{1}"),
        (rules.matrices, r"\matrix{1 & 0 \cr 0 & 1 \cr}", r"\begin{matrix}1 & 0 \cr 0 & 1 \cr\end{matrix}"),
        (rules.matrices, r"\pmatrix {a}", r"\begin{pmatrix}a\end{pmatrix}"),
        (rules.matrices, r"\cases{a &if $x$\cr b &\cr}", r"\begin{cases}a & \text{if $x$} \\ b\end{cases}"),
        (rules.stacks, r"a \buildrel ? \over = b", r"a \stackrel{?}{=} b"),
        (rules.stacks, r"\buildrel {x \over y} \over {ab}", r"\stackrel{{x \over y}}{ab}"),
        (rules.accents, r"\bar\mathcal V(x)", r"\bar{\mathcal V}(x)"),
        (rules.accents, r"\widetilde \mathcal{P}^2", r"\widetilde{\mathcal{P}}^2"),
        (rules.accents, r"\int \d E", r"\int \text{Ẹ}"),
        (rules.bare_scripts, r"\,^{*}d", r"\,{}^{*}d"),
        (rules.bare_scripts, r"\Phi_{\!_0}", r"\Phi_{\!{}_0}"),
        (rules.bare_scripts, r"a\, '", r"a\, {}'"),
    ],
)  # fmt: skip
def test_an_old_spelling_becomes_one_that_katex_draws(judge, latex: str, text: str):
    verdict = judge(latex)
    assert isinstance(verdict, Fix) and verdict.text == text
    if r"\over" not in text and text != r"a\\  b":
        assert render_html(text, display=True)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"a \over b", r"\frac{a}{b}"),
        (r"{a\over2}", r"{\frac{a}{2}}"),
        (r"x^{2\over 1+y^{2}}", r"x^{\frac{2}{1+y^{2}}}"),
        (r"{{a\over b}\over c}", r"{\frac{{\frac{a}{b}}}{c}}"),
        (r"\left( a \over b \right)^2", r"\left(\frac{a}{b}\right)^2"),
        (r"\left\{ a \over b \right\}", r"\left\{\frac{a}{b}\right\}"),
        (r"\begin{array}{cc} a \over b & c \\ d & e \over f \end{array}",
         r"\begin{array}{cc}\frac{a}{b}& c \\ d &\frac{e}{f}\end{array}"),
        (r"{\alpha\over\beta}r", r"{\frac{\alpha}{\beta}}r"),
        (r"{\displaystyle a \over b}", r"{\frac{\displaystyle a}{b}}"),
        (r"{a \over b \ }", "{\\frac{a}{b \\ }}"),
    ],
)  # fmt: skip
def test_over_divides_what_its_group_holds(latex: str, text: str):
    assert rules.fractions(latex).text == text
    assert normal_form(text) == normal_form(latex)


@pytest.mark.parametrize("latex", [r"\overline{a}", r"a \over b \over c", r"{a \over b", r"a"])
def test_what_has_no_over_or_an_ambiguous_one_is_left(latex: str):
    assert rules.fractions(latex) == KEEP


formula = st.recursive(
    st.sampled_from(["a", "b2", r"\alpha", r"x^{2}", r"\hat r", " "]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: rf"{{{p[0]} \over {p[1]}}}"),
        st.tuples(inner, inner).map(lambda p: rf"\left({p[0]}\over {p[1]}\right]"),
        st.tuples(inner, inner).map(lambda p: rf"\begin{{matrix}}{p[0]}\over c&{p[1]}\\d\end{{matrix}}"),
        st.tuples(inner, inner).map(" ".join),
        inner.map(lambda one: rf"\sqrt{{{one}}}"),
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(formula)
def test_writing_over_as_a_fraction_does_not_change_what_is_drawn(latex: str):
    verdict = rules.fractions(latex)
    if isinstance(verdict, Fix):
        assert r"\over" not in verdict.text.replace(r"\overline", "")
        assert normal_form(verdict.text) == normal_form(latex)
