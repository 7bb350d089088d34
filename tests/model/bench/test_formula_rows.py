import pytest

from proofpress.model.bench.formula_rows import formula_rows, rows, with_braces_for_cases

REASONS = r"\begin{cases}a=b \\ \Rightarrow c=d\end{cases}"


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\begin{aligned}a&=b\\c&=d\tag{1}\end{aligned}", ["a&=b", "c&=d"]),
        (r"\[\begin{align*}a&=b\\c&=d\end{align*}\qquad(3)\]", ["a&=b", "c&=d"]),
        (r"\begin{gathered}a\\b\end{gathered},", ["a", "b ,"]),
        (r"\begin{array}{l}a\\[2pt] b\\* c\end{array}", ["a", "b", "c"]),
        (r"\begin{array}{r|l}a&b\\c&d\end{array}", ["a&b", "c&d"]),
        (r"a=b\\c=d", ["a=b", "c=d"]),
        (r"\begin{split}a\\\begin{matrix}1\\2\end{matrix}\end{split}", ["a", r"\begin{matrix}1\\2\end{matrix}"]),
        (REASONS, ["a=b", r"\Rightarrow c=d"]),
        (r"\left.\begin{aligned}a\\b\end{aligned}\right\}", ["a", "b"]),
    ],
)
def test_lines_of_a_formula_are_parted(latex, expected):
    found = formula_rows(latex)
    assert [line for line, _ in found] == expected
    assert all(latex[at:].startswith(line[0]) for line, at in found)


@pytest.mark.parametrize(
    "latex",
    [
        "a=b",
        r"\begin{array}{lll}a&b&c\\d&e&f\end{array}",
        r"\begin{array}{cc}a&b\\c&d\end{array}",
        r"\begin{pmatrix}a\\b\end{pmatrix}",
        r"\begin{cases}a & x>0\\b & x<0\end{cases}",
        r"\begin{cases}a\\b\end{cases}",
        r"\left\{\begin{array}{l}a\\b\end{array}\right.",
        r"\left\{\begin{aligned}x&=1\\y&=2\end{aligned}\right.",
        r"\begin{aligned}a\end{aligned}",
        r"\begin{aligned}a\\b",
        r"x=\begin{aligned}a\\b\end{aligned}",
    ],
)
def test_what_is_one_formula_stays_one(latex):
    assert formula_rows(latex) is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"{a\\b}\\c", [r"{a\\b}", "c"]),
        (r"\{a\\b\}", [r"\{a", r"b\}"]),
        (r"\\\\", []),
        ("}}a\\\\b", ["}}a", "b"]),
    ],
)
def test_a_row_ends_outside_braces_alone(body, expected):
    assert rows(body) == expected


def test_cases_that_are_an_argument_get_a_brace_and_others_do_not():
    assert with_braces_for_cases(REASONS) == (r"\left\{ \begin{array}{l} a=b \\ \Rightarrow c=d \end{array} \right.")
    for kept in (r"\begin{cases}a & x>0\\b & x<0\end{cases}", r"\begin{cases}a\\b\end{cases}", r"\begin{x}", "a"):
        assert with_braces_for_cases(kept) == kept


@pytest.mark.timeout(60)  # a guard against hanging
@pytest.mark.parametrize("piece", [r"\begin{cases}", "{", "\\\\", "&", r"\begin{array}{l}a\\", r"\end{cases}", "\\"])
def test_a_long_formula_of_one_mark_is_bounded_in_time(piece):
    latex = piece * (100_000 // len(piece))
    formula_rows(latex), with_braces_for_cases(latex)
