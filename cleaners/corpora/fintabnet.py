"""FinTabNet: tables of annual reports, in either of its forms.

IBM's own: ``FinTabNet_1.0.0_table_{train,val,test}.jsonl`` like PubTabNet (``token_tables.py``), whose ``filename``
is a page of ``pdf/``, and whose boxes, of the table and its cells, are in points of that page with the origin at
its lower left. The table is cut out of the drawn page. Or docling's ``FinTabNet_OTSL``: Parquet with pictures
(``otsl_tables.py``).
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from proofpress.cleaners.corpora.otsl_tables import OTSL_FILES, list_otsl, load_otsl
from proofpress.cleaners.corpora.token_tables import cell_words, raw_markup, table_html, token_lists
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
from proofpress.cleaners.files import open_files
from proofpress.cleaners.jsonl import list_rows, read_row
from proofpress.cleaners.pictures import open_picture
from proofpress.cleaners.rules.layout import move
from proofpress.pages.record import Word

_ROWS = "**/FinTabNet*table*.jsonl"
_FILENAME = re.compile(rb'"filename"\s*:\s*"([^"\\]*)"')
_TABLE = re.compile(rb'"table_id"\s*:\s*"?([0-9]+)')
_SPLIT = re.compile(r"_(train|val|test)\.jsonl")
_MARGIN = 2  # points round the table, for its rules


class FinTabNet(Corpus):
    """The adapter."""

    name = "fintabnet"
    about = "tables of annual reports (FinTabNet: jsonl with PDF pages, or OTSL parquet)"
    licence = "CDLA-Permissive-1.0"
    terms = "annotations CDLA-Permissive-1.0; pages are companies' public reports"
    revision = "FinTabNet 1.0.0; ds4sd/FinTabNet_OTSL"
    url = "https://developer.ibm.com/exchanges/data/all/fintabnet/"
    coordinates = "jsonl: points of the PDF page, origin bottom left; parquet: pixels of the picture, origin top left"

    def items(self, path: Path) -> Iterator[str]:
        """One a line or one a Parquet row."""
        files = open_files(Path(path))
        if names := files.names(_ROWS):
            for name in names:
                split = _SPLIT.search(name)
                for place, line in list_rows(files, name):
                    page, table = _FILENAME.search(line), _TABLE.search(line)
                    known = f"{page[1].decode(errors='replace')}#{table[1].decode()}" if page and table else ""
                    yield str(Ref(split_name(split[1] if split else "train"), place, known))
        elif files.names(OTSL_FILES):
            yield from list_otsl(files)
        else:
            raise none_here(files.root, "FinTabNet", _ROWS, OTSL_FILES)

    def load(self, path: Path, ref: str) -> RawRow:
        """The table behind a reference. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        if ".parquet#" in place:
            return load_otsl(self, path, ref)
        original = read_row(files, place)
        with reading(original):
            filename, html, box = wanted(original, filename=str, html=dict, bbox=list)
            structure, cells = token_lists(html, original)
            label = table_html(structure, cells, original)
            shown = open_picture(files, f"{place.rpartition('/')[0]}/pdf/{filename}".lstrip("/"), 1, original)
            if isinstance(shown.image, bytes) or shown.sheet is None or not (table := quad(box)):
                raise RowError("row.malformed", f"{filename} is no PDF, or the table's box {box} none", original)
            left, bottom, right, top = table[0] - _MARGIN, table[1] - _MARGIN, table[4] + _MARGIN, table[5] + _MARGIN
            scale = shown.image.width / shown.sheet.width
            pixels = (
                left * scale,
                (shown.sheet.height - top) * scale,
                right * scale,
                (shown.sheet.height - bottom) * scale,
            )
            if (
                right <= left
                or top <= bottom
                or min(pixels) < -scale * _MARGIN
                or pixels[2] > shown.image.width + scale
            ):
                raise RowError("layout.outside", f"the table at {box} on a page of {shown.sheet}", original)
            words = cell_words(html["cells"], lambda bbox: bbox)
            return RawRow(
                source=self.source(path, ref),
                image=shown.image.crop(tuple(round(side) for side in pixels)),  # type: ignore[arg-type]
                text=label,
                task="table",
                original=original,
                split=self.split(ref),
                language="en",
                words=tuple(_moved(word, left, bottom) for word in words),
                frame=Frame(right - left, top - bottom, bottom_up=True),
                findings=(*raw_markup(cells), *shown.findings),
            )


def _moved(word: Word, left: float, bottom: float) -> Word:
    return replace(word, quad=move(word.quad, -left, -bottom))
