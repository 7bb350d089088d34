"""PubTabNet 2.0: tables of PubMed Central papers, as pictures with HTML in tokens.

A ``.jsonl`` file has one table a line: ``filename, split, imgid, html.structure.tokens, html.cells[].{tokens, bbox}``
(its README says ``cell``). Pictures lie beside it, as in ``examples/`` of
https://github.com/ibm-aur-nlp/PubTabNet, or in ``train/``, ``val/`` and ``test/``, as in the whole corpus.

    >>> next(CORPORA["pubtabnet"].items(Path("pubtabnet")))
    '0:train:PMC4840965_004_00.png'

A cell's token is one of the style tags or one character. Only the token tells ``<`` of ``p < 0.05`` from a tag's, so
the label is made from tokens, with every character escaped, never from their joined text.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from proofpress.cleaners.corpus import RawRow, RowError, folder_with, read_image, source_of
from proofpress.pages.errors import RequestError
from proofpress.pages.markdown import Run, inline
from proofpress.pages.record import Check, to_json

_SPLITS = {"train": "train", "val": "validation", "test": "test"}
_FILENAME = re.compile(rb'"filename"\s*:\s*"([^"\\]*)"')
_SPLIT = re.compile(rb'"split"\s*:\s*"(train|val|test)"')
_STYLE_TOKEN = re.compile(r"</?(?:b|i|sup|sub|strike|underline|overline)>")
_SPAN_TOKEN = re.compile(r'\s*(?:row|col)span="[0-9]{1,4}"')
_ROW_TOKENS = frozenset({"<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>"})


class PubTabNet:
    """The adapter. Labels are HTML with all text escaped and the corpus's style tags; ``rules.tables`` reads it."""

    name = "pubtabnet"
    licence = "CDLA-Permissive-1.0"
    terms = "annotations CDLA-Permissive-1.0; pictures under the PMC Open Access Subset's terms of use"
    revision = "8ffde9024bd331f5a61c3c549fdf30dd3c3e43a5"
    url = "https://github.com/ibm-aur-nlp/PubTabNet"
    sheets = False

    def items(self, path: Path) -> Iterator[str]:
        """``byte offset:split:filename`` in the order of the file; empty where a line does not tell them."""
        offset = 0
        with _annotations(path).open("rb") as lines:
            for line in lines:
                if line.strip():
                    split, name = _SPLIT.search(line), _FILENAME.search(line)
                    known = split[1].decode() if split else ""
                    yield f"{offset}:{known}:{name[1].decode(errors='replace') if name else ''}"
                offset += len(line)

    def source_id(self, ref: str) -> str:
        """The picture's file name, or the reference itself where the line does not tell it."""
        return ref.split(":", 2)[2] or ref

    def split(self, ref: str) -> str:
        """The split the line tells; a line that tells none is a reject, which counts as ``train``."""
        return _SPLITS.get(ref.split(":", 2)[1], "train")

    def load(self, path: Path, ref: str) -> RawRow:
        """The table and the picture behind a reference. Raises ``RowError``."""
        annotations = _annotations(path)
        with annotations.open("rb") as lines:
            lines.seek(int(ref.split(":", 1)[0]))
            line = lines.readline()
        original = _parse(line)
        try:
            filename, split = original["filename"], original["split"]
            structure = original["html"]["structure"]["tokens"]
            cells = [cell["tokens"] for cell in original["html"]["cells"]]
            boxes = tuple(cell["bbox"] for cell in original["html"]["cells"] if "bbox" in cell)
        except (KeyError, TypeError) as error:
            raise RowError("row.malformed", f"{type(error).__name__}: {error}", original) from error
        if not _all_text([[filename, split], structure, *cells]) or split not in _SPLITS:
            raise RowError("row.malformed", f"filename {filename!r}, split {split!r}, or tokens not text", original)
        html = _html(structure, cells, original)
        folder = annotations.parent
        image = read_image([folder, folder / split], filename, original)
        return RawRow(
            source=source_of(self, ref),
            image=image,
            text=html,
            task="table",
            original=original,
            split=_SPLITS[split],
            language="en",
            boxes=boxes,
            findings=_raw_markup(cells),
        )


@lru_cache(maxsize=8)
def _annotations(path: Path) -> Path:
    """The one ``.jsonl`` file; ``RequestError`` where there is none, or more than one."""
    folder = folder_with(Path(path), "examples", "*.jsonl", "PubTabNet")
    files = sorted(folder.glob("*.jsonl"))
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise RequestError(f"{folder}: several .jsonl files ({names}): keep the one to clean in a folder of its own")
    return files[0]


def _parse(line: bytes) -> dict[str, Any]:
    """The row of a line. Raises ``RowError`` that holds the line itself."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RowError("row.encoding", str(error), {"bytes": line.hex()}) from error
    try:
        row = json.loads(text)
        to_json(row).encode("utf-8")  # a lone surrogate, written as an escape, is no text
    except (ValueError, RecursionError) as error:
        raise RowError("row.json", str(error), {"line": text}) from error
    if not isinstance(row, dict):
        raise RowError("row.malformed", f"no object but {type(row).__name__}", {"line": text})
    return row


def _html(structure: list[str], cells: list[list[str]], original: dict[str, Any]) -> str:
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
            raise RowError("table.structure", f"no structure token of PubTabNet: {token!r}", original)
    if filled != len(cells):
        raise RowError("table.cell_count", f"{filled} td in the structure, {len(cells)} cells", original)
    return "".join([*pieces, "</table>"])


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


def _raw_markup(cells: list[list[str]]) -> tuple[Check, ...]:
    """The cells with a bare ``<``, ``>`` or ``&``, which the label has escaped."""
    found = [f"cell {at}: {''.join(cell)!r}" for at, cell in enumerate(cells) if {"<", ">", "&"} & set(cell)]
    return (Check("pubtabnet.cells", "fixed", "table.raw_markup", "; ".join(found)),) if found else ()


def _all_text(lists: list[Any]) -> bool:
    return all(isinstance(tokens, list) and all(isinstance(token, str) for token in tokens) for tokens in lists)
