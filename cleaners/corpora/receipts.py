"""SROIE and WildReceipt: receipts with their lines and what stands in them for company, date, total ...

SROIE: ``img/ID.jpg``, ``box/ID.csv`` or ``.txt`` (``x0,y0 ... x3,y3,transcript``; a transcript may have commas) and
``key/ID.json`` or ``entities/ID.txt`` (``company, date, address, total``). WildReceipt: a JSONL line a receipt
(``file_name, height, width, annotations[].{box[8], text, label}``) and ``class_list.txt``, whose even classes are
keys and odd ones values. A label has the fields as ``cleaners/forms.py`` writes them; the lines come along with
their boxes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import Corpus, Frame, RawRow, Ref, RowError, none_here, parse_ref, quad, reading, wanted
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.forms import Field, form_text
from proofpress.cleaners.jsonl import list_rows, parse_object, read_row
from proofpress.cleaners.pictures import find_picture
from proofpress.pages.record import Check, Word

_KEYS = ("**/key/*.json", "**/entities/*.txt")
_RECEIPTS = ("train.txt", "test.txt", "data.txt")


class Sroie(Corpus):
    """The adapter of SROIE."""

    name = "sroie"
    about = "scanned receipts: company, date, address, total (SROIE, ICDAR 2019)"
    licence = "LicenseRef-research-only"
    terms = "challenge terms, for research (repository MIT)"
    revision = "27be4271b251c256f695acbade9a801bffe85994"
    url = "https://github.com/zzzDavid/ICDAR-2019-SROIE"
    coordinates = "pixels of the picture, origin top left, x0,y0 ... x3,y3"

    def items(self, path: Path) -> Iterator[str]:
        """One a file of keys."""
        files = open_files(Path(path))
        names = sorted(name for pattern in _KEYS for name in files.names(pattern))
        if not names:
            raise none_here(files.root, "SROIE", *_KEYS)
        for name in names:
            yield str(Ref("test" if "test" in name.lower() else "train", name, PurePosixPath(name).stem))

    def load(self, path: Path, ref: str) -> RawRow:
        """The receipt behind a reference. Raises ``RowError``."""
        files, name = open_files(Path(path)), parse_ref(ref).place
        stem, folder = PurePosixPath(name).stem, PurePosixPath(name).parent.parent.as_posix()
        keys = parse_object(files.read(name))
        original: dict[str, Any] = {"key": keys, "box": ""}
        boxes = [n for suffix in ("csv", "txt") for n in files.names(f"**/box/{stem}.{suffix}") if n.startswith(folder)]
        boxes = boxes or [n for suffix in ("csv", "txt") for n in files.names(f"**/box/{stem}.{suffix}")]
        if not boxes:
            raise RowError("file.missing", f"no box/{stem}.csv or .txt", original)
        original["box"] = files.read(boxes[0], original).decode("utf-8", "replace")
        fields = [Field(key, value) for key, value in keys.items() if isinstance(value, str)]
        return RawRow(
            source=self.source(path, ref),
            image=files.read(find_picture(files, stem, f"{folder}/img/{stem}", original), original),
            text=form_text(fields),
            task="form",
            original=original,
            split=self.split(ref),
            language="en",
            words=tuple(_lines(original)),
        )


class WildReceipt(Corpus):
    """The adapter of WildReceipt."""

    name = "wildreceipt"
    about = "photographed receipts: 25 kinds of field (WildReceipt)"
    licence = "Apache-2.0"
    terms = "Apache-2.0 as given by MMOCR"
    revision = "966296f26ac34cf0e96d40ab4a0a94c9a697909a"
    url = "https://github.com/open-mmlab/mmocr"
    coordinates = "pixels of the picture as the file gives its size, origin top left, [x0, y0 ... x3, y3]"

    def items(self, path: Path) -> Iterator[str]:
        """One a line of each list."""
        files = open_files(Path(path))
        lists = [name for listed in _RECEIPTS for name in files.names(f"**/{listed}")]
        if not lists or not files.names("**/class_list.txt"):
            raise none_here(files.root, "WildReceipt", " or ".join(_RECEIPTS), "class_list.txt")
        for name in lists:
            split = "test" if PurePosixPath(name).stem == "test" else "train"
            for place, line in list_rows(files, name):
                file = re.search(rb'"file_name"\s*:\s*"([^"\\]*)"', line)
                yield str(Ref(split, place, file[1].decode(errors="replace") if file else ""))

    def load(self, path: Path, ref: str) -> RawRow:
        """The receipt behind a reference. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        original = read_row(files, place)
        with reading(original):
            file, width, height, listed = wanted(original, file_name=str, width=int, height=int, annotations=list)
            classes = _classes(files)
            words: list[Word] = []
            fields: list[Field] = []
            keys: set[str] = set()
            values: set[str] = set()
            for piece in listed:
                text, box, label = wanted(piece, original, text=str, box=list, label=int)
                if label not in classes:
                    raise RowError("form.label", f"class {label} is not in class_list.txt", original)
                kind, _, part = classes[label].rpartition("_")
                words.append(Word(text, _around(box), ""))
                (keys if part == "key" else values).add(kind)
                if part == "value" and text.strip():
                    fields.append(Field(kind, text))
            picture = find_picture(files, PurePosixPath(file).stem, f"{place.rpartition('/')[0]}/{file}", original)
            unpaired = ", ".join(sorted(keys - values))
            return RawRow(
                source=self.source(path, ref),
                image=files.read(picture, original),
                text=form_text(fields) if fields else "",
                task="form",
                original=original,
                split=self.split(ref),
                words=tuple(words),
                frame=Frame(max(width, 1), max(height, 1)),
                findings=(Check("wildreceipt.pairs", "passed", "form.unpaired", unpaired),) if unpaired else (),
            )


def _lines(original: dict[str, Any]) -> Iterator[Word]:
    for number, line in enumerate(original["box"].splitlines()):
        fields = line.split(",", 8)
        if not line.strip():
            continue
        if len(fields) != 9 or not all(side.strip().lstrip("-").isdecimal() and len(side) < 9 for side in fields[:8]):
            raise RowError(
                "row.malformed", f"line {number} is not eight numbers and a transcript: {line:.100}", original
            )
        yield Word(fields[8], tuple(float(side) for side in fields[:8]), "")


@lru_cache(maxsize=8)
def _classes(files: Files) -> dict[int, str]:
    """The names of the classes. A class without a part (``Ignore``) is no field."""
    rows = files.read(files.names("**/class_list.txt")[0]).decode("utf-8", "replace").splitlines()
    named = (row.split() for row in rows)
    return {int(row[0]): row[1] for row in named if len(row) == 2 and row[0].isdecimal()}


def _around(box: Any) -> tuple[float, ...]:
    """The upright quad round a box whose corners begin anywhere."""
    corners = quad(box)
    if not corners:
        return ()
    xs, ys = corners[::2], corners[1::2]
    return quad([min(xs), min(ys), max(xs), max(ys)])
