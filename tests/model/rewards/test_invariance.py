"""What changes no reward, and what must: one table of each for whole pages, crops and every mode."""

import re

import pytest

from proofpress.model.rewards import RewardRecipe, score

MODES = [RewardRecipe(), RewardRecipe(combine="product")]

GOLD = (
    "# Mass of the flow\n\nIt rose by 1.5% to -5 m, say $x_i^2 \\leq 4$.\n\n$$\\frac{a}{b}=\\sqrt{ab}$$\n\n"
    '<table><tr><th colspan="2">City</th></tr><tr><td>Basel</td><td>1.5</td></tr></table>\n\n'
    "- one\n- two\n\n[^1]: At noon."
)

#: What is not on the paper, or not told apart there.
INVARIANT = [
    ("th", "td heading", lambda page: page.replace("<th", "<td").replace("</th", "</td")),
    ("quotes", "of attributes", lambda page: page.replace('"2"', "2")),
    ("quotes", "single", lambda page: page.replace('"2"', "'2'")),
    ("case", "of tags", lambda page: page.replace("td>", "TD>").replace("<table>", "<TABLE>")),
    (
        "tbody",
        "around rows",
        lambda page: page.replace("<table>", "<table><tbody>").replace("</table>", "</tbody></table>"),
    ),
    ("attributes", "of style", lambda page: page.replace("<table>", '<table border="1">')),
    ("space", "between tags", lambda page: page.replace("</tr><tr>", "</tr>\n  <tr>")),
    ("space", "in a formula", lambda page: page.replace(r"\frac{a}{b}=", r"\frac {a} {b} =\,")),
    ("space", "at the ends", lambda page: f"\n\n{page}\n\n"),
    ("space", "that does not break", lambda page: page.replace("-5 m", "-5\u00a0m")),
    ("line", "breaks in a paragraph", lambda page: page.replace(" to -5", "\nto -5")),
    ("line", "ends of Windows", lambda page: page.replace("\n", "\r\n")),
    (
        "formula",
        "on lines of its own",
        lambda page: page.replace(r"$$\frac{a}{b}=\sqrt{ab}$$", "$$\n\\frac{a}{b}=\\sqrt{ab}\n$$"),
    ),
    ("braces", "around one letter", lambda page: page.replace("x_i^2", "x_{i}^{2}")),
    ("scripts", "in the other order", lambda page: page.replace("x_i^2", "x^2_i")),
    ("spelling", "of a relation", lambda page: page.replace(r"\leq", r"\le")),
    ("spelling", "of a fraction", lambda page: page.replace(r"\frac{a}{b}", r"{a \over b}")),
    ("size", "of a fraction", lambda page: page.replace(r"\frac{a}{b}", r"\dfrac{a}{b}")),
    ("dash", "of Unicode", lambda page: page.replace("-5 m", "−5 m")),
    ("case", "of attributes", lambda page: page.replace("colspan", "COLSPAN")),
    ("attributes", "of a class and a width", lambda page: page.replace("<td>", '<td class="x" width=3>')),
    ("colgroup", "before rows", lambda page: page.replace("<table>", "<table><colgroup><col><col></colgroup>")),
    (
        "tfoot",
        "around the last row",
        lambda page: page.replace("</tr><tr>", "</tr><tfoot><tr>").replace("</table>", "</tfoot></table>"),
    ),
    ("span", "of one, written out", lambda page: page.replace("<td>Basel", '<td rowspan="1" colspan="1">Basel')),
    ("space", "around a cell's text", lambda page: page.replace("<td>Basel</td>", "<td> Basel </td>")),
    ("space", "at the ends of lines", lambda page: page.replace("\n", "  \n")),
    ("space", "twice between words", lambda page: page.replace("rose by", "rose  by")),
    ("lines", "left free, more of them", lambda page: page.replace("\n\n", "\n\n\n\n")),
    ("entity", "of a letter in a cell", lambda page: page.replace("Basel", "B&#97;sel")),
    ("delimiters", "that grow", lambda page: page.replace(r"\sqrt{ab}$$", r"\sqrt{ab}\displaystyle$$")),
    ("braces", "around a radicand", lambda page: page.replace(r"\sqrt{ab}", r"\sqrt{{ab}}")),
]

VARIANT = [
    ("a decimal point", lambda page: page.replace("1.5%", "15%")),
    ("a minus sign", lambda page: page.replace("-5 m", "5 m")),
    ("a percent sign", lambda page: page.replace("1.5%", "1.5")),
    ("a digit", lambda page: page.replace("-5 m", "-6 m")),
    ("a digit of a cell", lambda page: page.replace("<td>1.5", "<td>1.6")),
    ("the case of a letter", lambda page: page.replace("It rose", "it rose")),
    ("an accent", lambda page: page.replace("rose", "rosé")),
    ("a script's side", lambda page: page.replace("x_i^2", "x^i_2")),
    ("a script", lambda page: page.replace("x_i^2", "xi2")),
    ("the extent of a radical", lambda page: page.replace(r"\sqrt{ab}", r"\sqrt{a}b")),
    ("a fraction upside down", lambda page: page.replace(r"\frac{a}{b}", r"\frac{b}{a}")),
    ("a relation", lambda page: page.replace(r"\leq", r"\geq")),
    ("a font", lambda page: page.replace("$x_i", r"$\mathbf{x}_i")),
    ("a displayed formula in a line", lambda page: page.replace("$$", "$")),
    ("a formula as text", lambda page: page.replace(r"$x_i^2 \leq 4$", "xi2 ≤ 4")),
    ("a span", lambda page: page.replace(' colspan="2"', "")),
    ("a heading's level", lambda page: page.replace("# Mass", "## Mass")),
    ("a heading", lambda page: page.replace("# Mass", "Mass")),
    ("a list", lambda page: page.replace("- ", "")),
    ("two cells in the other order", lambda page: re.sub("(<td>Basel.*?)(<td>1.5</td>)", r"\2\1", page)),
    ("a cell that is empty", lambda page: page.replace("<td>Basel</td>", "<td></td>")),
    ("a row twice", lambda page: page.replace("</table>", "<tr><td>Basel</td><td>1.5</td></tr></table>")),
    ("a column", lambda page: page.replace("<td>1.5</td>", "").replace(' colspan="2"', "")),
    ("an exponent's digit", lambda page: page.replace("x_i^2", "x_i^3")),
    ("a factor", lambda page: page.replace(r"\sqrt{ab}", r"\sqrt{ba}")),
    ("a sign in a formula", lambda page: page.replace("leq 4", "leq -4")),
    ("a bar", lambda page: page.replace("$x_i", r"$\bar{x}_i")),
    ("a fraction in a line", lambda page: page.replace(r"\frac{a}{b}=", "a/b=")),
    ("a binomial", lambda page: page.replace(r"\frac{a}{b}", r"\binom{a}{b}")),
    ("a unit", lambda page: page.replace("-5 m", "-5 km")),
    ("a comma for a point", lambda page: page.replace("1.5%", "1,5%")),
    ("a plus sign", lambda page: page.replace("-5 m", "+5 m")),
    ("a full stop", lambda page: page.replace("At noon.", "At noon")),
    ("two paragraphs in one", lambda page: page.replace("flow\n\nIt", "flow It")),
    ("the items of a list in the other order", lambda page: page.replace("- one\n- two", "- two\n- one")),
    ("a note", lambda page: page.replace("[^1]:", "1")),
    ("the number of a note", lambda page: page.replace("[^1]", "[^2]")),
    ("the order of blocks", lambda page: page.replace("# Mass of the flow\n\n", "") + "\n\n# Mass of the flow"),
]  # fmt: skip


@pytest.mark.parametrize("recipe", MODES, ids=lambda recipe: recipe.combine)
@pytest.mark.parametrize("change", [change for *_, change in INVARIANT], ids=[" ".join(row[:2]) for row in INVARIANT])
def test_what_is_not_on_the_paper_changes_nothing(change, recipe: RewardRecipe) -> None:
    assert change(GOLD) != GOLD
    assert score(change(GOLD), GOLD, "page", recipe).value == pytest.approx(1.0)


@pytest.mark.parametrize("recipe", MODES, ids=lambda recipe: recipe.combine)
@pytest.mark.parametrize("change", [change for _, change in VARIANT], ids=[what for what, _ in VARIANT])
def test_what_is_on_the_paper_costs(change, recipe: RewardRecipe) -> None:
    assert change(GOLD) != GOLD
    assert score(change(GOLD), GOLD, "page", recipe).value < 1.0 - 1e-6
