"""Tables as IBM's corpora have them: one a JSONL line, structure in HTML tokens, and for each cell its characters.

    {"filename": "a.png", "split": "train", "html": {"structure": {"tokens": ["<tr>", "<td>", "</td>", "</tr>"]},
     "cells": [{"tokens": ["<b>", "p", "</b>"], "bbox": [1, 1, 20, 10]}]}}

A cell's token is one of the style tags or one character. Only the token tells ``<`` of ``p < 0.05`` from a tag's, so
the label is made from tokens, with every character escaped, never from their joined text.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from proofpress.cleaners.corpus import (
    Corpus,
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
from proofpress.cleaners.jsonl import list_rows, read_row
from proofpress.pages.errors import RequestError
from proofpress.pages.markdown import Run, inline
from proofpress.pages.record import Check, Word

FOLDERS = ("", "examples/")

_FILENAME = re.compile(rb'"filename"\s*:\s*"([^"\\]*)"')
_SPLIT = re.compile(rb'"split"\s*:\s*"(train|val|test)"')
_STYLE_TOKEN = re.compile(r"</?(?:b|i|sup|sub|strike|underline|overline)>")
_SPAN_TOKEN = re.compile(r'\s*(?:row|col)span="[0-9]{1,4}"')
_ROW_TOKENS = frozenset({"<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>"})


class TokenTables(Corpus):
    """What the adapters of these corpora share; a corpus of its own where a hook says otherwise."""

    def items(self, path: Path) -> Iterator[str]:
        """One a line, in the order of the file; a line that does not tell its split counts as ``train``."""
        files = open_files(Path(path))
        for place, line in list_rows(files, self._annotations(files)):
            split, name = _SPLIT.search(line), _FILENAME.search(line)
            known = split_name(split[1].decode()) if split else "train"
            yield str(Ref(known, place, name[1].decode(errors="replace") if name else ""))

    def load(self, path: Path, ref: str) -> RawRow:
        """The table and the picture behind a reference. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        original = read_row(files, place)
        with reading(original):
            _, split, html = wanted(original, filename=str, split=str, html=dict)
            structure, cells = token_lists(html, original)
            if split not in ("train", "val", "test"):
                raise RowError("row.malformed", f"split {split!r}", original)
            label = table_html(structure, cells, original)
            words = tuple(cell_words(html["cells"], self.box))
            image, more = self.picture(files, place.rpartition("/")[0], original)
            return RawRow(
                source=self.source(path, ref),
                image=image,
                text=label,
                task="table",
                original=original,
                split=split_name(split),
                language="en",
                words=words,
                findings=(*raw_markup(cells), *more),
            )

    def box(self, bbox: Any) -> Any:
        """The four numbers of a cell's box."""
        return bbox

    def picture(self, files: Files, folder: str, original: dict[str, Any]) -> tuple[bytes, tuple[Check, ...]]:
        """The picture's bytes, from beside the annotations or from the folder of its split."""
        name, split = original["filename"], original["split"]
        beside = f"{folder}/{name}".lstrip("/") if folder else name
        try:
            return files.read(beside, original), ()
        except RowError as error:
            if error.reason != "file.missing":
                raise
        return files.read(f"{folder}/{split}/{name}".lstrip("/"), original), ()

    def _annotations(self, files: Files) -> str:
        for folder in FOLDERS:
            found = files.names(f"{folder}*.jsonl")
            if len(found) > 1:
                names = ", ".join(found)
                raise RequestError(f"{files.root}: several .jsonl files ({names}): keep the one to clean in a folder")
            if found:
                return found[0]
        raise none_here(files.root, self.name, *(f"{folder}*.jsonl" for folder in FOLDERS))


def token_lists(html: dict[str, Any], original: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The structure's tokens, and each cell's. Raises ``RowError``."""
    (structure,) = wanted(html.get("structure"), original, tokens=list)
    (listed,) = wanted(html, original, cells=list)
    cells = [cell.get("tokens") if isinstance(cell, dict) else None for cell in listed]
    if not all(isinstance(tokens, list) and all(isinstance(t, str) for t in tokens) for tokens in (structure, *cells)):
        raise RowError("row.malformed", "tokens that are not lists of text", original)
    return structure, cells  # type: ignore[return-value]


def table_html(structure: list[str], cells: list[list[str]], original: dict[str, Any]) -> str:
    """The table's HTML, from structure tokens and one list of tokens a cell. Raises ``RowError``."""
    pieces, filled = ["<table>"], 0
    for token in structure:
        if token in _ROW_TOKENS or token in ("<td>", "<td", ">") or _SPAN_TOKEN.fullmatch(token):
            pieces.append(token)
        elif token == "</td>":
            if filled < len(cells):
                pieces.append(_cell_html(cells[filled]))
            filled += 1
            pieces.append(token)
        else:
            raise RowError("table.structure", f"no structure token: {token!r}", original)
    if filled != len(cells):
        raise RowError("table.cell_count", f"{filled} td in the structure, {len(cells)} cells", original)
    return "".join([*pieces, "</table>"])


def cell_words(cells: list[dict[str, Any]], box: Any) -> Iterator[Word]:
    """The cells that have a box, each with its text and its quad."""
    for cell in cells:
        if "bbox" in cell:
            text = "".join(token for token in cell["tokens"] if not _STYLE_TOKEN.fullmatch(token))
            yield Word(text, quad(box(cell["bbox"])), "e0")


def raw_markup(cells: list[list[str]]) -> tuple[Check, ...]:
    """The cells with a bare ``<``, ``>`` or ``&``, which the label has escaped."""
    found = [f"cell {at}: {''.join(cell)!r}" for at, cell in enumerate(cells) if {"<", ">", "&"} & set(cell)]
    return (Check("table.escape", "fixed", "table.raw_markup", "; ".join(found)),) if found else ()


def _cell_html(content: list[str]) -> str:
    """One cell: tags as they are, every other character escaped for the dialect and then for HTML."""
    pieces, text = [], ""
    for token in [*content, "<b>"]:  # any tag ends the last text
        if not _STYLE_TOKEN.fullmatch(token):
            text += token
            continue
        pieces += [escape(inline((Run("text", text),)), quote=False), token]
        text = ""
    return "".join(pieces[:-1])
