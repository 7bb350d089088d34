"""Tables as docling publishes them on the Hugging Face hub: Parquet with pictures, structure in OTSL.

Columns ``filename, image, otsl[str], cells[][]{tokens[str], bbox[x0, y0, x1, y1]}, html_restored[str], rows, cols``. A
row of ``cells`` has one entry a cell that begins in it, or one a slot. The structure is there twice, in OTSL and in
HTML; where they tell two tables, neither is believed.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from proofpress.cleaners.corpus import (
    Corpus,
    RawRow,
    Ref,
    RowError,
    as_json,
    parse_ref,
    quad,
    reading,
    split_name,
    wanted,
)
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.pages.markdown import Run, inline
from proofpress.pages.record import Word
from proofpress.pages.table import TableError, TableGrid
from proofpress.pages.table_html import from_html, to_html
from proofpress.pages.table_otsl import from_otsl

OTSL_FILES = "**/*.parquet"

_STYLES = ("<b>", "</b>", "<i>", "</i>", "<sup>", "</sup>", "<sub>", "</sub>")


def list_otsl(files: Files) -> Iterator[str]:
    """References of all rows, by their picture's name; the split is in the name of the Parquet file."""
    for place, row in list_rows(files, OTSL_FILES, ["filename", "imgid"]):
        split = split_name(place.rpartition("/")[2].split("-")[0])
        yield str(Ref(split, place, str(row.get("filename") or row.get("imgid") or place)))


def load_otsl(corpus: Corpus, path: Path, ref: str) -> RawRow:
    """The table behind a reference. Raises ``RowError``."""
    row = read_row(open_files(Path(path)), parse_ref(ref).place)
    original = as_json({key: value for key, value in row.items() if key != "image"})
    with reading(original):
        tokens, listed, image = wanted(row, original, otsl=list, cells=list, image=dict)
        (data,) = wanted(image, original, bytes=bytes)
        try:
            cells = _by_origin(tokens, listed)
            label = _label(tokens, cells)
        except (TableError, ValueError, TypeError, KeyError) as error:
            raise RowError("table.otsl", str(error), original) from error
        _check_html(label, row.get("html_restored"), original)
        words = [
            Word("".join(c["tokens"]), quad(c["bbox"]), "e0") for c in cells if c.get("bbox") and "".join(c["tokens"])
        ]
        return RawRow(
            source=corpus.source(path, ref),
            image=data,
            text=to_html(label),
            task="table",
            original=original,
            split=corpus.split(ref),
            language="en",
            words=tuple(words),
        )


def _by_origin(tokens: list[str], listed: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The cells in the order of the tokens that begin one."""
    cells = []
    rows = " ".join(tokens).split("nl")
    for number, given in enumerate(listed):
        slots = rows[number].split() if number < len(rows) else []
        origins = [at for at, slot in enumerate(slots) if slot not in ("lcel", "ucel", "xcel")]
        if len(given) == len(slots):
            cells += [given[at] for at in origins]
        elif len(given) == len(origins):
            cells += given
        else:
            raise ValueError(
                f"row {number} has {len(given)} cells for {len(slots)} slots, {len(origins)} of them cells"
            )
    return cells


def _label(tokens: list[str], cells: list[dict[str, Any]]) -> TableGrid:
    texts = iter(cells)
    pieces = []
    for token in tokens:
        pieces.append(f"<{token}>")
        if token not in ("lcel", "ucel", "xcel", "nl"):
            pieces.append(escape(_printed(next(texts)["tokens"]), quote=False))
    return from_otsl("".join(pieces))


def _printed(tokens: list[str]) -> str:
    """A cell's text as inline Markdown; raised and lowered words become mathematics as in HTML tables."""
    if "<sup>" not in tokens and "<sub>" not in tokens:
        return inline([Run("text", "".join(token for token in tokens if token not in _STYLES))])
    kept = (token if token in _STYLES else escape(token, quote=False) for token in tokens)
    return from_html(f"<table><tr><td>{''.join(kept)}</td></tr></table>").cells[0].text


def _check_html(grid: TableGrid, html: Any, original: dict[str, Any]) -> None:
    if not isinstance(html, list) or not html:
        return
    try:
        other = from_html(f"<table>{''.join(html)}</table>")
    except TableError as error:
        raise RowError("table.otsl", f"its HTML is no sound table: {error}", original) from error
    if [_place(cell) for cell in grid.cells] != [_place(cell) for cell in other.cells]:
        raise RowError(
            "table.otsl", f"{len(grid.cells)} cells in OTSL are not the {len(other.cells)} in HTML", original
        )


def _place(cell: Any) -> tuple[int, int, int, int]:
    return cell.row, cell.column, cell.rowspan, cell.colspan
