"""Content out of a cleaned dataset: its paragraphs, formulas and tables set on pages of ours, under their own licence.

A page takes from one source and licence alone, so that its licence is one. Only rows of the train split are taken. What
a font, KaTeX or the dialect would not set as it stands is passed over.

    bank = open_bank(BankRecipe(path="out/arxiv", share=0.5))
    pieces, taken = bank.fill(pieces, style, "latin", Address(7, "press", 42).stream("bank"))
    taken.licence, taken.rows           # "CC-BY-4.0", ("0f3a...", ...)
"""

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, Field, model_validator

from proofpress.generators import fonts
from proofpress.generators.content import mathml
from proofpress.generators.layout import Piece, Style, Taken, text_of
from proofpress.pages import latex, markdown
from proofpress.pages.errors import RequestError
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html

MOST = 40_000  # passages of a dataset that are kept in memory
TRIES = 6  # passages drawn for a piece until one can be set
LETTERS = (40, 1500)  # of a paragraph
LONGEST = 160  # characters of a formula
ROWS, COLUMNS = 14, 7  # of a table, at most
COLUMNS_READ = ["id", "text", "task", "language", "split", "source"]

_REFERENCE = re.compile(r"\[\^")


class BankRecipe(BaseModel):
    """A cleaned dataset whose content is printed. digest: of its manifest; found from the folder where not given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path | None = Field(None, description="The dataset's folder, as `build` or `clean` wrote it.")
    share: float = Field(0.5, gt=0, le=1, description="The share of pages that take from it.")
    digest: str = Field("", description="SHA-256 of its manifest: another dataset is refused.")

    @model_validator(mode="before")
    @classmethod
    def _with_digest(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("path") and not values.get("digest"):
            return {**values, "digest": _digest(Path(values["path"]))}
        return values


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph's or formula's text, or a table's HTML, and the row it is from."""

    text: str
    row: str


@dataclass(frozen=True, slots=True)
class Stock:
    """What one source under one licence has. paragraphs: by language."""

    source: str
    licence: str
    url: str
    paragraphs: Mapping[str, list[Passage]] = field(default_factory=lambda: defaultdict(list))
    formulas: list[Passage] = field(default_factory=list)
    tables: list[Passage] = field(default_factory=list)


class Bank:
    """The stocks of a dataset, each to be drawn as often as it is large."""

    def __init__(self, stocks: Sequence[Stock], share: float) -> None:
        self.stocks, self.share = stocks, share

    def fill(
        self, pieces: Sequence[Piece], style: Style, script: str, rng: random.Random
    ) -> tuple[list[Piece], Taken | None]:
        """The pieces, some with content of the bank in place of their own; None where the page takes nothing.

        A piece that is filled shows nothing of the lattice, for nobody planned what it holds.
        """
        if rng.random() >= self.share or not self.stocks:
            return list(pieces), None
        sizes = [len(s.formulas) + len(s.tables) + sum(map(len, s.paragraphs.values())) for s in self.stocks]
        stock = rng.choices(self.stocks, sizes)[0]
        setter = _Setter(style, script, "".join(text_of(piece) + piece.marker for piece in pieces))
        filled, rows = [], []
        for piece in pieces:
            passage, new = next(_candidates(piece, stock, style, setter, rng), (None, piece))
            filled.append(new)
            if passage is not None:
                rows.append(passage.row)
        return filled, Taken(stock.source, stock.licence, stock.url, tuple(rows)) if rows else None


@cache
def open_bank(recipe: BankRecipe) -> Bank:
    """The bank; ``RequestError`` where its dataset is not there or is another one."""
    if recipe.path is None:
        raise RequestError("press.bank.path: say in which folder the dataset lies that content is taken from")
    if _digest(recipe.path) != recipe.digest:
        raise RequestError(f"press.bank.path: {recipe.path} holds another dataset than the recipe names by its digest")
    return Bank(_stocks(recipe.path), recipe.share)


def _stocks(folder: Path) -> list[Stock]:
    stocks: dict[tuple[str, str, str], Stock] = {}
    count = 0
    for path in sorted((folder / "data").glob("train-*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=200, columns=COLUMNS_READ):
            for row in batch.to_pylist():
                about = row["source"]["name"], row["source"]["licence"], row["source"]["url"]
                count += _take(stocks.setdefault(about, Stock(*about)), row)
                if count >= MOST:
                    return list(stocks.values())
    return [stock for stock in stocks.values() if stock.formulas or stock.tables or stock.paragraphs]


def _take(stock: Stock, row: Mapping[str, Any]) -> int:
    """Put a row's passages in the stock; how many there were."""
    blocks = markdown.read(row["text"]) if row["task"] != "layout" else []
    passages = 0
    for block in blocks:
        passage = Passage(block.text, row["id"])
        if block.kind == "paragraph" and row["language"] and LETTERS[0] <= len(block.text) <= LETTERS[1]:
            stock.paragraphs[row["language"]].append(passage)
        elif block.kind == "formula" and len(block.text) <= LONGEST:
            stock.formulas.append(passage)
        elif block.kind == "table":
            stock.tables.append(passage)
        else:
            continue
        passages += 1
    return passages


def _candidates(
    piece: Piece, stock: Stock, style: Style, setter: "_Setter", rng: random.Random
) -> Iterator[tuple[Passage, Piece]]:
    """The piece with passages of its kind in its place, as long as some can be set on the page."""
    passages: Sequence[Passage] = ()
    plain = piece.zone == "body" and not piece.group and not piece.attributes and piece.parent is None
    makes: Mapping[str, tuple[Sequence[Passage], Callable[[Piece, str], Piece]]] = {
        "paragraph": (stock.paragraphs.get(style.language, ()) if plain else (), _paragraph),
        "formula": (stock.formulas, _formula),
        "table": (stock.tables if "turned" not in piece.attributes else (), _table),
    }
    passages, make = makes.get(piece.type, ((), _paragraph))
    if any(_REFERENCE.search(run.text) for run in piece.runs):
        return  # a note hangs on it
    for passage in rng.sample(passages, min(TRIES, len(passages))):
        try:
            new = make(piece, passage.text)
        except (TableError, ValueError):
            continue
        if setter.sets(new):
            yield passage, replace(new, traits={})


def _paragraph(piece: Piece, text: str) -> Piece:
    return replace(piece, runs=markdown.runs(text))


def _formula(piece: Piece, text: str) -> Piece:
    return replace(piece, latex=text)


def _table(piece: Piece, text: str) -> Piece:
    grid = from_html(text)
    if grid.rows > ROWS or grid.columns > COLUMNS:
        raise TableError("size", f"{grid.rows} rows and {grid.columns} columns do not fit")
    return replace(piece, grid=grid)


class _Setter:
    """Knows what can be set on a page: by KaTeX, in its math font, and in a family that has all of its text so far."""

    def __init__(self, style: Style, script: str, text: str) -> None:
        self.style = style
        self.families = [f for f in fonts.families(script) if f.kind != "mono" and f.covers(text)]

    def sets(self, piece: Piece) -> bool:
        """Whether the piece can be set; its characters are then among those the page's font must have."""
        cells = [cell.text for cell in piece.grid.cells] if piece.grid is not None else []
        runs = [*piece.runs, *(run for cell in cells for run in markdown.runs(cell))]
        formulas = [(run.text, False) for run in runs if run.kind == "math"]
        formulas += [(piece.latex, True)] if piece.latex else []
        text = "".join(run.text for run in runs if run.kind == "text")
        if not all(self._painted(*formula) for formula in formulas) or not self._plain(text):
            return False
        able = [family for family in self.families if family.covers(text)]
        self.families = able or self.families
        return bool(able)

    def _painted(self, source: str, display: bool) -> bool:
        font = self.style.math_font
        return mathml.accepted(source, display, font) if font else latex.is_valid(source)

    def _plain(self, text: str) -> bool:
        """Whether the text is painted as it is written: composed, with single spaces, in the page's own direction."""
        if "[^" in text or "\n" in text or "  " in text or unicodedata.normalize("NFC", text) != text:
            return False
        turns = ("R", "AL") if self.style.direction == "ltr" else ()
        return not any(
            unicodedata.category(letter)[0] == "C"
            or (letter.isspace() and letter != " ")
            or unicodedata.bidirectional(letter) in turns
            for letter in text
        )


def _digest(folder: Path) -> str:
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        raise RequestError(f"press.bank.path: {folder} is no dataset folder: it has no manifest.json")
    return sha256(manifest.read_bytes()).hexdigest()
