"""A page being written: its pieces in reading order, and what of its features they show.

page = Page(address, style, features, language)
page.heading(rng);  page.paragraph(rng, 3);  page.formula(rng);  page.table(rng)
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from proofpress.generators.address import Address
from proofpress.generators.content import code, figures, formulas, mathml, tables
from proofpress.generators.content.languages import Language
from proofpress.generators.content.tables_shaped import shaped
from proofpress.generators.kinds.traits import ABSENT
from proofpress.generators.layout import BULLETS, Piece, Style
from proofpress.pages.markdown import Run
from proofpress.pages.table import TableGrid

AMPLE = 1.12  # content made for a page, as a share of what is likely to fit
TRIES = 40  # formulas drawn until a math font can set one
PLAIN_FORMULA = r"x^{2} + y^{2} = z^{2}"
COLUMN_WIDTH = 6.0  # em of the page's type that a table's column takes, more or less
WIDE = {"chinese": 0.95, "japanese": 0.95, "korean": 0.75}  # em that a letter takes where it is not half of one


@dataclass(slots=True)
class Page:
    """Collects the pieces of one page and numbers them. features: what the lattice asks of it."""

    address: Address
    style: Style
    features: dict[str, str]
    language: Language
    pieces: list[Piece] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    zone: str = "body"
    group: str = ""
    guessed: list[tuple[str, bool]] = field(default_factory=list)  # formulas nobody has looked at, and if displayed
    _heights: dict[str, tuple[Piece, float]] = field(default_factory=dict)  # by id: the piece, and its likely height

    def rng(self, purpose: str) -> random.Random:
        return self.address.stream(purpose)

    def wants(self, axis: str) -> bool:
        """Whether the page is to have what this axis tells of."""
        return self.features[axis] not in ("no", "none", ABSENT)

    def parts(self, least: int = 0) -> Iterator[tuple[int, random.Random]]:
        """The page's parts, each a number and a stream, until they are likely to fill its body, ``least`` of them."""
        style = self.style
        room = AMPLE * style.columns * (style.height - 2 * style.margin)
        part = 0
        while part < least or sum(map(self._height, self._flowing())) < room:
            yield part, self.rng(f"part:{part}")
            part += 1

    def _height(self, piece: Piece) -> float:
        """``likely_height``, worked out once for each piece, and again for one that has been replaced."""
        known, height = self._heights.get(piece.id, (None, 0.0))
        if known is not piece:
            height = self.likely_height(piece)
            self._heights[piece.id] = piece, height
        return height

    def _flowing(self) -> Iterator[Piece]:
        return (piece for piece in self.pieces if piece.zone in ("body", "masthead"))

    def number(self, what: str) -> int:
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    def add(self, type_: str, **fields: object) -> Piece:
        fields = {"zone": self.zone, "group": self.group, **fields}
        piece = Piece(id=f"e{len(self.pieces)}", type=type_, **fields)  # type: ignore[arg-type]
        self.pieces.append(piece)
        return piece

    def text(self, type_: str, text: str, **fields: object) -> Piece:
        return self.add(type_, runs=(Run("text", text),), **fields)

    def term(self, key: str) -> str:
        return self.language.term(key)

    def label(self, key: str, what: str) -> str:
        """``Table 3``, ``表3``: a term and the next number of its kind."""
        gap = " " if self.language.spaced else ""
        return f"{self.term(key)}{gap}{self.language.localised(str(self.number(what)))}"

    def counted(self, key: str, number: int) -> str:
        """``Chapter 6``, ``第6章``: a term with a number."""
        digits = self.language.localised(str(number))
        return f"{self.term(key)} {digits}" if self.language.spaced else f"第{digits}{self.term(key)}"

    def caption(self, rng: random.Random, key: str, note: str = "") -> str:
        return f"{self.label(key, key)}{note}: {self.language.phrase(rng, 'caption')}"

    def inline(self, rng: random.Random) -> str:
        """LaTeX of a formula in a line of text, which the page's math font can set."""
        return self._settable(lambda: formulas.inline(rng), display=False)

    def _settable(self, draw: Callable[[], str], *, display: bool) -> str:
        font = self.style.math_font
        for _ in range(TRIES):
            latex = draw()
            if not font or self._accepted(latex, display):
                return latex
        return PLAIN_FORMULA

    def _accepted(self, latex: str, display: bool) -> bool:
        """Whether the math font can set a formula; one that nobody has looked at yet is guessed to be settable."""
        if mathml.known(latex, display):
            return mathml.accepted(latex, display, self.style.math_font)
        self.guessed.append((latex, display))
        return True

    def guessed_right(self) -> bool:
        """Look at all formulas that were only guessed to be settable, in one call; whether every one of them is."""
        mathml.prepare(self.guessed)
        return all(mathml.accepted(*formula, self.style.math_font) for formula in self.guessed)

    def title(self, rng: random.Random, text: str = "", zone: str = "masthead") -> Piece:
        return self.text("title", text or self.language.phrase(rng, "title"), zone=zone, level=1)

    def heading(self, rng: random.Random, level: int = 2, number: str = "") -> Piece:
        text = self.language.phrase(rng, "heading")
        return self.text("heading", f"{number} {text}" if number else text, level=level)

    def paragraph(self, rng: random.Random, sentences: int, *, math: bool = False, **fields: object) -> Piece:
        runs = self.language.paragraph(rng, sentences, self.inline if math else None)
        if math and any(run.kind == "math" for run in runs):
            fields["traits"] = {"formula": "inline", "formula.font": self.features["formula.font"]}
        return self.add("paragraph", runs=runs, **fields)

    def lines(self, *lines: str, **fields: object) -> Piece:
        """A paragraph whose lines stand below each other: an address, a verse."""
        role = fields.pop("role", "lines")
        return self.text("paragraph", "\n".join(lines), attributes={"role": str(role)}, **fields)

    def formula(self, rng: random.Random, form: str = "", *, numbered: bool = False) -> Piece:
        """A displayed formula; of the form asked for, or any."""
        draw = (lambda: formulas.of_form(rng, form)) if form else (lambda: formulas.display(rng))
        latex = self._settable(draw, display=True)
        traits = {
            "formula": form if form and latex != PLAIN_FORMULA else "line",
            "formula.number": "yes" if numbered else "no",
            "formula.font": self.features["formula.font"],
        }
        piece = self.add("formula", latex=latex, traits=traits)
        if numbered:
            number = self.language.localised(str(self.number("formula")))
            self.text("formula_number", f"({number})", parent=piece.id)
        return piece

    def shaped_table(self, rng: random.Random) -> Piece:
        """The table the page's features ask for, with its caption."""
        shape = {axis.partition(".")[2]: value for axis, value in self.features.items() if axis.startswith("table.")}
        room = max(3, int(self.column_width() / (COLUMN_WIDTH * self.style.size)))
        made = shaped(rng, self.language, shape, room, self.inline)
        attributes = {} if made.turned is None else {"turned": str(made.turned)}
        traits = {axis: value for axis, value in self.features.items() if axis.startswith("table.")}
        note = f" ({self.term('continued')})" if shape["continued"] == "yes" else ""
        return self._captioned(rng, made.grid, self.caption(rng, "table", note), attributes, traits)

    def english_table(self, rng: random.Random, columns: int, rows: int) -> Piece | None:
        """One more table, as English documents have them; none in other languages."""
        if self.language.code != "en" or self.style.math_font:
            return None
        content = tables.table(rng, max_columns=columns, max_rows=rows)
        caption = f"{self.label('table', 'table')}: {content.caption}"
        return self._captioned(rng, content.grid, caption, {}, {})

    def _captioned(
        self,
        rng: random.Random,
        grid: TableGrid,
        caption: str,
        attributes: Mapping[str, str],
        traits: Mapping[str, str],
    ) -> Piece:
        if rng.random() < 0.7:
            note = self.text("caption", caption, parent=f"e{len(self.pieces) + 1}")
            return self.add("table", grid=grid, attributes={**attributes, "caption": note.id}, traits=traits)
        piece = self.add("table", grid=grid, attributes=attributes, traits=traits)
        self.text("caption", caption, parent=piece.id)
        return piece

    def grid(self, grid: TableGrid, **fields: object) -> Piece:
        """A table without a caption."""
        return self.add("table", grid=grid, **fields)

    def figure(self, rng: random.Random, share: float = 1.0) -> None:
        """A figure over a share of its column's width, with its caption."""
        width = max(180, int(self.column_width() * share))
        height = max(130, int(width * rng.uniform(0.42, 0.62)))
        english = self.language.code == "en"
        translate = None if english else lambda: self.language.phrase(rng, rng.choice(("thing", "measure")))
        content = figures.figure(rng, min(width, 560), min(height, 300), translate)
        attributes = {"texts": "\n".join(content.texts)}
        piece = self.add("figure", svg=content.svg, attributes=attributes, traits={"figure": "yes"})
        self.text("caption", self.caption(rng, "figure"), parent=piece.id)

    def items(self, rng: random.Random, form: str, count: int, *, math: bool = False) -> None:
        """A list: ``bullets``, ``numbers``, or ``nested`` with lists of the other sort in some of its items."""
        bullet = self.bullet(rng)
        for item in range(count):
            runs = self.language.paragraph(rng, 1, self.inline if math and rng.random() < 0.3 else None)
            marker = f"{item + 1}." if form != "bullets" else bullet
            traits = {"list": form} if form != "nested" else {}
            piece = self.add("list_item", runs=runs, marker=marker, traits=traits)
            if form == "nested" and item < 2:
                for _ in range(rng.randint(1, 3)):
                    self.text(
                        "list_item", self.language.phrase(rng, "item"), marker=bullet, level=1, parent=piece.id,
                        traits={"list": "nested"},
                    )  # fmt: skip

    def bullet(self, rng: random.Random) -> str:
        return rng.choice(BULLETS if self.language.script in ("latin", "greek", "cyrillic") else BULLETS[1:])

    def listing(self, rng: random.Random) -> None:
        """A few lines of code."""
        letters = int(self.column_width() / (max(0.86 * self.style.size, self.style.least) * 0.66))
        made = code.listing(rng, min(66, max(36, letters)))
        self.text("code", made.text, attributes={"language": made.language}, traits={"code": "yes"})

    def boxed(self, rng: random.Random, key: str = "") -> None:
        """A framed remark: a word in bold, and what it says."""
        self.group = f"b{len(self.pieces)}:box"
        key = key or rng.choice(("example", "definition", "note", "theorem"))
        self.text("paragraph", self.label(key, key), attributes={"role": "label"})
        self.paragraph(rng, rng.randint(1, 2), math=self.wants("formula") and rng.random() < 0.5)
        self.pieces[-1] = replace(self.pieces[-1], traits={**self.pieces[-1].traits, "box": "yes"})
        self.group = ""

    def quote(self, rng: random.Random) -> None:
        """A sentence set large between the paragraphs."""
        self.paragraph(rng, 1, attributes={"role": "quote"}, traits={"quote": "yes"})

    def note(self, rng: random.Random, piece: Piece) -> None:
        """A footnote to a paragraph, its number raised at the paragraph's end."""
        mark = str(self.number("note"))
        place = self.pieces.index(piece)
        self.pieces[place] = replace(piece, runs=_joined(piece.runs, f"[^{mark}]"))
        runs = self.language.paragraph(rng, 1)
        self.add(
            "note", runs=runs, marker=mark, parent=piece.id, zone="notes", group="", traits={"notes": "yes"}
        )  # fmt: skip

    def margin_note(self, rng: random.Random) -> None:
        """A few words beside the paragraph that comes next."""
        self.text(
            "paragraph", self.language.phrase(rng, rng.choice(("heading", "item"))),
            attributes={"role": "margin"}, traits={"margin": "yes"},
        )  # fmt: skip

    def sidebar(self, rng: random.Random) -> None:
        """A column of its own beside the body."""
        zone, self.zone = self.zone, "side"
        traits = {"sidebar": "yes"}
        self.text("heading", self.language.phrase(rng, "heading"), level=3, traits=traits)
        for _ in range(rng.randint(2, 3)):
            if rng.random() < 0.4:
                for _ in range(rng.randint(2, 4)):
                    self.text("list_item", self.language.phrase(rng, "item"), marker=self.bullet(rng))
            else:
                self.paragraph(rng, rng.randint(1, 3), traits=traits)
        self.zone = zone

    def running_head(self, rng: random.Random, text: str = "") -> None:
        """What stands over the text of every page of a book."""
        if self.wants("head"):
            text = text or self.language.phrase(rng, "heading")
            self.text("running_head", text, zone="head", group="", traits={"head": "yes"})

    def page_number(self, rng: random.Random) -> None:
        """The page's number at its foot."""
        if self.wants("number"):
            number = self.language.localised(str(rng.randint(1, 899)))
            forms = [number, number, f"– {number} –"]
            if self.language.spaced:
                forms.append(f"{self.term('page')} {number}")
            self.text("page_number", rng.choice(forms), zone="foot", group="", traits={"number": "yes"})

    def column_width(self) -> float:
        style = self.style
        width = (style.width - 2 * style.margin - style.gap * (style.columns - 1)) / style.columns
        if self.wants("margin"):
            return width * 0.74
        return width * 0.7 if self.wants("sidebar") else width

    def likely_height(self, piece: Piece) -> float:
        """About how high a piece will stand, in pixels, from the look of its content alone."""
        style, line = self.style, self.style.size * self.style.leading
        if piece.grid is not None:
            return (piece.grid.rows + 1) * 1.9 * style.size
        if piece.svg:
            return 0.42 * min(self.column_width(), 560)
        if piece.type == "formula":
            return 2.4 * line
        if piece.type == "code":
            return (piece.runs[0].text.count("\n") + 2) * 1.25 * style.size
        letters = sum(len(run.text) * (0.5 if run.kind == "math" else 1) for run in piece.runs)
        broad = WIDE.get(self.language.script, 0.48)
        return (1 + letters * broad * style.size // self.column_width()) * line + 0.5 * style.size


def _joined(runs: tuple[Run, ...], text: str) -> tuple[Run, ...]:
    """Runs with text behind them; no two text runs touch."""
    if runs and runs[-1].kind == "text":
        return (*runs[:-1], Run("text", runs[-1].text + text))
    return (*runs, Run("text", text))
