"""Each fault a page can have is made on purpose and must be found; a page without a fault must pass."""

import io
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from PIL import Image

from proofpress import templates
from proofpress.generators.layout import PageSpec, Piece, Style, block_of
from proofpress.generators.press import to_html
from proofpress.generators.proof import proof
from proofpress.generators.sheet import read_layout
from proofpress.pages import markdown
from proofpress.pages.markdown import Run
from proofpress.pages.table import Cell, TableGrid

STYLE = Style(
    width=1024, height=1325, margin=60, columns=1, gap=30, size=16, leading=1.5, font="Lato", heading_font="Lora",
    align="left", indent=0, table="grid", ink="#000000", paper="#ffffff", kind="report",
)  # fmt: skip
GRID = TableGrid(
    2,
    3,
    (
        Cell(0, 0, 2, 1, "Region", heading=True),
        Cell(0, 1, 1, 2, "Sales, $k$", heading=True),
        Cell(1, 1, text="1.5"),
        Cell(1, 2, text="15 < 20"),
    ),
)
PARAGRAPH = (Run("text", "The well-known fish of mass "), Run("math", "m_0"), Run("text", " costs $5."))
FIGURE = '<svg width="90" height="60"><rect x="9" y="9" width="70" height="40" fill="none" stroke="#000"/></svg>'
PIECES = (
    Piece("e0", "running_head", "head", (Run("text", "Annals of Fish"),)),
    Piece("e1", "title", "masthead", (Run("text", "On fish"),), level=1),
    Piece("e2", "heading", "body", (Run("text", "2 Methods"),), level=2),
    Piece("e3", "paragraph", "body", PARAGRAPH),
    Piece("e4", "formula", "body", latex=r"\int_0^1 x^2\,dx=\frac{1}{3}"),
    Piece("e5", "formula_number", "body", (Run("text", "(3)"),), parent="e4"),
    Piece("e6", "list_item", "body", (Run("text", "First fish"),), marker="•"),
    Piece("e7", "table", "body", grid=GRID),
    Piece("e8", "caption", "body", (Run("text", "Table 1: Fish"),), parent="e7"),
    Piece("e9", "figure", "body", svg=FIGURE),
    Piece("e10", "page_number", "foot", (Run("text", "7"),)),
)  # fmt: skip
SPEC = PageSpec("page.html.j2", STYLE, PIECES, {})
LABEL = markdown.write([block for piece in PIECES if (block := block_of(piece))])


def faults(browser, html=None, label=LABEL, spec=SPEC):
    sheet = browser.print(html or to_html(SPEC), STYLE.height)
    pixels = np.asarray(Image.open(io.BytesIO(sheet.png)).convert("L"))
    return {fault.reason: fault.evidence for fault in proof(spec, label, read_layout(sheet.measured), pixels)}


def test_a_page_without_fault_passes_every_rule(browser):
    assert faults(browser) == {}


@pytest.mark.parametrize(
    ("rule", "css"),
    [
        ("clipped", "[data-eid=e0] { position: absolute; left: 1000px; white-space: nowrap }"),
        ("clipped", "[data-eid=e3] { font-size: 0 }"),
        ("clipped", "[data-eid=e8] { height: 4px; line-height: 30px }"),
        ("occluded", "[data-eid=e9] { position: relative; top: -330px; margin-bottom: -70px; background: #fff }"),
        ("occluded", "[data-eid=e3] { visibility: hidden }"),
        ("overflow", "[data-eid=e0] { display: block; width: 30px; white-space: nowrap }"),
        ("overlap", "[data-eid=e8] { margin-top: -30px }"),
        ("overlap", "[data-eid=e8] { line-height: 5px; width: 45px }"),
        ("overlap", "[data-eid=e3] { letter-spacing: -4px; word-spacing: -40px }"),
        ("ink", "[data-eid=e3] { color: transparent }"),
        ("ink", "[data-eid=e8] { color: #fefefe }"),
        ("ink", "[data-eid=e9] svg { visibility: hidden }"),
        ("contrast", "#page { background: #777; color: #444 }"),
        ("contrast", "[data-eid=e3] { background: #333 }"),
        ("contrast", "#page { color: #b8b8b8 }"),
        ("ink", ".masthead { border-bottom: 3px solid #000; padding-bottom: 30px }"),
        ("clipped", ".item-text { display: none }"),
        ("style", "[data-eid=e3] { text-transform: uppercase }"),
        ("style", "[data-eid=e3] { font-variant: small-caps }"),
        ("style", "[data-eid=e3] { font-size: 5px }"),
        ("style", "[data-eid=e3]::before { content: 'Not ' }"),
        ("style", "td::after { content: '9' }"),
        ("style", "[data-eid=e3] { direction: rtl; unicode-bidi: bidi-override }"),
        ("style", "[data-eid=e3] { transform: scaleX(-1) }"),
        ("style", "[data-eid=e3] { clip-path: inset(0 60% 0 0) }"),
        ("style", "[data-eid=e3] { -webkit-text-security: disc }"),
        ("style", "[data-eid=e3] { text-decoration: line-through 6px }"),
        ("style", "[data-eid=e3] { opacity: 0.4 }"),
        ("style", "[data-eid=e4] .mfrac { display: none }"),
        ("style", "[data-eid=e4] .vlist { visibility: hidden }"),
        ("style", "[data-eid=e4] .mord { color: transparent }"),
        ("style", ".katex * { font-family: Lato !important }"),
        ("font", "[data-eid=e3] { font-family: 'Open Sans' }"),
        ("order", ".body { display: flex; flex-direction: column-reverse }"),
        ("order", ".item { flex-direction: row-reverse }"),
        ("order", "table { direction: rtl }"),
        ("order", "tbody { display: flex; flex-direction: column-reverse }"),
        ("ink", ".body::before { content: 'Stray words'; color: #ccc }"),
        ("ink", "[data-eid=e3] { background: #000 }"),
        ("ink", "[data-eid=e3] { border: 4px solid }"),
        ("font", "@font-face { font-family: Gone; src: url(file:///gone.woff2) } [data-eid=e8] { font-family: Gone }"),
    ],
)
def test_a_fault_of_printing_is_found(browser, rule, css):
    found = faults(browser, to_html(SPEC) + f"<style>{css}</style>")
    assert rule in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("costs", "<sup>costs</sup>"),
        ("costs", "<s>costs</s>"),
        ("costs", 'co<i style="color: #fff">s</i>ts'),
        ("costs", '<i style="position: relative; left: 60px">costs</i>'),
        ("costs", 'costs<input value="more">'),
        ("costs", "<bdo dir=rtl>costs</bdo>"),
        ('data-type="table">', 'data-type="table"><caption>More</caption>'),
        (
            '<main class="body" data-decor>',
            '<main class="body" data-decor><div style="position: absolute; left: 500px; top: 100px">More</div>',
        ),
    ],
)
def test_what_does_not_belong_on_a_sheet_is_found(browser, old, new):
    html = to_html(SPEC)
    assert html.count(old) == 1
    assert "style" in faults(browser, html.replace(old, new))


@pytest.mark.parametrize(
    "label",
    [LABEL + "\n", "\n" + LABEL, LABEL.replace("\n\n", "\n\n\n", 1), LABEL.replace("## 2", "##  2")],
    ids=["end", "start", "between", "mark"],
)
def test_a_label_that_reads_right_and_is_not_written_as_the_dialect_writes_it_is_found(browser, label):
    assert markdown.read(label) == markdown.read(LABEL)
    assert faults(browser, label=label).keys() == {"tree"}


@pytest.mark.parametrize(
    ("number", "other", "rule"),
    [
        (8, {"parent": "e99"}, "tree"),
        (2, {"level": 3}, "tree"),
        (3, {"runs": (Run("text", "Another fish."),)}, "tree"),
        (7, {"grid": replace(GRID, cells=(*GRID.cells[:-1], Cell(1, 2, text="15 < 21")))}, "table"),
    ],
)
def test_elements_that_say_something_else_than_the_label_are_found(browser, number, other, rule):
    pieces = tuple(replace(piece, **other) if piece.id == f"e{number}" else piece for piece in PIECES)
    assert rule in faults(browser, to_html(SPEC), spec=replace(SPEC, pieces=pieces))


@pytest.mark.parametrize(("painted", "said"), [("x", r"\mathbf{x}"), (r"\overline{x}", r"\underline{x}")])
def test_a_formula_of_the_same_letters_set_otherwise_is_found(browser, painted, said):
    pieces = tuple(replace(piece, latex=painted) if piece.latex else piece for piece in PIECES)
    label = LABEL.replace(PIECES[4].latex, said)
    assert "formula" in faults(browser, to_html(replace(SPEC, pieces=pieces)), label)


def test_no_style_sheet_of_ours_paints_pseudo_elements():
    for name in ("page.css", "kinds.css"):
        assert "::" not in (resources.files(templates) / "css" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rule", "printed", "said"),
    [
        ("text", "costs $5", "costs $6"),
        ("text", "well-known", "well known"),
        ("text", "Table 1: Fish", "Table 1: fish"),
        ("text", "•", "4."),
        ("formula", "x^2", "x_2"),
        ("formula", "m_0", "m^0"),
        ("table", "1.5", "15"),
    ],
)
def test_a_label_that_says_something_else_than_the_page_is_found(browser, rule, printed, said):
    other = to_html(replace(SPEC, pieces=tuple(_swap(piece, printed, said) for piece in PIECES)))
    assert rule in faults(browser, other)


def _swap(piece, old, new):
    grid = piece.grid
    if grid is not None:
        grid = replace(grid, cells=tuple(replace(cell, text=cell.text.replace(old, new)) for cell in grid.cells))
    runs = tuple(replace(run, text=run.text.replace(old, new)) for run in piece.runs)
    return replace(
        piece, runs=runs, latex=piece.latex.replace(old, new), grid=grid, marker=piece.marker.replace(old, new)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('rowspan="2"', 'rowspan="1"'),
        ("<th", "<td"),
        ("15 &lt; 20", "15 20"),
        (">1.5<", "> <"),
    ],
)
def test_a_table_painted_with_other_cells_is_found(browser, old, new):
    html = to_html(SPEC)
    assert old in html
    assert "table" in faults(browser, html.replace(old, new))


@pytest.mark.parametrize(
    "label", ["", LABEL + "\n\nMore.", LABEL.replace("\\int", "\\inft"), LABEL.replace("## 2", "# 2")]
)
def test_a_label_of_other_blocks_is_found(browser, label):
    assert faults(browser, label=label)


@pytest.mark.parametrize("style", ["grid", "rules", "striped"])
def test_a_merged_cell_does_not_look_like_empty_ones(browser, style):
    heads = (Cell(0, 0, text="Monday", heading=True), Cell(0, 1, text="Tuesday", heading=True))
    merged = (*heads, Cell(1, 0, 1, 2, "rest"))
    apart = (*heads, Cell(1, 0, text="rest"), Cell(1, 1))
    pictures = {
        browser.print(to_html(PageSpec("page.html.j2", replace(STYLE, table=style), (table,), {})), STYLE.height).png
        for table in (Piece("e0", "table", grid=TableGrid(2, 2, cells)) for cells in (merged, apart))
    }
    assert len(pictures) == 2
