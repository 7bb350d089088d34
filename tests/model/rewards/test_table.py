import pytest

from proofpress.model.rewards.scoring import GoldError
from proofpress.model.rewards.table import compare, score

GOLD = (
    '<table><tr><th rowspan="2">City</th><th colspan="2">Flow</th></tr><tr><th>in</th><th>out</th></tr>'
    "<tr><td>Basel</td><td>1.5</td><td>-20</td></tr><tr><td>Bern</td><td>12%</td><td></td></tr></table>"
)


@pytest.mark.parametrize(
    "prediction",
    [
        GOLD,
        GOLD.replace("th", "td"),
        GOLD.upper().replace("CITY", "City").replace("FLOW", "Flow").replace("IN<", "in<").replace("OUT<", "out<")
        .replace("BASEL", "Basel").replace("BERN", "Bern"),
        GOLD.replace('"', ""),
        GOLD.replace("</td>", "").replace("</tr>", ""),
        GOLD.replace("<table>", "<table border=1><tbody>").replace("</table>", "</tbody></table>"),
        GOLD.replace("<tr>", "\n  <tr>").replace("</table>", "\n</table>\n"),
        GOLD.replace("<td>Basel</td>", "<td><b>Basel</b><br></td>"),
    ],
)  # fmt: skip
def test_what_does_not_change_the_table_does_not_change_its_value(prediction: str) -> None:
    assert score(prediction, GOLD).value == 1.0


def test_headings_are_a_part_of_their_own() -> None:
    assert score(GOLD, GOLD).parts["headings"] == 1.0
    assert score(GOLD.replace("th", "td"), GOLD).parts["headings"] == 0.0


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ("a digit", GOLD.replace("1.5", "1.6")),
        ("the decimal point", GOLD.replace("1.5", "15")),
        ("a sign", GOLD.replace("-20", "20")),
        ("a percent sign", GOLD.replace("12%", "12")),
        ("a letter", GOLD.replace("Bern", "Born")),
        ("a column span", GOLD.replace(' colspan="2"', "").replace("Flow</th>", "Flow</th><th></th>")),
        ("a row span", GOLD.replace(' rowspan="2"', "").replace("<tr><th>in", "<tr><th></th><th>in")),
        ("a row left out", GOLD.replace("<tr><td>Basel</td><td>1.5</td><td>-20</td></tr>", "")),
        ("a row twice", GOLD.replace("<tr><td>Basel", "<tr><td>Basel</td><td>1.5</td><td>-20</td></tr><tr><td>Basel")),
        ("two cells swapped", GOLD.replace("<td>1.5</td><td>-20</td>", "<td>-20</td><td>1.5</td>")),
        ("a cell filled", GOLD.replace("<td></td>", "<td>7</td>")),
        ("a second table", GOLD + "<table><tr><td>x</td></tr></table>"),
        ("the table twice", GOLD + GOLD),
        ("text behind it", GOLD + "\nand so on"),
        ("a cell cut off", GOLD.replace("<td></td></tr></table>", "")),
    ],
)
def test_each_fault_costs(change: str, wrong: str) -> None:
    assert 0.3 < score(wrong, GOLD).value < 1.0, change


def test_a_row_left_out_does_not_shift_the_rest() -> None:
    rows = [f"<tr><td>r{i}</td><td>{i}.5</td></tr>" for i in range(10)]
    gold, first_row_gone = (f"<table>{''.join(some)}</table>" for some in (rows, rows[1:]))
    assert score(first_row_gone, gold).parts["cells"] == pytest.approx(2 * 9 / 19)


def test_a_blank_grid_of_the_right_shape_earns_next_to_nothing() -> None:
    blank = "<table>" + "<tr><td></td><td></td></tr>" * 3 + "</table>"
    gold = "<table>" + "<tr><td>a</td><td></td></tr>" * 3 + "</table>"
    result = score(blank, gold)
    assert result.value < 0.15 < result.parts["teds"]
    assert result.parts["teds_s"] == 1.0


def test_every_further_fault_costs_more() -> None:
    rows = [f"<tr><td>name {i}</td><td>{i * 7}</td></tr>" for i in range(8)]
    values = []
    for wrong in range(9):
        read = [
            row.replace("name", "nmae").replace("<td>" + str(i * 7), "<td>9" + str(i)) for i, row in enumerate(rows)
        ]
        values.append(
            score(f"<table>{''.join(read[:wrong] + rows[wrong:])}</table>", f"<table>{''.join(rows)}</table>").value
        )
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


def test_tables_are_paired_in_order() -> None:
    one, two = ("<table><tr><td>a</td><td>b</td></tr></table>", "<table><tr><td>c</td><td>d</td></tr></table>")
    assert compare([one, two], [one, two]).value == 1.0
    missing = compare([two], [one, two])
    assert missing.parts["cells"] == pytest.approx(2 / 3)
    assert missing.parts["tables"] == pytest.approx(2 / 3)
    assert compare([two, one], [one, two]).value < 1.0


@pytest.mark.parametrize(
    "prediction",
    [
        "| a | b |\n|---|---|\n| c\\|d | e |",
        "a | b\n--|--\nc\\|d | e",
        "<ched>a<ched>b<nl><fcel>c|d<fcel>e<nl>",
        "<otsl><ched>a<ched>b<nl><fcel>c|d<fcel>e<nl></otsl>",
    ],
)
def test_a_table_in_markdown_or_otsl_is_read_as_one(prediction: str) -> None:
    gold = "<table><tr><th>a</th><th>b</th></tr><tr><td>c|d</td><td>e</td></tr></table>"
    result = score(prediction, gold)
    assert (result.value, result.parts["headings"]) == (1.0, 1.0)


def test_what_stands_for_a_formula_inside_is_not_one() -> None:
    gold = "<table><tr><td>$x$</td></tr></table>"
    assert score(gold.replace("$", "\ue000"), gold).value < 0.5


def test_formulas_in_cells_are_compared_by_their_normal_form() -> None:
    gold = r"<table><tr><td>$x \leq y$</td></tr></table>"
    assert score(r"<table><tr><td>$x\le{}y$</td></tr></table>", gold).value == 1.0
    assert score(r"<table><tr><td>$x < y$</td></tr></table>", gold).value < 1.0


def test_markup_that_had_to_be_mended_costs_even_where_no_text_is_lost() -> None:
    gold = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td></td></tr></table>"
    ragged = gold.replace("<td></td>", "")
    result = score(ragged, gold)
    assert result.parts["cells"] == 1.0
    assert result.value == pytest.approx(0.8)
    assert "(1, 1)" in result.evidence


@pytest.mark.parametrize(
    ("prediction", "status"),
    [("", "empty"), (" \n", "empty"), ("no table at all", "unparseable"), ("<table>", "unparseable")],
)
def test_no_table_is_no_score_and_says_why(prediction: str, status: str) -> None:
    result = score(prediction, GOLD)
    assert (result.value, result.status) == (0.0, status)


def test_tables_too_large_for_teds_are_still_scored() -> None:
    rows = ["<tr>" + "".join(f"<td>{row} {column}</td>" for column in range(20)) + "</tr>" for row in range(200)]
    result = score(f"<table>{''.join(rows[::-1])}</table>", f"<table>{''.join(rows)}</table>")
    assert (0.0 < result.value < 1.0, result.status) == (True, "timeout")
    assert "teds" not in result.parts


@pytest.mark.parametrize(
    "gold",
    [
        "no table",
        "<table></table>",
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        '<table><tr><td rowspan="3">a</td></tr></table>',
        "<table><tr><td></td><td> </td></tr></table>",
    ],
)
def test_a_gold_that_is_not_sound_is_refused(gold: str) -> None:
    with pytest.raises(GoldError):
        score(GOLD, gold)
