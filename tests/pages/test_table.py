"""The table grid and its languages: a grid tiles or cannot be built, and each language reads back what it wrote."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.pages.table import Cell, LooseCell, TableError, TableGrid, lay_out, one_line
from proofpress.pages.table_html import from_html, tables_in, to_html
from proofpress.pages.table_markdown import from_markdown, to_markdown
from proofpress.pages.table_otsl import from_otsl, to_otsl

cell_text = st.lists(
    st.sampled_from([*"a &<>|\\'\"é", "&amp;", "<b>", "</td>", "\\|", "$x$", "\\$", "<nl>", "<!--"]),
    max_size=6,
).map(lambda parts: one_line("".join(parts)))


@st.composite
def grids(draw: st.DrawFn, spans: bool = True) -> TableGrid:
    """A grid tiled at random, each free slot getting the largest of the drawn spans that fits there."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    free = {(row, column) for row in range(rows) for column in range(columns)}
    cells = []
    for row, column in sorted(free):
        if (row, column) not in free:
            continue
        height, width = (draw(st.integers(1, 3)), draw(st.integers(1, 3))) if spans else (1, 1)
        while not {(row, column + c) for c in range(width)} <= free:
            width -= 1
        while not {(row + r, column + c) for r in range(height) for c in range(width)} <= free:
            height -= 1
        free -= {(row + r, column + c) for r in range(height) for c in range(width)}
        heading = draw(st.booleans()) if spans else row == 0
        cells.append(Cell(row, column, height, width, draw(cell_text), heading))
    return TableGrid(rows, columns, tuple(cells))


@given(grids())
@settings(max_examples=100, deadline=None)
def test_html_reads_back_what_it_wrote(grid: TableGrid) -> None:
    html = to_html(grid)
    assert from_html(html) == grid
    assert from_html(html, fill=True) == grid
    assert tables_in(f"Before {html} after.") == [html]


@given(grids())
@settings(max_examples=100, deadline=None)
def test_otsl_reads_back_what_it_wrote(grid: TableGrid) -> None:
    assert from_otsl(to_otsl(grid)) == grid


@given(grids(spans=False))
@settings(max_examples=100, deadline=None)
def test_markdown_reads_back_what_it_wrote(grid: TableGrid) -> None:
    assert from_markdown(to_markdown(grid)) == grid


@given(grids(), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_the_cells_does_not_matter(grid: TableGrid, random) -> None:
    cells = list(grid.cells)
    random.shuffle(cells)
    assert TableGrid(grid.rows, grid.columns, tuple(cells)) == grid


@pytest.mark.parametrize(
    ("rows", "columns", "cells", "reason", "names"),
    [
        (2, 2, [Cell(0, 0, 1, 2), Cell(1, 0)], "hole", "(1, 1)"),
        (1, 2, [Cell(0, 0, 1, 2), Cell(0, 1)], "overlap", "slot (0, 1) is covered twice, by the cells at (0, 0) and"),
        (1, 1, [Cell(0, 0), Cell(0, 0)], "overlap", "slot (0, 0)"),
        (2, 1, [Cell(0, 0, 3, 1)], "span", "cell at (0, 0) reaches to (2, 0)"),
        (1, 2, [Cell(0, 0), Cell(0, 1, 1, 2)], "span", "cell at (0, 1) reaches to (0, 2)"),
        (1, 1, [Cell(-1, 0)], "span", "cell at (-1, 0)"),
        (1, 1, [Cell(0, 0, 0, 1)], "span", "spans 0 rows"),
        (1, 1, [Cell(0, 0, text="a\nb")], "text", "cell at (0, 0)"),
        (0, 0, [], "size", "0 rows"),
        (1_000, 1_000, [], "size", "too large"),
    ],
)
def test_a_grid_that_does_not_tile_says_where(
    rows: int, columns: int, cells: list[Cell], reason: str, names: str
) -> None:
    with pytest.raises(TableError) as error:
        TableGrid(rows, columns, tuple(cells))
    assert error.value.reason == reason
    assert names in str(error.value)


def test_a_spanning_cell_stands_in_all_its_slots_and_begins_in_one_row() -> None:
    grid = lay_out([[LooseCell("a", rowspan=2), LooseCell("b")], [LooseCell("c")]])
    assert [[cell.text for cell in row] for row in grid.by_slot()] == [["a", "b"], ["a", "c"]]
    assert [[cell.text for cell in row] for row in grid.by_row()] == [["a", "b"], ["c"]]


SAME = '<table><tr><th>a</th><th>b</th></tr><tr><td colspan="2">c</td></tr></table>'


@pytest.mark.parametrize(
    "html",
    [
        SAME,
        SAME.upper().replace("A<", "a<").replace("B<", "b<").replace("C<", "c<"),
        "<table><tr><th>a<th>b<tr><td colspan=2>c",
        "<table><thead><tr><td>a</td><td>b</td></tr></thead><tbody><tr><td colspan='2'>c</td></tr></tbody></table>",
        "<table><thead><th>a<th>b</thead><tfoot><tr><td colspan=2>c</tfoot></table>",
        "<!DOCTYPE html><html><style>td {}</style><body><table border=1><caption>t</caption><colgroup><col></colgroup>"
        "<tr class='x'><th>a</th>\n<th>b<!-- <td>no</td> --><tr><td style='a>b' colspan=2>c</td></tr></table>",
        f"prose {SAME} <table><tr><td>other</td></tr></table>",
        '<table><tr><th> <b>a</b></th><th>b&#32;</th></tr><tr><td colSpan = "+2px"><p>c</p></td></tr></tab',
        '<table><th>a</th><th>b</th></tr><tr><td colspan="2" rowspan="1">c</td></tr></table></table></tr>',
    ],
)
def test_however_a_table_is_spelled_it_is_the_same_grid(html: str) -> None:
    assert to_html(from_html(html)) == SAME


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a<br>b<BR/>c<br />d", "a b c d"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<b>b</b><i>c</i>", "abc"),
        ("a&nbsp;&lt;b&gt; &amp;amp; &copy &nosuch;", "a <b> &amp; © &nosuch;"),
        ("<eos> 1<2, x<y and z>w, a < b", "<eos> 1<2, x<y and z>w, a < b"),
        ("10<sup>2</sup>", "10$^{2}$"),
        ("x<sub>i</sub><sup>2</sup>", "x$_{i}^{2}$"),
        ("$x$<sup>5%</sup>", "$x^{5\\%}$"),
        ("a<sup>$b^2$</sup>", "a$^{b^2}$"),
        ("a<sup></sup>", "a"),
        ("a<sup>b", "ab"),
        ("e<sup>x<sub>1</sub></sup>", "e$^{x_{1}}$"),
        ("<table><tr><td>in</td><td>ner</td></tr></table> outer", "in ner outer"),
        ("<script>alert('</td>')</script><style>b{}</style>a", "a"),
        ("<b> </b>", ""),
        ("$a<b$ and \\$5", "$a<b$ and \\$5"),
    ],
)
def test_a_cell_has_the_text_that_a_reader_sees(content: str, text: str) -> None:
    grid = from_html(f"<table><tr><td>{content}</td></tr><tr><td>next</td></tr></table>")
    assert [cell.text for cell in grid.cells] == [text, "next"]


@pytest.mark.parametrize(
    ("attributes", "spans"),
    [
        ("colspan=2", (1, 2)),
        ("colspan='two'", (1, 1)),
        ("colspan=0", (1, 1)),
        ("colspan=-3", (1, 1)),
        ("colspan", (1, 1)),
        ("COLSPAN=\"2\" ROWSPAN='2'", (2, 2)),
        ("rowspan=0", (3, 1)),
        ("data-colspan=2", (1, 1)),
        ("rowspan=2.7", (2, 1)),
        (f"colspan={'9' * 5_000}", (1, 1_000)),
    ],
)
def test_spans_are_read_as_a_browser_reads_them(attributes: str, spans: tuple[int, int]) -> None:
    cell = from_html(f"<table><tr><td {attributes}>a</td></tr><tr></tr><tr></tr></table>", fill=True).cells[0]
    assert (cell.rowspan, cell.colspan) == spans


@pytest.mark.parametrize(
    ("html", "reason", "mended"),
    [
        ("<tr><td>a<td>b<tr><td>c", "hole", "<tr><td>a</td><td>b</td></tr><tr><td>c</td><td></td></tr>"),
        ("<tr><td rowspan=3>a<td>b<tr><td>c", "span", '<tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr>'),
        (
            "<tr><td>a<td rowspan=2>b<tr><td colspan=2>c",
            "overlap",
            '<tr><td>a</td><td rowspan="2">b</td></tr><tr><td>c</td></tr>',
        ),
        ("<tr><td>a<tr>", "hole", "<tr><td>a</td></tr><tr><td></td></tr>"),
    ],
)
def test_what_does_not_tile_is_refused_in_labels_and_mended_in_output(html: str, reason: str, mended: str) -> None:
    with pytest.raises(TableError) as error:
        from_html(f"<table>{html}</table>")
    assert error.value.reason == reason
    assert to_html(from_html(f"<table>{html}</table>", fill=True)) == f"<table>{mended}</table>"


@pytest.mark.parametrize("html", ["", "no table", "<table>", "<table></table>", "<tr><td>a</td></tr>", "<table>a<tr"])
def test_markup_without_a_table_is_an_error(html: str) -> None:
    with pytest.raises(TableError) as error:
        from_html(html)
    assert error.value.reason in ("markup", "size")


def row_of_spans(rowspan: int, colspan: int) -> str:
    return "<tr>" + f"<td rowspan={rowspan} colspan={colspan}>" * 1_000


@pytest.mark.parametrize(
    "html",
    [
        "<table>" + row_of_spans(100_000, 100_000) * 20,
        "<table>" + "<tr>" * 200_000 + "<td colspan=9999>",
        "<table>" + "<tr><td rowspan=60000 colspan=999><td>" * 20_000,
        "<table><tr><td>" + "<table>" * 100_000,
        "<table><tr><td>" + "<sup>" * 100_000,
        "<table><tr><td " + "a='" * 100_000,
        "<table><tr><td>" + "<" * 400_000,
        "<table><tr><td>" + "<!--" * 100_000,
        "<table><tr><td " + " " * 400_000,
        "<table><tr><td>" + "&" * 400_000,
        "<table><tr><td>" + "<td\"'" * 80_000,
    ],
)
@pytest.mark.timeout(60)  # a guard against hanging
def test_hostile_markup_costs_neither_time_nor_memory(html: str) -> None:
    try:
        from_html(html, fill=True)
    except TableError as error:
        assert error.reason in ("size", "markup")
    tables_in(html)


def test_tables_in_a_text_are_found_whole() -> None:
    outer = "<table><tr><td><table><tr><td>in</table></td></tr></table>"
    assert tables_in(f"a {outer} b <TABLE a=1><tr></TABLE> </table> <table><tr>cut") == [
        outer,
        "<TABLE a=1><tr></TABLE>",
        "<table><tr>cut",
    ]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("|a|b|\n|-|:-:|\n|c|d|", "<tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr>"),
        ("a | b\n--- | ---\n c | d ", "<tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr>"),
        ("| a | b |\n| c | d |", "<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>"),
        ("| $\\|x\\|$ | |\n|---|---|", "<tr><th>$|x|$</th><th></th></tr>"),
    ],
)
def test_markdown_tables_of_models_are_read(markdown: str, html: str) -> None:
    assert to_html(from_markdown(markdown)) == f"<table>{html}</table>"


@pytest.mark.parametrize("markdown", ["", "prose", "| a |\nprose", "| a | b |\n|---|---|\n| c |"])
def test_text_that_is_no_markdown_table_is_an_error(markdown: str) -> None:
    with pytest.raises(TableError):
        from_markdown(markdown)


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th colspan=2>a</th></tr><tr><td>b</td><td>c</td></tr></table>",
        "<table><tr><td>a</td></tr></table>",
        "<table><tr><th>a</th></tr><tr><th>b</th></tr></table>",
    ],
)
def test_a_grid_that_markdown_cannot_hold_is_refused(html: str) -> None:
    with pytest.raises(TableError):
        to_markdown(from_html(html))


def test_otsl_has_one_token_a_slot() -> None:
    grid = from_html("<table><tr><th rowspan=2 colspan=2>a</th><td>b</td></tr><tr><td></td></tr></table>")
    assert to_otsl(grid) == "<ched>a<lcel><fcel>b<nl><ucel><xcel><ecel><nl>"
    assert from_otsl("<otsl>" + to_otsl(grid).removesuffix("<nl>") + "</otsl>") == grid


@pytest.mark.parametrize(
    "otsl",
    [
        "",
        "<lcel><nl>",
        "<fcel>a<nl><fcel>b<fcel>c<nl>",
        "<fcel>a<lcel><nl><ucel><lcel><nl>",
        "<fcel>a<xcel><nl>",
        "<fcel>a<lcel><nl><ucel><fcel>b<nl>",
    ],
)
def test_contradictory_otsl_is_an_error(otsl: str) -> None:
    with pytest.raises(TableError):
        from_otsl(otsl)


def test_published_html_tables_are_read_as_published(shared: Path) -> None:
    """The cases are olmOCR's, which keep ``<br>`` as a line break, drop ``sup`` and allow holes."""
    lines = (shared / "data/cases/table_parse_cases.jsonl").read_text().splitlines()
    cases = [case for case in map(json.loads, lines) if case["format"] == "html" and "<sup" not in case["content"]]
    assert cases
    for case in cases:
        fragments = tables_in(case["content"])
        assert len(fragments) == len(case["tables"])
        for fragment, table in zip(fragments, case["tables"], strict=True):
            grid = from_html(fragment, fill=not table["rect"])
            texts = {(cell.row, cell.column): cell.text for cell in grid.cells}
            assert {(row, column): one_line(text) for row, column, text in table["cells"]}.items() <= texts.items()
            headings = [[cell.row, cell.column] for cell in grid.cells if cell.heading]
            assert headings == sorted(table["heading"])
            if not table["rect"]:
                with pytest.raises(TableError):
                    from_html(fragment)
