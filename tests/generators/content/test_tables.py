import random
import time
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofpress.generators.content import table_parts, tables, tables_numeric
from proofpress.pages import latex
from proofpress.pages.markdown import inline, runs
from proofpress.pages.table import TableGrid, lay_out
from proofpress.pages.table_html import from_html, to_html

MADE = [tables.table(random.Random(seed)) for seed in range(1000)]


def amount(text: str, separator: str) -> Decimal:
    """What a printed number says."""
    sign = -1 if text[0] in "(-–" else 1
    plain = text.strip("()-–").replace(separator, "") if separator else text.strip("()-–")
    return sign * Decimal(plain.replace(",", ".") if separator == "." else plain)


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
    for content in MADE:
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


def body(grid: TableGrid) -> list[list[str]]:
    return [[cell.text for cell in row] for row in grid.by_slot()]


def test_accounts_add_up_and_their_changes_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    for seed in range(300):
        separator = random.Random(seed).choice(table_parts.SEPARATORS)
        monkeypatch.setattr(table_parts, "SEPARATORS", (separator,))
        rows = body(lay_out(tables_numeric.accounts(random.Random(seed), 6, 12)))
        sums: list[Decimal] = []
        totals: list[list[Decimal]] = []
        change = any(word in cell for row in rows[:2] for cell in row for word in ("Change", "± %", "Growth"))
        for name, *cells in rows[1:]:
            if not cells[0] or not cells[0].strip("()-–")[0].isdigit() or cells[0] in map(str, range(1990, 2030)):
                continue
            if "FY" in cells[0] or "est." in cells[0]:
                continue
            values = [amount(cell, separator) for cell in (cells[:-1] if change else cells)]
            if change and cells[-1]:
                exact = (100 * (values[-1] - values[-2]) / values[-2]).quantize(Decimal("0.1"), ROUND_HALF_UP)
                assert amount(cells[-1], separator) == exact
            if name.startswith("Total"):
                assert values == sums
                totals.append(values)
                sums = []
            elif len(totals) == 2:
                assert values == [income - expense for income, expense in zip(*totals, strict=True)]
                checked += 1
            else:
                sums = [a + b for a, b in zip(sums, values, strict=True)] if sums else values
    assert checked > 200


def test_census_rows_columns_and_shares_add_up() -> None:
    for seed in range(300):
        rows = tables_numeric.census(random.Random(seed), 6, 12)
        grid = body(lay_out(rows))[2:]
        numbers = [[cell.text for cell in row][-4:] for row in rows[2:]]
        shares = "Share (%)" in [cell.text for cell in rows[0]]
        separator = next(
            (s for s in (",", " ", ".") if any(s in cell for row in numbers for cell in row[:3] if len(cell) > 3)), ""
        )
        counts = [[int(amount(c, separator)) for c in (row[-4:-1] if shares else row[-3:])] for row in grid]
        assert all(a + b == both for a, b, both in counts)
        assert [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1]
        if shares:
            assert sum(amount(row[-1], separator) for row in grid[:-1]) == 100


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


def test_a_table_takes_less_than_two_milliseconds() -> None:
    started = time.perf_counter()
    for seed in range(500):
        tables.table(random.Random(seed))
    assert time.perf_counter() - started < 500 * 0.002 * 3  # a busy machine may be three times slower
