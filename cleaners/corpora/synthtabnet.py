"""SynthTabNet: IBM's synthetic tables, as PubTabNet (``token_tables.py``), in four folders by style.

``fintabnet``, ``marketing``, ``pubtabnet`` and ``sparse`` each have ``synthetic_data.jsonl`` and ``images/<split>/``. A
cell's box has a fifth number, 1 for an empty cell and 2 for another.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proofpress.cleaners.corpora.token_tables import TokenTables
from proofpress.cleaners.corpus import Ref, none_here, split_name
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.jsonl import list_rows
from proofpress.pages.record import Check

_ROWS = "**/synthetic_data.jsonl"
_FILENAME = re.compile(rb'"filename"\s*:\s*"([^"\\]*)"')
_SPLIT = re.compile(rb'"split"\s*:\s*"(train|val|test)"')


class SynthTabNet(TokenTables):
    """The adapter."""

    name = "synthtabnet"
    about = "IBM's synthetic tables (SynthTabNet v2)"
    licence = "CDLA-Permissive-1.0"
    terms = "CDLA-Permissive-1.0"
    revision = "2.0.0"
    url = "https://github.com/IBM/SynthTabNet"
    coordinates = "pixels of the picture, origin top left, [x0, y0, x1, y1, class] a cell"

    def items(self, path: Path) -> Iterator[str]:
        """One a line of every style's file; the same picture name is another table in another style."""
        files = open_files(Path(path))
        if not (names := files.names(_ROWS)):
            raise none_here(files.root, "SynthTabNet", _ROWS)
        for name in names:
            style = name.rpartition("/")[0].rpartition("/")[2]
            for place, line in list_rows(files, name):
                split, file = _SPLIT.search(line), _FILENAME.search(line)
                known = split_name(split[1].decode()) if split else "train"
                yield str(Ref(known, place, f"{style}/{file[1].decode(errors='replace')}" if file else ""))

    def box(self, bbox: Any) -> Any:
        """The first four of a cell's five numbers."""
        return bbox[:4] if isinstance(bbox, list) else bbox

    def picture(self, files: Files, folder: str, original: dict[str, Any]) -> tuple[bytes, tuple[Check, ...]]:
        """The picture, from the style's own folder."""
        name = f"{folder}/images/{original['split']}/{original['filename']}".lstrip("/")
        return files.read(name, original), ()
