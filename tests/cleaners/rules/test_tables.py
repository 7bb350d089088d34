"""Table rules."""

import pytest

from proofpress.cleaners.rule import KEEP, Fix, Keep
from proofpress.cleaners.rules import tables as rules


def table(*rows: str, head: str = "") -> str:
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def test_a_cell_of_style_tags_and_white_space_is_emptied():
    html = table("<td>1</td><td><b> </b></td>", head='<td colspan="2"><i>a</i></td>')
    assert rules.empty_phantoms(html) == Fix(html.replace("<b> </b>", ""), "table.phantom", "cell 2: '<b> </b>'")


def test_a_head_is_not_taken_for_a_cell():
    assert rules.empty_phantoms(table("<td></td>", head="<td></td>")) == KEEP


def test_a_style_that_ends_and_begins_again_had_a_break_between():
    html = table("<td><b>Number:</b><b><i>n</i></b></td><td><i>yes</i><sup>+</sup></td>")
    verdict = rules.open_seams(html)
    assert verdict == Fix(html.replace("</b><b>", "</b> <b>"), "table.seam", "</b><b>")
    assert rules.strip_styles(verdict.text).text == table("<td>Number: n</td><td>yes<sup>+</sup></td>")


def test_emphasis_goes_and_is_counted():
    html = table("<td><b>a</b><i>b</i></td><td><b>c</b> &lt;b&gt;</td>")
    assert rules.strip_styles(html) == Fix(table("<td>ab</td><td>c &lt;b&gt;</td>"), "table.style", "b×2, i×1")


def test_scripts_are_noted_and_become_mathematics():
    html = table("<td>10<sup>2</sup></td><td>H<sub>2</sub>O</td>")
    assert rules.note_scripts(html) == Keep("table.script", "sub×1, sup×1")
    assert rules.canonical(html).text == "<table><tr><td>10$^{2}$</td><td>H$_{2}$O</td></tr></table>"


def test_the_heads_cells_become_headings():
    html = table('<td rowspan="2">b</td><td>1</td>', "<td>2</td>", head='<td colspan="2">a</td>')
    assert rules.canonical(html).text == (
        '<table><tr><th colspan="2">a</th></tr><tr><td rowspan="2">b</td><td>1</td></tr><tr><td>2</td></tr></table>'
    )


def test_a_canonical_table_is_kept():
    assert rules.canonical("<table><tr><th>a &lt; b</th></tr></table>") == KEEP


@pytest.mark.parametrize(
    ("rows", "reason", "slot"),
    [
        (("<td>a</td><td>b</td>", "<td>c</td>"), "table.ragged", "(1, 1)"),
        (("<td>a</td><td>b</td>", "<td>c</td><td>d</td><td>e</td>"), "table.ragged", "(0, 2)"),
        (('<td rowspan="3">a</td><td>b</td>', "<td>c</td>"), "table.ragged", "(2, 0)"),
        (
            ('<td>a</td><td rowspan="2">b</td>', '<td colspan="2">c</td>'),
            "table.overlap",
            "(1, 1)",
        ),
    ],
)
def test_a_grid_that_does_not_tile_is_dropped_with_its_slots(rows: tuple[str, ...], reason: str, slot: str):
    verdict = rules.canonical(table(*rows))
    assert verdict.reason == reason
    assert slot in verdict.evidence


def test_a_table_without_a_row_is_dropped():
    assert rules.canonical("<table></table>").reason == "table.unparseable"


def test_a_table_without_a_word_is_dropped():
    assert rules.drop_empty("<table><tr><td></td><td> </td></tr></table>").reason == "table.empty"
