"""A page before it is printed: pieces of content in reading order, and the style they are set in.

Everything the press paints and everything the label says comes from the same pieces; the two are written out by
different code (``templates/`` and ``pages/markdown.py``) and compared by ``proof.py``.

    spec = lay_out("paper", Address(7, "press", 42))       # kinds.py
    label = markdown.write([block for piece in spec.pieces if (block := block_of(piece))])
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from proofpress.pages.markdown import Block, Run, inline
from proofpress.pages.record import UNLABELLED
from proofpress.pages.table import TableGrid
from proofpress.pages.table_html import to_html

ZONES = ("head", "masthead", "body", "side", "notes", "foot")

#: The glyphs a bulleted list is printed with; the dialect writes all of them ``-``.
BULLETS = ("•", "–", "-")


#: Roles of pieces with lines drawn around them or beside them.
FRAMED = frozenset(("quote", "field", "letterhead", "dateline"))

#: How the label writes a note's mark, which the page raises.
_REFERENCE = re.compile(r"\[\^([^\s\[\]]+)\]")
_CELL_ITEM = re.compile(r"(?<= )(?=[•–] )")


@dataclass(frozen=True, slots=True)
class Piece:
    """One element to print. type: of ``record.ELEMENT_TYPES``. zone: of ``ZONES``; only ``body`` is fitted to the page.

    runs: text and inline math, for all types but formula, table and figure. marker: a list item's, as printed.
    parent: the id of the piece this one belongs to; it goes when that goes. group: pieces of one group that follow each
    other stand in one container, ``name:class``. traits: what of the lattice the piece shows (``coverage.py``).
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
    group: str = ""
    traits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Style:
    """How a page is set; lengths in CSS pixels of a page ``width`` wide.

    leading: line height as a multiple of ``size``. least: the smallest size that anything is set in. table: ``grid``,
    ``rules`` (horizontal only), ``striped`` or ``borderless``. kind: the kind of page, a class of its style sheet.
    direction: ``ltr`` or ``rtl``. math_font: an OpenType math font, or empty for KaTeX's own.
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
    kind: str = ""
    language: str = "en"
    direction: str = "ltr"
    density: str = "normal"
    least: float = 0.0
    code_font: str = ""
    math_font: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """Content that a page took from others. rows: ids of the records of the source it is from."""

    source: str
    licence: str
    url: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page to print. template: a name in ``templates/``. features: what the lattice says of this page.

    off: features that hold only where a piece shows them, with what they are where none does. taken: what of it is not
    the press's own.
    """

    template: str
    style: Style
    pieces: tuple[Piece, ...]
    features: Mapping[str, str]
    off: Mapping[str, str] = field(default_factory=dict)
    taken: Taken | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a text run; mark: whether it is the number of a note, raised on the page."""

    text: str
    mark: bool


def references(text: str) -> list[Part]:
    """The parts of printed text: what stands between notes' marks, and the marks."""
    parts = [Part(part, at % 2 == 1) for at, part in enumerate(_REFERENCE.split(text))]
    return [part for part in parts if part.text]


def cell_lines(text: str) -> list[str]:
    """A cell's text cut before each bullet, where the page begins a line; the whole of it where it holds no list."""
    return _CELL_ITEM.split(text) if text[:2] in ("• ", "– ") else [text]


def realised(spec: PageSpec, kept: Container[str]) -> dict[str, str]:
    """The page's features as printed: what its pieces were to show, where they are on the page, and else absent.

    kept: ids of the pieces on the page. A feature that no piece was to show holds as it was asked for.
    """
    wanted: dict[str, str] = dict(spec.features)
    shown: dict[str, list[str]] = {}
    for piece in spec.pieces:
        for axis, value in piece.traits.items():
            seen = shown.setdefault(axis, [])
            if piece.id in kept:
                seen.append(value)
    for axis, off in spec.off.items():
        seen = shown.get(axis, [])
        wanted[axis] = wanted[axis] if wanted.get(axis) in seen else (seen or [off])[0]
    return wanted


def text_of(piece: Piece) -> str:
    """The piece's ``Element.text``: inline Markdown, bare LaTeX or table HTML; empty for a figure."""
    if piece.latex:
        return piece.latex
    if piece.grid is not None:
        return to_html(piece.grid)
    if piece.type == "code":
        return piece.runs[0].text
    return inline(piece.runs)


def block_of(piece: Piece) -> Block | None:
    """The piece as a block of the label, or None for what is printed and not labelled."""
    if piece.type in UNLABELLED:
        return None
    text = text_of(piece)
    if piece.type in ("title", "heading"):
        return Block("heading", text, level=piece.level)
    if piece.type == "list_item":
        marker = "-" if piece.marker in BULLETS else piece.marker
        return Block("list_item", text, level=piece.level, marker=marker)
    if piece.type == "note":
        return Block("note", text, marker=piece.marker)
    if piece.type == "code":
        return Block("code", text, marker=piece.attributes.get("language", ""))
    if piece.type == "formula":
        return Block("formula", text)
    if piece.type == "table":
        return Block("table", text)
    return Block("paragraph", text)
