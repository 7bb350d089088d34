import random
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.generators.content import table_parts, tables, tables_numeric
from proofpress.pages import latex
from proofpress.pages.markdown import inline, runs
from proofpress.pages.table import lay_out
from proofpress.pages.table_html import from_html, to_html

MADE = [tables.table(random.Random(seed)) for seed in range(1000)]


def amount(text: str) -> Decimal:
    """What a printed number says, with commas between thousands."""
    return (-1 if text[0] in "(-–" else 1) * Decimal(text.strip("()-–").replace(",", ""))


@pytest.fixture
def commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_parts, "SEPARATORS", (",",))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 12), st.integers(5, 30))
def test_a_table_tiles_its_grid_and_keeps_within_its_bounds(seed: int, columns: int, rows: int) -> None:
    content = tables.table(random.Random(seed), columns, rows)
    assert content.grid.columns <= columns
    assert content.grid.rows <= rows
    assert content == tables.table(random.Random(seed), columns, rows)
    assert from_html(to_html(content.grid)) == content.grid


@pytest.mark.parametrize(("columns", "rows"), [(2, 10), (6, 4)])
def test_too_little_room_is_refused(columns: int, rows: int) -> None:
    with pytest.raises(ValueError, match="a table needs 3 columns and 5 rows"):
        tables.table(random.Random(0), columns, rows)


def test_cells_are_inline_markdown_with_valid_formulas() -> None:
    for content in MADE[:400]:
        for cell in content.grid.cells:
            assert inline(runs(cell.text)) == cell.text
            assert all(latex.is_valid(run.text) for run in runs(cell.text) if run.kind == "math"), cell.text


def test_cells_and_captions_are_short() -> None:
    def printed(text: str) -> int:
        return sum(len(run.text) * (0.5 if run.kind == "math" else 1) for run in runs(text))

    assert max(printed(cell.text) for content in MADE for cell in content.grid.cells) <= 60
    assert max(len(content.caption) for content in MADE) <= 160


def test_spans_two_headings_formulas_and_empty_cells_are_common() -> None:
    def share(**traits: str) -> float:
        return sum(traits.items() <= content.traits.items() for content in MADE) / len(MADE)

    assert share(spans="none") < 0.5
    assert share(spans="both") > 0.2
    assert share(heading_rows="2") > 0.2
    assert share(math="yes") > 0.2
    assert share(empty="yes") > 0.2
    assert all(share(kind=kind) > 0.03 for kind in tables.KINDS)


def test_traits_tell_what_the_grid_holds() -> None:
    for content in MADE:
        tall = any(cell.rowspan > 1 for cell in content.grid.cells)
        wide = any(cell.colspan > 1 for cell in content.grid.cells)
        assert (content.traits["spans"] in ("row", "both"), content.traits["spans"] in ("column", "both")) == (
            tall,
            wide,
        )
        assert (content.traits["empty"] == "yes") == any(cell.text == "" for cell in content.grid.cells)


def lines(rows: table_parts.Rows) -> Iterator[tuple[str, list[str]]]:
    """The name and the figures of each line that is not all headings."""
    for row in lay_out(rows).by_slot():
        texts = [cell.text for cell in row if not cell.heading or (cell.column == 0 and cell.colspan == 1)]
        if len(texts) > 1:
            yield texts[0], texts[1:]


@pytest.mark.usefixtures("commas")
def test_accounts_add_up_and_their_changes_are_right() -> None:
    for seed in range(300):
        rows = tables_numeric.accounts(random.Random(seed), 6, 12)
        has_change = any("%" in cell.text for cell in rows[0])
        items: list[list[Decimal]] = []
        totals: list[list[Decimal]] = []
        for name, figures in lines(rows):
            amounts = [amount(figure) for figure in figures[: len(figures) - has_change]]
            if has_change and figures[-1]:
                change = 100 * (amounts[-1] - amounts[-2]) / amounts[-2]
                assert amount(figures[-1]) == change.quantize(Decimal("0.1"), ROUND_HALF_UP)
            if name.startswith("Total"):
                assert amounts == [sum(column) for column in zip(*items, strict=True)]
                totals.append(amounts)
                items = []
            else:
                items.append(amounts)
        if len(totals) == 2:
            assert items == [[income - expense for income, expense in zip(*totals, strict=True)]]


@pytest.mark.usefixtures("commas")
def test_census_rows_columns_and_shares_add_up() -> None:
    for seed in range(300):
        rows = tables_numeric.census(random.Random(seed), 6, 12)
        has_shares = any(cell.text == "Share (%)" for cell in rows[0])
        table = [[amount(cell.text) for cell in row[-3 - has_shares :]] for row in rows[2:]]
        assert all(row[0] + row[1] == row[2] for row in table)
        assert [sum(column) for column in zip(*table[:-1], strict=True)] == table[-1]


@settings(max_examples=100)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=30))
def test_shares_always_make_a_hundred_per_cent(amounts: list[int]) -> None:
    shares = tables_numeric.shares_of(amounts)
    assert sum(shares) == 1000
    assert all(abs(share - 1000 * part / sum(amounts)) < 1 for share, part in zip(shares, amounts, strict=True))


@pytest.mark.parametrize(
    ("figures", "value", "text"),
    [
        (table_parts.Figures(0, ","), 1234567, "1,234,567"),
        (table_parts.Figures(2, "."), 1234567, "12.345,67"),
        (table_parts.Figures(1, " ", "({})"), -12345, "(1 234.5)"),
        (table_parts.Figures(2, "", "–{}"), -5, "–0.05"),
        (table_parts.Figures(0, ",", "({})"), 0, "0"),
    ],
)
def test_numbers_are_written_in_the_style_of_their_table(figures: table_parts.Figures, value: int, text: str) -> None:
    assert figures.write(value) == text


def test_runs_part_all_rows() -> None:
    for seed in range(100):
        parted = table_parts.runs(random.Random(seed), 11)
        ends = [start + length for start, length in parted.items()]
        assert ends[-1] == 11
        assert [start for _, start in pairwise(parted)] == ends[:-1]
