"""SciTSR: tables of arXiv papers, as pictures with cells, and with the chunks of text that their PDFs hold.

``train/`` and ``test/`` (or either alone) have ``structure/ID.json`` (``cells[].{id, tex, content[], start_row,
end_row, start_col, end_col}``), ``chunk/ID.chunk`` (``chunks[].{pos[x0, x1, y0, y1], text}``, mind the order) and
``img/ID.png``. A cell with a formula is read from its TeX, any other from the words of its content. Chunks are in
points of the table's PDF, ``pdf/ID.pdf``, with the origin at its lower left; without it there are no boxes.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import (
    Corpus,
    Frame,
    RawRow,
    Ref,
    RowError,
    none_here,
    parse_ref,
    quad,
    reading,
    split_name,
    wanted,
)
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.jsonl import parse_object
from proofpress.cleaners.pdf import render_page
from proofpress.cleaners.tabular import cell_text
from proofpress.pages.markdown import Run, inline
from proofpress.pages.record import Word
from proofpress.pages.table import Cell, TableError, TableGrid, one_line
from proofpress.pages.table_html import to_html

_FILES = "**/structure/*.json"
_FORMULA = re.compile(r"\$[^$]+\$")


class SciTSR(Corpus):
    """The adapter."""

    name = "scitsr"
    about = "tables of arXiv papers (SciTSR)"
    licence = "MIT"
    terms = "corpus MIT; tables from arXiv papers, which keep their licence"
    revision = "1.0"
    url = "https://github.com/Academic-Hammer/SciTSR"
    coordinates = "points of the table's own PDF, origin bottom left, [x0, x1, y0, y1] a chunk"

    def items(self, path: Path) -> Iterator[str]:
        """One a structure file."""
        files = open_files(Path(path))
        if not (names := files.names(_FILES)):
            raise none_here(files.root, "SciTSR", _FILES)
        for name in names:
            folder = PurePosixPath(name).parent.parent.name
            yield str(Ref(split_name(folder), name, PurePosixPath(name).stem))

    def load(self, path: Path, ref: str) -> RawRow:
        """The table behind a reference. Raises ``RowError``."""
        files, name = open_files(Path(path)), parse_ref(ref).place
        folder, stem = str(PurePosixPath(name).parent.parent), PurePosixPath(name).stem
        original: dict[str, Any] = {"structure": parse_object(files.read(name))}
        with reading(original):
            (cells,) = wanted(original["structure"], original, cells=list)
            grid = _grid(cells, original)
            words, frame = _chunks(files, folder, stem, original)
            return RawRow(
                source=self.source(path, ref),
                image=files.read(f"{folder}/img/{stem}.png", original),
                text=to_html(grid),
                task="table",
                original=original,
                split=self.split(ref),
                language="en",
                words=words,
                frame=frame,
            )


def _grid(cells: list[Any], original: dict[str, Any]) -> TableGrid:
    laid = []
    for cell in cells:
        places = wanted(cell, original, start_row=int, end_row=int, start_col=int, end_col=int)
        top, bottom, left, right = places
        laid.append(Cell(top, left, bottom - top + 1, right - left + 1, _text(cell)))
    try:
        rows = max((cell.row + cell.rowspan for cell in laid), default=0)
        return TableGrid(rows, max((cell.column + cell.colspan for cell in laid), default=0), tuple(laid))
    except TableError as error:
        reason = {"overlap": "table.overlap", "hole": "table.ragged"}.get(error.reason, "table.structure")
        raise RowError(reason, str(error), original) from error


def _text(cell: dict[str, Any]) -> str:
    tex, content = cell.get("tex"), cell.get("content")
    if isinstance(tex, str) and _FORMULA.search(tex):
        return cell_text(tex)
    words = [word for word in content if isinstance(word, str)] if isinstance(content, list) else []
    return one_line(inline([Run("text", " ".join(words))]))


def _chunks(files: Files, folder: str, stem: str, original: dict[str, Any]) -> tuple[tuple[Word, ...], Frame | None]:
    """The chunks with their boxes, and the sheet they are on: without the PDF its size is not known."""
    try:
        original["chunk"] = parse_object(files.read(f"{folder}/chunk/{stem}.chunk", original))
        page = render_page(files.read(f"{folder}/pdf/{stem}.pdf", original), 1, original)
    except RowError:
        return (), None  # a sound label without boxes is still one
    words = []
    for chunk in original["chunk"].get("chunks", []):
        text, pos = wanted(chunk, original, text=str, pos=list)
        box = [pos[0], pos[2], pos[1], pos[3]] if len(pos) == 4 else pos
        words.append(Word(text, quad(box), "e0"))
    return tuple(words), Frame(page.width, page.height, bottom_up=True)
