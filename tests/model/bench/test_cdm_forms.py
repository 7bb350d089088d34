import pytest

from proofpress.model.bench.cdm_forms import as_latex_goes_on, cdm_forms, plain_matrices
from proofpress.model.bench.results import Pair


def pair(gold, predicted):
    return Pair("formula", gold, predicted, "", "", "", "", (), None)


def test_delimiters_and_numbers_go_in_every_edition():
    for edition in ("v1.0", "v1.5", "v1.6"):
        assert cdm_forms(pair(r"\[a\tag{1}\]", "$$b$$"), edition) == ("a", ["b"])


def test_v1_6_tries_matrices_without_fonts_and_braces_too():
    one = pair(r"\begin{array}{}a&b\end{array}", r"\begin{bmatrix}{\mathbf{a}}&{b}\\\end{bmatrix}")
    assert cdm_forms(one, "v1.5")[1] == [r"\begin{bmatrix}{\mathbf{a}}&{b}\\\end{bmatrix}"]
    gold, forms = cdm_forms(one, "v1.6")
    assert gold == r"\begin{array}{l}a&b\end{array}"
    assert forms[1] == r"\begin{bmatrix}a&b\end{bmatrix}"


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\begin{aligned}&\begin{pmatrix}a\\b\end{pmatrix}\end{aligned}", r"\begin{pmatrix}a\\b\end{pmatrix}"),
        (
            r"\begin{array}{l}{\begin{matrix}a&b\end{matrix}}\\{c}\end{array}",
            r"\begin{matrix}a&b\end{matrix} \qquad c",
        ),
        (r"\dfrac{a}{b} x_{_{i}}", r"\frac{a}{b} x_{i}"),
        (r"{{a}}", "a"),
        ("{a}{b}", "{a}{b}"),
        (r"\operatorname{det} A", r"\det A"),
    ],
)
def test_matrices_are_written_plainly(latex, plain):
    assert plain_matrices(latex) == plain


@pytest.mark.parametrize(
    ("latex", "goes_on"),
    [
        (r"\nabla\timesA", r"\nabla "),  # there is no such command, so it shows nothing
        (r"\mbox{if} x\sp2", r"\text {if} x^ 2"),
        ("x^a^b", "x^a{}^b"),
        ("a}b", "a b"),
        ("a&=b", "a =b"),  # a line of an alignment
        (r"{{a}} & {b&c}", r"{{a}}   {b c}"),
        (r"a\]\[b", "a  b"),
        (r"\frac{a}", r"\frac{a}"),  # here LaTeX does not go on either
        ("a", "a"),
    ],
)
def test_a_formula_goes_on_behind_the_errors_behind_which_latex_does(latex, goes_on):
    assert as_latex_goes_on(latex) == goes_on


def test_mending_ends():
    assert as_latex_goes_on(r"\nosuch" * 200).count(r"\nosuch") == 180
