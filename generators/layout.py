"""A page before it is printed: pieces of content in reading order, and the style they are set in.

Everything the press paints and everything the label says comes from the same pieces; the two are written out by
different code (``templates/`` and ``pages/markdown.py``) and compared by ``proof.py``.

    spec = lay_out("paper", Address(7, "press", 42))       # kinds.py
    label = markdown.write([block for piece in spec.pieces if (block := block_of(piece))])
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from proofpress.pages.markdown import Block, Run, inline
from proofpress.pages.record import UNLABELLED
from proofpress.pages.table import TableGrid
from proofpress.pages.table_html import to_html

ZONES = ("head", "masthead", "body", "foot")

#: The glyphs a bulleted list is printed with; the dialect writes all of them ``-``.
BULLETS = ("•", "–")


@dataclass(frozen=True, slots=True)
class Piece:
    """One element to print. type: of ``record.ELEMENT_TYPES``. zone: of ``ZONES``; only ``body`` is fitted to the page.

    runs: text and inline math, for all types but formula, table and figure. marker: a list item's, as printed.
    parent: the id of the piece this one belongs to; it goes when that goes.
    """

    id: str
    type: str
    zone: str = "body"
    runs: tuple[Run, ...] = ()
    latex: str = ""
    grid: TableGrid | None = None
    svg: str = ""
    level: int = 0
    marker: str = ""
    parent: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Style:
    """How a page is set; lengths in CSS pixels of a page ``width`` wide.

    leading: line height as a multiple of ``size``. table: ``grid``, ``rules`` (horizontal only) or ``striped``.
    """

    width: int
    height: int
    margin: int
    columns: int
    gap: int
    size: float
    leading: float
    font: str
    heading_font: str
    align: str
    indent: float
    table: str
    ink: str
    paper: str


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page to print. template: a name in ``templates/``. features: what the lattice says of this page."""

    template: str
    style: Style
    pieces: tuple[Piece, ...]
    features: Mapping[str, str]


def text_of(piece: Piece) -> str:
    """The piece's ``Element.text``: inline Markdown, bare LaTeX or table HTML; empty for a figure."""
    if piece.latex:
        return piece.latex
    if piece.grid is not None:
        return to_html(piece.grid)
    return inline(piece.runs)


def block_of(piece: Piece) -> Block | None:
    """The piece as a block of the label, or None for what is printed and not labelled."""
    if piece.type in UNLABELLED:
        return None
    text = text_of(piece)
    if piece.type in ("title", "heading"):
        return Block("heading", text, level=piece.level)
    if piece.type == "list_item":
        return Block("list_item", text, marker="-" if piece.marker in BULLETS else piece.marker)
    if piece.type == "formula":
        return Block("formula", text)
    if piece.type == "table":
        return Block("table", text)
    return Block("paragraph", text)
