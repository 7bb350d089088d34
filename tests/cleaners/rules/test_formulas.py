"""Formula rules, each alone and all in their order."""

import pytest

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep
from proofpress.cleaners.rules import RULES
from proofpress.cleaners.rules import formulas as rules
from proofpress.pages.latex import normal_form, render_html


def cleaned(latex: str) -> str:
    """The label after all rules; a dropped one is its reason in angle brackets."""
    for rule in RULES["formula"]:
        verdict = rule.judge(latex)
        if isinstance(verdict, Drop):
            return f"<{verdict.reason}>"
        if isinstance(verdict, Fix):
            latex = verdict.text
    return latex


@pytest.mark.parametrize(
    ("latex", "text", "evidence"),
    [
        (r"E = mc^2 \label{eq:1}", "E = mc^2", r"\label{eq:1}"),
        (r"\label {a}x", "x", r"\label {a}"),
        (r"\pi\label{a}r", r"\pi r", r"\label{a}"),
        (r"a\label{x{y}z} b\label{w}", "a b", r"\label{x{y}z} \label{w}"),
        ("a \\ \\label{x}", "a \\ ", r"\label{x}"),
    ],
)
def test_a_label_is_removed_and_kept_as_evidence(latex: str, text: str, evidence: str):
    assert rules.strip_label(latex) == Fix(text, "formula.label", evidence)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("a % b", "a"),
        (r"50\% % half", r"50\%"),
        ("a % b\n+ c % d\n+ e", "a \n+ c \n+ e"),
        ("%a", ""),
        (r"\pi%x", r"\pi"),
    ],
)
def test_a_comment_is_cut_to_the_end_of_its_line(latex: str, text: str):
    assert rules.cut_comment(latex).text == text


def test_an_escaped_percent_sign_is_no_comment():
    assert rules.cut_comment(r"50\%") == KEEP


@pytest.mark.parametrize(
    ("latex", "text", "evidence"),
    [
        (r"x=1 \tag{3}", "x=1", r"\tag{3}"),
        (r"x=1 \tag*{A}", "x=1", r"\tag*{A}"),
        (r"x=1 \eqno(3.2)", "x=1", r"\eqno(3.2)"),
        (r"x=1 \eqno{(3)}", "x=1", r"\eqno{(3)}"),
        (r"x=1 \leqno (a)", "x=1", r"\leqno (a)"),
    ],
)
def test_a_number_is_removed_for_it_is_no_text_of_the_formula(latex: str, text: str, evidence: str):
    assert rules.strip_number(latex) == Fix(text, "formula.number", evidence)


def test_full_width_punctuation_becomes_ascii():
    assert rules.narrow_punctuation("f（a，b）＝0。").text == "f(a,b)=0."


def test_full_width_punctuation_beside_ideographs_is_the_texts_own():
    assert rules.narrow_punctuation(r"x\text{，若}y") == KEEP


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"a \\ b", "a   b"),
        (r"a \\[4mm] b", "a   b"),
        (r"a \\* b", "a   b"),
        (r"\begin{array}{c} a \\ b \end{array} \\", r"\begin{array}{c} a \\ b \end{array}"),
        (r"f_{16}\\sim", "f_{16} sim"),
    ],
)
def test_a_line_break_outside_environments_breaks_no_line(latex: str, text: str):
    assert rules.strip_line_break(latex).text == text


@pytest.mark.parametrize("latex", [r"\begin{matrix}a\\b\end{matrix}", r"\substack{a\\b}", r"\left(a\right)"])
def test_a_line_break_in_an_environment_or_group_stays(latex: str):
    assert rules.strip_line_break(latex) == KEEP


@pytest.mark.parametrize("latex", [r"\quad a\,", "~a\\ ", r"\;\; a \!", "a \\"])
def test_spacing_at_either_end_goes(latex: str):
    assert rules.strip_outer_space(latex).text == "a"


@pytest.mark.parametrize(("latex", "mark"), [("a.", "."), (r"a \,,", ","), (r"a ; \quad", ";")])
def test_trailing_punctuation_is_noted_and_kept(latex: str, mark: str):
    assert rules.note_trailing_punctuation(latex) == Keep("formula.trailing_punctuation", mark)


@pytest.mark.parametrize("latex", ["a", r"a\,", r"a\;", r"\{a.\}"])
def test_a_spacing_command_is_no_punctuation(latex: str):
    assert rules.note_trailing_punctuation(latex) == KEEP


@pytest.mark.parametrize(
    ("latex", "reason"),
    [
        ("", "formula.empty"),
        ("{ }", "formula.empty"),
        (r"\label{a}", "formula.empty"),
        ("% a", "formula.empty"),
        (r"\frac{a}{", "formula.unbalanced"),
        (r"\intf x", "formula.unparseable"),
        (r"\left( a", "formula.unbalanced"),
        ("a \\over b \\over c", "formula.unparseable"),
        ("{" * 5000, "formula.size"),
        ("a" * 20_001, "formula.size"),
        (r"\mbox{" * 200 + "}" * 200, "formula.size"),
    ],
)
def test_what_cannot_be_drawn_is_dropped_with_its_reason(latex: str, reason: str):
    assert cleaned(latex) == f"<{reason}>"


def test_the_evidence_of_a_formula_that_does_not_parse_is_what_katex_says():
    assert "Undefined control sequence" in rules.drop_unparseable(r"\intf x").evidence


@pytest.mark.parametrize(
    ("latex", "label"),
    [
        (r"{a \over b} \, . \label{x}", r"{\frac{a}{b}} \, ."),
        (r"x = 1 \nonumber \\", "x = 1"),
        (r"\label{a}\pmatrix{1 & 0 \cr 0 & 1 \cr}", r"\begin{pmatrix}1 & 0 \cr 0 & 1 \cr\end{pmatrix}"),
        (r"\bar\mathcal V + \,^{*}d", r"\bar{\mathcal V} + \,{}^{*}d"),
        (r"x \hspace{3mm} \mbox{for $n$}", r"x \hspace{3mm} \text{for $n$}"),
    ],
)
def test_the_rules_in_their_order_make_a_label_that_katex_draws(latex: str, label: str):
    assert cleaned(latex) == label
    assert render_html(label, display=True)
    assert normal_form(cleaned(label)) == normal_form(label)
