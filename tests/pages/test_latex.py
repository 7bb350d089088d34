import json
import multiprocessing
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.pages import latex
from proofpress.pages.latex import LatexError, is_valid, normal_form, parse, render_html, tree

SAME = [
    (r"\le", r"\leq"),
    (r"\to", r"\rightarrow"),
    (r"\alpha", "α"),
    (r"a\times b", "a×b"),
    (r"a-b", "a−b"),
    (r"\|x\|", r"\Vert x\rVert"),
    (r"\mid", "|"),
    (r"\{a\}", r"\lbrace a\rbrace"),
    ("{a}", "a"),
    ("{{a}b}", "ab"),
    ("x^2", "x^{2}"),
    ("x_a^b", "x^b_a"),
    ("f'", r"f^\prime"),
    (r"f''", r"f^{\prime\prime}"),
    (r"a \over b", r"\frac{a}{b}"),
    (r"\dfrac ab", r"\tfrac{a}{b}"),
    (r"\cfrac{1}{2}", r"\frac12"),
    (r"\binom nk", r"{n \choose k}"),
    (r"\binom nk", r"\begin{pmatrix}n\\k\end{pmatrix}"),
    (r"\left(\frac ab\right)", r"(\frac ab)"),
    (r"\bigl(x\Bigr)", "(x)"),
    (r"\left<x\right>", r"\langle x\rangle"),
    (r"\left.x\right|_0", "x|_0"),
    (r"{(a)}^2", r"\left(a\right)^2"),
    (r"a\,b\quad c\ d~e", "abcde"),
    (r"\displaystyle\sum_i x", r"\sum\limits_i x"),
    (r"{\large x}\color{red} y", "xy"),
    (r"x\phantom{y}", "x"),
    (r"\not=", r"\neq"),
    (r"\not\in", r"\notin"),
    (r"\not\leq", r"\nleq"),
    (r"{\rm x}", r"\mathrm{x}"),
    (r"{\bf x}", r"\mathbf x"),
    (r"\mathit{ab}", "ab"),
    (r"\mathbb R", "ℝ"),
    (r"\sin x", r"\operatorname{sin}x"),
    (r"\sin x", r"\mathrm{sin}\,x"),
    (r"\lim_{x\to0}", r"\mathop{\rm lim}_{x\to0}"),
    (r"\lim_{x\to0}", r"\underset{x\to0}{\lim}"),
    (r"\operatorname*{arg\,max}_x", r"\arg\max_x"),
    (r"\text{if }x", r"\mathrm{if}\ x"),
    (r"\text{for all}", r"\mathrm{for~all}"),
    (r"\text{café}", r"\text{caf\'e}"),
    (r"\textbf{AB}", r"\mathbf{A}\mathbf{B}"),
    (r"\stackrel ab", r"\overset{a}{b}"),
    (r"\begin{equation}x+y\end{equation}", "x+y"),
    (r"\begin{align}x+y\end{align}", "x+y"),
    (r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"\begin{gathered}a=b\\c=d\end{gathered}"),
    (r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"\begin{array}{rcl}a&=&b\\c&=&d\end{array}"),
    (r"\begin{cases}a&b\\c&d\end{cases}", r"\left\{\begin{array}{ll}a&b\\c&d\end{array}\right."),
    (r"\begin{bmatrix}a&b\end{bmatrix}", r"\left[\begin{matrix}a&b\\\end{matrix}\right]"),
    (r"\boxed{x}", r"\fbox{$x$}"),
    (r"x\tag{1}", r"x\qquad(1)"),
]

DIFFERENT = [
    ("x^2", "x_2"),
    ("x^2", "x2"),
    ("x^{2}y", "x^{2y}"),
    ("x^{y^z}", "x^{yz}"),
    ("{x_a}_b", "x_{ab}"),
    (r"\sqrt{a}b", r"\sqrt{ab}"),
    (r"\sqrt{a}", r"\sqrt[3]{a}"),
    (r"\overline{ab}", r"\overline{a}b"),
    (r"\bar W", r"\overline W"),
    (r"\hat x", r"\widehat x"),
    (r"\tilde x", r"\widetilde x"),
    (r"\vec x", r"\overrightarrow x"),
    (r"\overline{ab}", r"\underline{ab}"),
    (r"\frac{a}{b}", r"\binom{a}{b}"),
    (r"\frac{a}{b}", r"{a \atop b}"),
    (r"\frac{1}{\frac{a}{b}}", r"\frac{\frac{1}{a}}{b}"),
    (r"\mathbf x", "x"),
    (r"\mathbb R", "R"),
    (r"\mathcal L", r"\mathscr L"),
    (r"\mathrm d", "d"),
    (r"\boldsymbol x", r"\mathbf x"),
    (r"\boldsymbol\alpha", r"\alpha"),
    (r"\epsilon", r"\varepsilon"),
    (r"\sum_i", r"\Sigma_i"),
    (r"\cdot", r"\bullet"),
    (r"\ldots", r"\cdots"),
    (r"\emptyset", r"\varnothing"),
    ("1,000", "1000"),
    ("1.5", "15"),
    ("x", "X"),
    (r"\hat x", r"\tilde x"),
    (r"\text{for all}", r"\text{forall}"),
    (r"\overset{a}{b}", "b^a"),
    (r"\cancel{x}", "x"),
    (r"\boxed{x}", "x"),
    (r"\xrightarrow{a}", r"\xrightarrow[a]{}"),
    (r"\begin{matrix}a&b\\c&d\end{matrix}", r"\begin{matrix}a&c\\b&d\end{matrix}"),
    (r"\begin{matrix}a&\\&d\end{matrix}", r"\begin{matrix}&a\\d&\end{matrix}"),
    (r"\begin{array}{c|c}a&b\end{array}", r"\begin{array}{cc}a&b\end{array}"),
    (r"\begin{array}{c}a\\\hline b\end{array}", r"\begin{array}{c}a\\b\end{array}"),
    (r"\begin{pmatrix}a&b\end{pmatrix}", r"\begin{bmatrix}a&b\end{bmatrix}"),
]

REFUSED = {
    "an open group": r"\frac{",
    "an unknown command": r"\nosuch{x}",
    "two superscripts": "x^a^b",
    "too many characters": "x" * (latex.MAX_LATEX + 1),
    "groups nested too deep": "{" * 5000 + "}" * 5000,
    "nesting that KaTeX takes and we do not": r"\sqrt{" * 150 + "x" + "}" * 150,
    "a macro without end": r"\def\a{\a\a}\a",
    "a character of no font": "\x00",
    "half a character": "\ud800",
    "a space with a script": r"\, '",
    "a fraction whose bar has a script": r"a \over'b",
}

# What KaTeX draws or refuses with a reason that may change must still have a form that is read back as it is.
ODD = [
    "",
    r"\left.\right.",
    "{}^{14}C",
    "_a",
    "x^{}",
    r"\frac{}{}",
    r"\sqrt{}",
    r"\not",
    r"\not{}x",
    r"\not\mathrm{x}",
    r"\mathrm{a}\ \mathrm{b}^2",
    r"\mathrm{a}^2\mathrm{b}",
    r"\sin\cos\mathrm{d}x",
    r"\text{it's “q” -- a \& b}",
    r"\text{a $x^2$ b}",
    r"\text{\c{c}\textcircled{R}\textasciitilde}",
    "中文 + я",
    r"\overset{a}{\underset{b}{c}}^2",
    r"\overbrace{a+b}^{n}",
    r"\sqrt[]{x}",
    r"\xrightarrow[{]}]{a}",
    r"\begin{array}{|c|}\hline x\\\hline\end{array}",
    r"\begin{array}{c:c}a&b\\\hdashline\end{array}",
    r"\begin{array}{cc}&\\&\end{array}",
    r"\begin{CD}A@>f>>B\\@VgVV @AAA\\C@=D\end{CD}",
    r"\begin{align}a&=b\tag{1}\\c&=d\tag{2}\end{align}",
    r"\substack{a\\b}",
    r"\begin{matrix}[a]\\{}[b]\\ *c\end{matrix}",
    r"\rule{1em}{2em}\rule{0em}{1em}",
    r"\verb|a b|",
    r"\angl{n}",
    r"\LaTeX\pmod n\bra{x}\coloneqq\llbracket",
    r"\mathchoice{a}{b}{c}{d}\pmb{x}\colorbox{red}{x}",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_looks_the_same_has_one_form(one, other):
    assert normal_form(one) == normal_form(other)
    assert tree(one) == tree(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_looks_different_has_different_forms(one, other):
    assert normal_form(one) != normal_form(other)
    assert tree(one) != tree(other)


@pytest.mark.parametrize("formula", [*ODD, *(formula for pair in SAME + DIFFERENT for formula in pair)])
def test_the_normal_form_is_read_back_as_the_same_tree(formula):
    assert tree(normal_form(formula)) == tree(formula)


LEAVES = ["a", "B", "7", "+", "=", r"\alpha", r"\Gamma", r"\leq", r"\not", r"\sum", r"\sin", r"\lim", "'", "(", "|"]
LEAVES += [r"\text{a b}", r"\mathrm{xy}", r"\,", "α", "ℝ", r"\ldots", r"\ne", "é", r"\operatorname{f}", r"\{", "<"]


def formulas() -> st.SearchStrategy[str]:
    one = ["{%s}", r"\sqrt{%s}", r"\hat{%s}", r"\overline{%s}", r"\mathbf{%s}", r"\mathrm{%s}", r"\boldsymbol{%s}"]
    one += [r"\left(%s\right.", r"\boxed{%s}", r"\mathop{%s}\limits", r"\underbrace{%s}", r"{\bf %s}", r"\mathit{%s}"]
    two = ["{%s}{%s}", r"\frac{%s}{%s}", "{%s}^{%s}", "{%s}_{%s}", r"\binom{%s}{%s}", r"\overset{%s}{%s}"]
    two += [
        r"\sqrt[%s]{%s}",
        r"{%s \over %s}",
        r"\begin{cases}%s&%s\end{cases}",
        r"\begin{aligned}%s\\&%s\end{aligned}",
    ]
    two += [r"\begin{array}{c|c}%s\\\hline %s\end{array}", r"\xrightarrow[{%s}]{%s}", "{}_{%s}^{%s}"]

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(st.sampled_from(one), inner).map(lambda pair: pair[0] % pair[1]),
            st.tuples(st.sampled_from(two), inner, inner).map(lambda three: three[0] % three[1:]),
            st.lists(inner, max_size=4).map(" ".join),
        )

    return st.recursive(st.sampled_from(LEAVES), larger, max_leaves=12)


@settings(max_examples=100, deadline=None)
@given(formulas())
def test_any_valid_formula_is_painted_and_its_normal_form_is_its_own(formula):
    if is_valid(formula, display=True):
        assert render_html(formula, display=True)
        assert tree(normal_form(formula)) == tree(formula)


def cases(shared, name):
    return [json.loads(line) for line in (shared / "data" / "cases" / name).read_text(encoding="utf-8").splitlines()]


def test_published_pairs_have_the_form_that_their_verdict_says(shared):
    for case in cases(shared, "katex_probe_pairs.jsonl"):
        if case["same_rendering"] is not None:
            assert (normal_form(case["a"]) == normal_form(case["b"])) == case["same_rendering"], case


@pytest.mark.parametrize("name", ["latex_sympy_cases", "formula_pairs", "formula_edit_pairs", "cdm_same_token"])
def test_the_normal_form_of_published_formulas_is_its_own(shared, name):
    for case in cases(shared, f"{name}.jsonl"):
        for key in ("a", "b", "latex", "gold", "pred"):
            formula = case.get(key, "").strip("$\n ")
            if is_valid(formula, display=True):
                assert tree(normal_form(formula)) == tree(formula), formula


@pytest.mark.parametrize("formula", REFUSED.values(), ids=REFUSED)
def test_what_katex_does_not_take_is_an_error(formula):
    assert not is_valid(formula)
    for ask in (parse, render_html, normal_form):
        with pytest.raises(LatexError) as caught:
            ask(formula)
        str(caught.value).encode()  # it can be written to a file


def test_an_error_says_where_it_is():
    with pytest.raises(LatexError, match="at character 2") as caught:
        parse(r"a+\nosuch")
    assert caught.value.position == 2


def test_a_formula_too_slow_is_an_error(monkeypatch):
    monkeypatch.setattr(latex, "MAX_SECONDS", 1e-6)
    with pytest.raises(LatexError, match="timeout"):
        parse(r"\frac{a}{b}" * 1000)
    monkeypatch.undo()
    assert is_valid("x")


@pytest.mark.parametrize("formula", [r"x\tag{1}", r"\begin{align}a&=b\end{align}"])
def test_what_needs_its_own_line_is_valid_only_there(formula):
    assert is_valid(formula, display=True) and not is_valid(formula)


def test_html_holds_each_character_once_and_no_error_paint():
    html = render_html(r"x^2 = \frac{ab}{c}", display=True)
    assert html.count(">x<") == 1 and "math>" not in html and "katex-display" in html


def test_one_formula_does_not_change_the_next():
    assert is_valid(r"\gdef\mine{x}\mine") and not is_valid(r"\mine")


def test_formulas_are_painted_together_as_alone():
    formulas = [("x^2", False), ("x^2", True), (r"\frac{a}{", False), (r"\gdef\mine{x}\mine", True), (r"\mine", True)]
    for formula, html in zip(formulas, latex.render_each(formulas), strict=True):
        if isinstance(html, LatexError):
            with pytest.raises(LatexError, match=re.escape(html.message)):
                render_html(*formula)
        else:
            assert html == render_html(*formula)


def test_formulas_too_slow_together_are_errors_in_their_places(monkeypatch):
    monkeypatch.setattr(latex, "MAX_SECONDS", 1e-6)
    answers = latex.render_each([(r"\frac{a}{b}" * 1000, False)] * 2)
    assert [type(answer) for answer in answers] == [LatexError] * 2
    monkeypatch.undo()
    assert latex.render_each([("x", False)]) == [render_html("x")]


def test_a_forked_process_and_many_threads_answer_alike():
    expected = render_html("x^2")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(render_html, ("x^2",)) == expected
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(render_html, ["x^2"] * 20)) == {expected}


def test_the_interpreter_ends_after_use():
    code = "from proofpress.pages.latex import is_valid; print(is_valid('x'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n" and done.returncode == 0
