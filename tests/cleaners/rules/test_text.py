"""Rules for any text, for lines and paragraphs, for whole pages and for forms."""

import pytest

from proofpress.cleaners.label import apply, judge_label
from proofpress.cleaners.rules import RULES
from proofpress.pages.record import Element


@pytest.mark.parametrize(
    ("text", "clean", "reason"),
    [
        ("ZÃ¼rich and MÃ¡laga", "Zürich and Málaga", "text.mojibake"),
        ("co\u00adoper\u200bate", "cooperate", "text.control"),
        ("Zu\u0308rich", "Zürich", "text.nfc"),
        ("eﬃcient ﬁnds", "efficient finds", "text.ligature"),
        ("BARUЈ¬", "BARUJ¬", "text.confusable"),
        ("М" + "o" + "сква", "Москва", "text.confusable"),
        (r"so \(x^2\) is", "so $x^2$ is", "text.math_brackets"),
        ("see ![a map](map.png) here", "see  here", "text.picture"),
        ("see [the map](https://example.org/a) here", "see the map here", "text.link"),
        ("H<sub>2</sub>O &amp; <b>CO</b>", "H$_{2}$O & CO", "text.html"),
        ("It is **not** *so*, ~~no~~ __yes__.", "It is not so, no yes.", "text.emphasis"),
        (r"a \textbf{bold} word", "a bold word", "text.latex_style"),
        (r"as $x \label{a}$ is", "as $x$ is", "text.formula"),
    ],
)
def test_a_line_is_written_in_the_dialect_and_says_what_stood_there(text, clean, reason):
    judged = apply(RULES["text"], text)
    assert judged.text == clean
    (check,) = (check for check in judged.checks if check.outcome == "fixed")
    assert check.reason == reason and check.evidence


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24 and a_b_c", r"It costs \$5, x < 3 & y > 4.", "naïve Ångström, 北京, μm, αβγ, שלום, ﷼",
        "List[int] and f(x)", "$a*b*c$ and $x_1$", "* is a star", "See [1] and (https://example.org).", "§ 5 – “q”…",
        "می‌خواهم",
    ],
)  # fmt: skip
def test_sound_text_is_left_alone(text):
    judged = apply(RULES["text"], text)
    assert judged.drop is None and judged.text == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("null", "text.artefact"),
        ("[MISSING_PAGE_EMPTY:3]", "text.artefact"),
        (r"as \cite{x} says", "text.latex_command"),
        (r"as $\intf x$ says", "formula.unparseable"),
        ("a" * 200_001, "text.size"),
    ],
)
def test_what_is_no_text_of_a_page_is_dropped(text, reason):
    assert apply(RULES["text"], text).drop.reason == reason


@pytest.mark.parametrize(
    ("page", "clean"),
    [
        ("```markdown\n# Sea\n\nThe sun.\n```", "# Sea\n\nThe sun."),
        ("The sun.\n\n\\[x^2\\]\n\nA sea.", "The sun.\n\n$$x^2$$\n\nA sea."),
        ("| a | b |\n|---|---|\n| 1 | 2 |",
         "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"),
        (
            "\\begin{table}\n\\begin{tabular}{l|l}\\hline a & \\multirow{2}{*}{b} \\\\ 1 & \\\\ \\hline\\end{tabular}"
            "\n\\end{table}",
            '<table><tr><td>a</td><td rowspan="2">b</td></tr><tr><td>1</td></tr></table>',
        ),
        ("* one\n* two", "- one\n- two"),
        ("Sea\n===\n\nThe sun.", "# Sea\n\nThe sun."),
        ("\\section{Sea}\n\nThe sun.", "## Sea\n\nThe sun."),
        ("The sun.\n\nPage 3 of 9", "The sun."),
        ("12\n\nThe sun.", "The sun."),
        ("The sun.\n\n---\n\nA sea.", "The sun.\n\nA sea."),
        ("", ""),
    ],
)  # fmt: skip
def test_other_markdown_becomes_the_dialect(page, clean):
    judged = judge_label("page", page)
    assert judged.drop is None
    assert judged.text == clean
    assert judge_label("page", clean).text == clean


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("I'm sorry, but I can't read this document.", "page.refusal"),
        ("Sure! Here is the text of the page:\n\nThe sun.", "page.refusal"),
        ("He said " + "and so on and on " * 20, "page.loop"),
        ("The sun.\n\n<table><tr><td>a", "page.truncated"),
        ("The sun.\n\n$$x^2", "page.truncated"),
        ("The sun.\n\n```\nx = 1", "page.truncated"),
        ("$$\\begin{array}{l} a $$\n\nb", "page.truncated"),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", "page.pipe_table"),
        ("<table><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>", "table.ragged"),
        ("The sun.\n\n$$\\intf$$", "formula.unparseable"),
    ],
)
def test_what_cannot_be_a_page_is_dropped(page, reason):
    assert judge_label("page", page).drop.reason == reason


@pytest.mark.parametrize(
    "page",
    [
        "Here is the sea, and there the sun.", "Sure enough, it rained.", "I cannot say.",
        "<table><tr><td></td><td></td></tr>" + "<tr><td>0</td><td>0</td></tr>" * 30 + "</table>",
        "no no no no no", "2024", "- one\n- two",
    ],
)  # fmt: skip
def test_pages_that_only_look_like_a_fault_are_kept(page):
    judged = judge_label("page", page)
    assert judged.drop is None and judged.text == page


def test_elements_are_judged_one_by_one_and_the_text_written_from_them():
    box = ((0.0, 0.0, 9.0, 0.0, 9.0, 9.0, 0.0, 9.0),)
    elements = [
        Element("e0", "title", "The **sun**", box), Element("e1", "formula", r"x \label{a}", box),
        Element("e2", "page_number", "8", box),
    ]  # fmt: skip
    judged = judge_label("page", "", elements)
    assert judged.text == "# The sun\n\n$$x$$"
    assert [element.text for element in judged.elements] == ["The sun", "x", "8"]
    assert {check.evidence for check in judged.checks if check.outcome == "fixed"} == {r"e1: \label{a}", "e0: **sun**"}


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("- date: 31/14/2018", "form.date"), ("- date: soon", "form.date"), ("- total: SDN BHD", "form.amount"),
        ("  ", "form.empty"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_its_key_says_drops_the_form(form, reason):
    assert apply(RULES["form"], form).drop.reason == reason


@pytest.mark.parametrize(
    "form",
    [
        "- date: 25/12/2018", "- date: 2018-12-25 20:13", "- date: 25 DEC 2018", "- date: Dec 25, 2018",
        "- date: 20181225", "- date: 2018年12月25日",
        "- Date: 25.12.18", "- total: 9.00", r"- total: RM 1,234.50", r"- total: \$4",
        "- tax: 60.000",
        "- total:\n    - total_price: 45,500", "- updated: yes", "- total: 12",
    ],
)  # fmt: skip
def test_dates_and_amounts_of_the_world_are_taken(form):
    judged = apply(RULES["form"], form)
    assert judged.drop is None and judged.text == form
