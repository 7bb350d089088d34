"""PubTables-1M, structure: tables of PubMed Central papers with boxes of rows, columns, spans and words.

Beside each picture a PASCAL VOC file (``table``, ``table column``, ``table row``, ``table column header``,
``table projected row header``, ``table spanning cell``) and a list of words (``*_words.json``). A cell is where a row
crosses a column; a spanning cell joins those it covers; a word belongs to the cell that holds its middle. Splits are
folders. Pictures have a margin that differs between versions of the corpus, so that nothing is read off their edges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, none_here, parse_ref, quad, split_name
from proofpress.cleaners.files import open_files
from proofpress.cleaners.jsonl import parse_json
from proofpress.cleaners.pictures import find_picture
from proofpress.cleaners.xml import child_text, children, parse_xml
from proofpress.pages.markdown import Run, inline
from proofpress.pages.record import Word
from proofpress.pages.table import Cell, TableError, TableGrid, one_line
from proofpress.pages.table_html import to_html

_FILES = "**/*_table_*.xml"
MAX_WORK = 3_000_000  # slots of a table, times the spanning cells that each is looked for in
_JOINED = 0.5  # of a slot's area that a spanning cell must cover to hold it

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Object:
    kind: str
    box: Box


class PubTables1M(Corpus):
    """The adapter."""

    name = "pubtables1m"
    about = "tables of PubMed Central papers, by rows, columns and words (PubTables-1M, structure)"
    licence = "CDLA-Permissive-2.0"
    terms = "annotations CDLA-Permissive-2.0; pictures under the PMC Open Access Subset's terms of use"
    revision = "v1.1"
    url = "https://huggingface.co/datasets/bsmock/pubtables-1m"
    coordinates = "pixels of the picture, origin top left, [x0, y0, x1, y1]"

    def items(self, path: Path) -> Iterator[str]:
        """One a VOC file."""
        files = open_files(Path(path))
        if not (names := files.names(_FILES)):
            raise none_here(files.root, "PubTables-1M", _FILES)
        for name in names:
            folder = PurePosixPath(name).parent.name.lower()
            split = next((split for split in ("train", "val", "test") if split in folder), "train")
            yield str(Ref(split_name(split), name, PurePosixPath(name).stem))

    def load(self, path: Path, ref: str) -> RawRow:
        """The table behind a reference. Raises ``RowError``."""
        files, name = open_files(Path(path)), parse_ref(ref).place
        voc = files.read(name)
        stem = PurePosixPath(name).stem
        original: dict[str, Any] = {"voc": voc.decode("utf-8", "replace"), "words": []}
        listed = files.names(f"**/{stem}_words.json")
        if not listed:
            raise RowError("file.missing", f"no {stem}_words.json", original)
        original["words"] = parse_json(files.read(listed[0], original))
        words = tuple(_words(original))
        grid = _grid(_objects(voc, original), words, original)
        return RawRow(
            source=self.source(path, ref),
            image=files.read(find_picture(files, stem, name, original), original),
            text=to_html(grid),
            task="table",
            original=original,
            split=self.split(ref),
            language="en",
            words=words,
        )


def _objects(voc: bytes, original: dict[str, Any]) -> list[_Object]:
    found = []
    for node in children(parse_xml(voc, original), "object"):
        box = next(iter(children(node, "bndbox")), None)
        try:
            sides = tuple(float(child_text(box, side)) for side in ("xmin", "ymin", "xmax", "ymax"))
        except (TypeError, ValueError) as error:
            raise RowError("row.malformed", f"an object without a box: {error}", original) from error
        found.append(_Object(child_text(node, "name"), sides))  # type: ignore[arg-type]
    return found


def _words(original: dict[str, Any]) -> Iterator[Word]:
    for word in original["words"] if isinstance(original["words"], list) else ():
        if not isinstance(word, dict) or not isinstance(word.get("text"), str):
            raise RowError("row.malformed", f"no word: {word!r:.100}", original)
        yield Word(word["text"], quad(word.get("bbox")), "e0")


def _grid(objects: list[_Object], words: Sequence[Word], original: dict[str, Any]) -> TableGrid:
    """The table that the boxes make. Raises ``RowError``."""
    rows = sorted((o.box for o in objects if o.kind == "table row"), key=lambda box: box[1] + box[3])
    columns = sorted((o.box for o in objects if o.kind == "table column"), key=lambda box: box[0] + box[2])
    if not rows or not columns:
        raise RowError("table.structure", f"{len(rows)} rows and {len(columns)} columns", original)
    spans = [o.box for o in objects if o.kind in ("table spanning cell", "table projected row header")]
    if len(rows) * len(columns) * (1 + len(spans)) > MAX_WORK:
        raise RowError("table.structure", f"{len(rows)} rows, {len(columns)} columns, {len(spans)} spans", original)
    owner = {(r, c): (r, c) for r in range(len(rows)) for c in range(len(columns))}
    extent: dict[tuple[int, int], tuple[int, int]] = {}
    for box in spans:
        slots = [slot for slot in owner if _covers(box, _crossing(rows[slot[0]], columns[slot[1]]))]
        if len(slots) < 2:
            continue
        first, last = min(slots), max(slots)
        if (last[0] - first[0] + 1) * (last[1] - first[1] + 1) != len(slots) or any(owner[s] != s for s in slots):
            raise RowError("table.overlap", f"a spanning cell at {list(box)} covers no rectangle of its own", original)
        owner |= dict.fromkeys(slots, first)
        extent[first] = (last[0] - first[0] + 1, last[1] - first[1] + 1)
    heads = [o.box for o in objects if o.kind == "table column header"]
    texts: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        slot = _slot_of(word, rows, columns)
        if slot is not None:
            texts.setdefault(owner[slot], []).append(word)
    try:
        cells = [
            Cell(*slot, *extent.get(slot, (1, 1)), _text(texts.get(slot, [])), _is_head(rows[slot[0]], heads))
            for slot in owner
            if owner[slot] == slot
        ]
        return TableGrid(len(rows), len(columns), tuple(cells))
    except TableError as error:
        raise RowError("table.structure", str(error), original) from error


def _crossing(row: Box, column: Box) -> Box:
    return max(row[0], column[0]), max(row[1], column[1]), min(row[2], column[2]), min(row[3], column[3])


def _covers(box: Box, slot: Box) -> bool:
    area = (slot[2] - slot[0]) * (slot[3] - slot[1])
    shared = _crossing(box, slot)
    width, height = shared[2] - shared[0], shared[3] - shared[1]
    return area > 0 and width > 0 and height > 0 and width * height > _JOINED * area


def _slot_of(word: Word, rows: list[Box], columns: list[Box]) -> tuple[int, int] | None:
    if len(word.quad) != 8:
        return None
    x, y = (word.quad[0] + word.quad[4]) / 2, (word.quad[1] + word.quad[5]) / 2
    row = next((at for at, box in enumerate(rows) if box[1] <= y <= box[3]), None)
    column = next((at for at, box in enumerate(columns) if box[0] <= x <= box[2]), None)
    return None if row is None or column is None else (row, column)


def _text(words: list[Word]) -> str:
    """The words of a cell, as they were listed: that is their reading order."""
    return one_line(inline([Run("text", " ".join(word.text for word in words))]))


def _is_head(row: Box, heads: list[Box]) -> bool:
    return any(head[1] <= (row[1] + row[3]) / 2 <= head[3] for head in heads)
