import pytest

from proofpress.pages.label import normal_label


@pytest.mark.parametrize(
    ("text", "task", "normal"),
    [
        (r"\left( x^2 \right)", "formula", "(x^{2})"),
        (r"\frac{", "formula", r"\frac{"),
        (r"Let $\left( x \right) \leq 1$, at \$5.", "text", r"Let $(x)\le1$, at \$5."),
        ("No formula, 5 < 6.", "text", "No formula, 5 < 6."),
        ("<TABLE><tr><td>${a}$</td></tr></TABLE>", "table", "<table><tr><td>$a$</td></tr></table>"),
        ("<table><tr><td colspan=2>a</td></tr><tr><td>b</td></tr></table>", "table", None),
        ("# On $x^2$\n\n$${a \\over b}$$\n\n- ${c}$", "page", "# On $x^{2}$\n\n$$\\frac{a}{b}$$\n\n- $c$"),
        ("", "page", ""),
    ],
)
def test_formulas_are_normal_and_all_else_stays(text, task, normal):
    assert normal_label(text, task) == (text if normal is None else normal)


@pytest.mark.parametrize("text", [r"Let $\left( x^2 \right)$ and ${\rm A}_1$ be", r"$\big\| x \big\|$"])
def test_a_normal_label_is_its_own_normal_label(text):
    once = normal_label(text, "text")
    assert normal_label(once, "text") == once
