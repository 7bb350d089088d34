"""The kinds of page the press knows, each a builder of a ``PageSpec`` from a page's address.

``paper`` is a two-column article page with formulas and a figure, ``report`` a page around a complex table, ``exam``
a textbook or exam page of numbered problems. Each builder writes more content than fits; the press keeps what does.

    spec = lay_out("report", Address(7, "press", 42), width=1024)
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from proofpress.generators import fonts
from proofpress.generators.address import Address
from proofpress.generators.content import figures, formulas, problems, prose, tables
from proofpress.generators.layout import BULLETS, PageSpec, Piece, Style, text_of
from proofpress.pages.markdown import Run

AMPLE = 1.1  # content made for a page, as a share of what is likely to fit
COLUMNS = {"paper": (2,), "exam": (1, 1, 1, 2)}  # those a kind is set in, one of them drawn; else one
MATH = {"dense": 0.9, "medium": 0.45, "light": 0.15}  # share of a paper's paragraphs with formulas in them
MONO = 0.2  # how often a typewriter face may be drawn at all
PAPERS = {"a4": 297 / 210, "letter": 11 / 8.5}  # height by width


def lay_out(kind: str, address: Address, width: int) -> PageSpec:
    """The page of this kind at this address. ``KeyError`` for a kind not in ``KINDS``."""
    builder = KINDS[kind]
    features: dict[str, str] = {"kind": kind}
    page = _Page(address, _style(kind, address.stream("style"), width, features), features)
    page.running_head(page.rng("running_head"))
    builder(page)
    page.page_number(page.rng("page_number"))
    style = _set_fonts(page, address.stream("fonts"))
    features["font"] = style.font
    return PageSpec(template="page.html.j2", style=style, pieces=tuple(page.pieces), features=features)


@dataclass(slots=True)
class _Page:
    """Collects the pieces of one page and numbers them."""

    address: Address
    style: Style
    features: dict[str, str]
    pieces: list[Piece] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def parts(self) -> Iterator[tuple[int, random.Random]]:
        """The page's parts, each a number and a stream, until they are likely to fill it."""
        style = self.style
        room = AMPLE * style.columns * (style.height - 2 * style.margin)
        part = 0
        while sum(_likely_height(piece, style) for piece in self.pieces) < room:
            yield part, self.rng(f"part:{part}")
            part += 1

    def rng(self, purpose: str) -> random.Random:
        return self.address.stream(purpose)

    def number(self, what: str) -> int:
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    def add(self, type_: str, **fields: object) -> Piece:
        piece = Piece(id=f"e{len(self.pieces)}", type=type_, **fields)  # type: ignore[arg-type]
        self.pieces.append(piece)
        return piece

    def text(self, type_: str, text: str, **fields: object) -> Piece:
        return self.add(type_, runs=(Run("text", text),), **fields)

    def paragraph(self, rng: random.Random, sentences: int, *, math: bool) -> Piece:
        return self.add("paragraph", runs=prose.paragraph(rng, sentences, formulas.inline if math else None))

    def formula(self, rng: random.Random, *, numbered: bool) -> Piece:
        piece = self.add("formula", latex=formulas.display(rng))
        if numbered:
            self.text("formula_number", f"({self.number('formula')})", parent=piece.id)
        return piece

    def table(self, rng: random.Random, *, columns: int, rows: int) -> Piece:
        content = tables.table(rng, max_columns=columns, max_rows=rows)
        self.features.update({f"table.{trait}": value for trait, value in content.traits.items()})
        caption = f"Table {self.number('table')}: {content.caption}"
        first = rng.random() < 0.7
        if first:
            note = self.text("caption", caption, parent=f"e{len(self.pieces) + 1}")
            return self.add("table", grid=content.grid, attributes={"caption": note.id})
        piece = self.add("table", grid=content.grid)
        self.text("caption", caption, parent=piece.id)
        return piece

    def figure(self, rng: random.Random, width: int, height: int) -> None:
        content = figures.figure(rng, width, height)
        piece = self.add("figure", svg=content.svg, attributes={"texts": "\n".join(content.texts)})
        self.text("caption", f"Figure {self.number('figure')}: {content.caption}", parent=piece.id)

    def bullets(self, rng: random.Random, items: int, *, math: bool) -> None:
        bullet = rng.choice(BULLETS)
        numbered = rng.random() < 0.4
        for item in range(items):
            runs = prose.paragraph(rng, 1, formulas.inline if math and rng.random() < 0.3 else None)
            self.add("list_item", runs=runs, marker=f"{item + 1}." if numbered else bullet)

    def running_head(self, rng: random.Random) -> None:
        """A running head, on most pages, as books and journals have it."""
        if rng.random() < 0.7:
            self.text("running_head", prose.heading(rng), zone="head")

    def page_number(self, rng: random.Random) -> None:
        """A page number, on most pages, at the foot and so last in reading order."""
        number = str(rng.randint(1, 899))
        if rng.random() < 0.85:
            self.text("page_number", rng.choice((number, f"– {number} –", f"Page {number}")), zone="foot")


def _style(kind: str, rng: random.Random, width: int, features: dict[str, str]) -> Style:
    paper = rng.choice(sorted(PAPERS))
    columns = rng.choice(COLUMNS.get(kind, (1,)))
    size = round(rng.uniform(13, 16) if columns == 2 else rng.uniform(14, 18.5), 1)
    style = Style(
        kind=kind,
        width=width,
        height=round(width * PAPERS[paper]),
        margin=rng.randint(48, 96) * width // 1024,
        columns=columns,
        gap=rng.randint(22, 40) * width // 1024,
        size=size * width / 1024,
        leading=round(rng.uniform(1.34, 1.62), 2),
        font="",
        heading_font="",
        align=rng.choice(("justify", "justify", "left")),
        indent=rng.choice((0.0, 0.0, 1.2)),
        table=rng.choice(("grid", "rules", "striped")),
        ink=rng.choice(("#000000", "#111111", "#1a1a2a", "#222222")),
        paper=rng.choice(("#ffffff", "#ffffff", "#ffffff", "#fdfcf8", "#fafafa")),
    )
    features |= {"paper": paper, "columns": str(columns), "table.style": style.table}
    return style


def _likely_height(piece: Piece, style: Style) -> float:
    """About how high a piece will stand, in pixels, from the look of its content alone."""
    line = style.size * style.leading
    column = (style.width - 2 * style.margin - style.gap * (style.columns - 1)) / style.columns
    if piece.grid is not None:
        return (piece.grid.rows + 1) * 1.8 * style.size
    if piece.svg:
        return 0.5 * column
    if piece.type == "formula":
        return 3 * line
    letters = sum(len(run.text) * (0.5 if run.kind == "math" else 1) for run in piece.runs)
    return (1 + letters * 0.48 * style.size // column) * line + 0.5 * style.size


def _set_fonts(page: _Page, rng: random.Random) -> Style:
    """The style with fonts that have a glyph for every character; the proof rejects a page that gets none."""
    painted = (text_of(piece) + piece.marker + piece.attributes.get("texts", "") for piece in page.pieces)
    text = "".join(sorted(set("".join(painted))))
    families = [family for family in fonts.families("latin") if family.kind != "mono" or rng.random() < MONO]
    rng.shuffle(families)
    fitting = [family.name for family in families if family.covers(text)] or [families[0].name]
    heading = fitting[0] if rng.random() < 0.6 else rng.choice(fitting)
    return replace(page.style, font=fitting[0], heading_font=heading)


def _paper(page: _Page) -> None:
    rng = page.rng("layout")
    if rng.random() < 0.6:
        page.text("title", prose.title(rng), zone="masthead", level=1)
        authors = ", ".join(prose.name(rng) for _ in range(rng.randint(1, 4)))
        page.text("paragraph", authors, zone="masthead", attributes={"role": "authors"})
        abstract = prose.paragraph(page.rng("abstract"), rng.randint(2, 4), None)
        page.add("paragraph", zone="masthead", runs=abstract, attributes={"role": "abstract"})
    width = (page.style.width - 2 * page.style.margin - page.style.gap) // 2
    figure_at = rng.randint(1, 5)
    table_at = rng.randint(2, 9) if rng.random() < 0.5 else -1
    numbered = rng.random() < 0.7
    density = rng.choice(sorted(MATH))
    page.features["math"] = density
    section = rng.randint(1, 5)
    for step, part in page.parts():
        if step % 5 == 0:
            page.text("heading", f"{section} {prose.heading(part)}", level=2)
            section += 1
        if step == figure_at:
            page.figure(part, width, round(width * part.uniform(0.45, 0.75)))
        elif step == table_at:
            page.table(part, columns=4, rows=6)
        elif part.random() < 0.12:
            page.bullets(part, part.randint(2, 4), math=True)
        else:
            page.paragraph(part, part.randint(2, 5), math=part.random() < MATH[density])
            if part.random() < 0.6 * MATH[density]:
                page.formula(part, numbered=numbered)


def _report(page: _Page) -> None:
    rng = page.rng("layout")
    if rng.random() < 0.7:
        page.text("title", prose.title(rng), zone="masthead", level=1)
    for step, part in page.parts():
        if part.random() < 0.7:
            page.text("heading", prose.heading(part), level=2)
        page.paragraph(part, part.randint(2, 5), math=part.random() < 0.2)
        if step % 3 == 0:
            page.table(part, columns=8, rows=14)
        elif part.random() < 0.4:
            page.bullets(part, part.randint(2, 5), math=False)


def _exam(page: _Page) -> None:
    rng = page.rng("layout")
    page.text("title", prose.title(rng), zone="masthead", level=1)
    if rng.random() < 0.6:
        page.paragraph(page.rng("instructions"), rng.randint(1, 3), math=False)
    first = rng.randint(1, 20)
    for step, part in page.parts():
        if step % 6 == 0 and part.random() < 0.6:
            page.text("heading", prose.heading(part), level=2)
        page.add("list_item", runs=problems.problem(part), marker=f"{first + step}.")
        if part.random() < 0.35:
            page.formula(part, numbered=False)
        if part.random() < 0.12:
            page.table(part, columns=4, rows=5)
        elif part.random() < 0.08:
            page.figure(part, 420 * page.style.width // 1024, 220 * page.style.width // 1024)


KINDS: dict[str, Callable[[_Page], None]] = {"paper": _paper, "report": _report, "exam": _exam}
