"""Whether the label says what the page says: its text, its formulas, its tables and the tree of its elements."""

import html
import re
from collections.abc import Iterator

from proofpress.generators import fonts
from proofpress.generators.layout import BULLETS, block_of, text_of
from proofpress.generators.painted import markup
from proofpress.generators.proof.printed import Printed
from proofpress.generators.sheet import MATH
from proofpress.pages import latex, markdown
from proofpress.pages.markdown import Block, Run
from proofpress.pages.record import UNLABELLED
from proofpress.pages.table import TableError, TableGrid
from proofpress.pages.table_html import from_html

_TAG = re.compile(r"<[^>]*>")


def fonts_loaded(printed: Printed) -> Iterator[str]:
    """All fonts loaded, and text is set in the page's own."""
    for family in printed.layout.failed_fonts:
        yield f"font {family} did not load"
    style = printed.spec.style
    for family in sorted(printed.layout.families - {style.font, style.heading_font, style.code_font}):
        yield f"text is set in {family}"


def plain_style(printed: Printed) -> Iterator[str]:
    """Nothing is set so that other text is painted than stands in the document, or none."""
    yield from printed.layout.odd


def no_tofu(printed: Printed) -> Iterator[str]:
    """The fonts the page is set in have a glyph for each of its characters."""
    style = printed.spec.style
    for piece in printed.kept:
        for name in (style.code_font,) if piece.type == "code" else (style.font, style.heading_font):
            missing = fonts.find_family(name).missing(text_of(piece) + piece.marker)
            if missing:
                yield f"{piece.id}: {name} has no glyph for {missing[0]!r}"


def same_text(printed: Printed) -> Iterator[str]:
    """The label has the blocks that were printed, and each block's text is painted as it stands."""
    if len(printed.blocks) != len(printed.labelled):
        yield f"the label has {len(printed.blocks)} blocks and the page {len(printed.labelled)}"
        return
    for piece, block in zip(printed.labelled, printed.blocks, strict=True):
        if block != block_of(piece):
            yield f"{piece.id}: the label reads {block.text[:80]!r}"
        placed = printed.layout.pieces[piece.id]
        if piece.type in ("table", "formula"):
            continue
        painted = placed.text
        said = block.text if block.kind == "code" else _plain(markdown.runs(block.text))
        if painted != said:
            yield f"{piece.id}: painted {painted[:80]!r}, label {said[:80]!r}"
        marker = "-" if placed.marker in BULLETS else placed.marker
        if block.kind != "code" and marker != block.marker:
            yield f"{piece.id}: marker painted {placed.marker!r}, label {block.marker!r}"
    for piece in printed.kept:
        if piece.type in UNLABELLED and piece.runs and printed.layout.pieces[piece.id].text != _plain(piece.runs):
            yield f"{piece.id}: painted {printed.layout.pieces[piece.id].text[:80]!r}"


def same_tree(printed: Printed) -> Iterator[str]:
    """The label is as the dialect writes it, and its blocks are the elements, whose parents are on the page."""
    if markdown.write(printed.blocks) != printed.label:
        yield "the label is not what its own blocks are written as"
    ids = [piece.id for piece in printed.kept]
    if len(set(ids)) < len(ids):
        yield "two elements have one id"
    for piece in printed.kept:
        if piece.parent is not None and piece.parent not in ids:
            yield f"{piece.id} belongs to {piece.parent}, which is not on the page"
    for piece, block in zip(printed.labelled, printed.blocks, strict=False):
        if text_of(piece) != block.text or (piece.level != block.level and piece.type != "paragraph"):
            yield f"{piece.id}: the element reads {text_of(piece)[:80]!r}, the label {block.text[:80]!r}"


def same_formulas(printed: Printed) -> Iterator[str]:
    """Every formula of the label is parsed by KaTeX, and what it paints for it is what stands on the page."""
    for piece, block in zip(printed.labelled, printed.blocks, strict=False):
        said = list(_formulas_of(block))
        painted = printed.layout.pieces[piece.id].formulas
        if len(said) != len(painted):
            yield f"{piece.id}: {len(painted)} formulas painted, {len(said)} in the label"
        for (source, display), stands in zip(said, painted, strict=False):
            try:
                expected = markup(source, display, printed.spec.style.math_font)
            except latex.LatexError as error:
                yield f"{piece.id}: {source!r}: {error}"
                continue
            if stands != expected:
                yield f"{piece.id}: {source!r} painted as {html.unescape(_TAG.sub('', stands))!r}"


def same_tables(printed: Printed) -> Iterator[str]:
    """Every table of the label covers each slot once, and its cells are those in the document."""
    blocks = [block for block in printed.blocks if block.kind == "table"]
    tables = [piece for piece in printed.kept if piece.type == "table"]
    for piece, block in zip(tables, blocks, strict=False):
        try:
            grid = from_html(block.text)
        except TableError as error:
            yield f"{piece.id}: {error}"
            continue
        if _rows(grid) != printed.layout.pieces[piece.id].cells:
            yield f"{piece.id}: cells painted differ from the label's"
        if grid != piece.grid:
            yield f"{piece.id}: the label's cells differ from the element's"


def _plain(runs: tuple[Run, ...]) -> str:
    return "".join(MATH if run.kind == "math" else run.text for run in runs)


def _formulas_of(block: Block) -> Iterator[tuple[str, bool]]:
    """Each formula of a block, with whether it is displayed."""
    if block.kind == "code":
        return
    if block.kind == "formula":
        yield block.text, True
        return
    texts = [cell.text for cell in from_html(block.text, fill=True).cells] if block.kind == "table" else [block.text]
    for text in texts:
        yield from ((run.text, False) for run in markdown.runs(text) if run.kind == "math")


def _rows(grid: TableGrid) -> tuple[tuple[tuple[str, int, int, str], ...], ...]:
    """A grid as the document's rows of ``(tag, rowspan, colspan, text)``."""
    return tuple(
        tuple(
            ("th" if cell.heading else "td", cell.rowspan, cell.colspan, _plain(markdown.runs(cell.text)))
            for cell in row
        )
        for row in grid.by_row()
    )
