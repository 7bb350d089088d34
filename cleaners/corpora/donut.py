"""CORD v2 and SynthDoG, in Donut's layout: a picture and ``ground_truth``, which is JSON text with ``gt_parse``.

Parquet (``image, ground_truth``), or ``metadata.jsonl`` (``file_name, ground_truth``) in each split's folder.
CORD's ``gt_parse`` is a tree of fields (a list where there are several, a dict where there is one), and
``valid_line[].words[]`` has quads. SynthDoG's is ``{"text_sequence": ...}``: the text of a page, cut where the page
was full.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import (
    Corpus,
    Frame,
    RawRow,
    Ref,
    as_json,
    none_here,
    parse_ref,
    quad,
    reading,
    split_name,
    wanted,
)
from proofpress.cleaners.elements import printed
from proofpress.cleaners.files import open_files
from proofpress.cleaners.forms import Field, form_text
from proofpress.cleaners.jsonl import list_rows as list_lines
from proofpress.cleaners.jsonl import parse_object
from proofpress.cleaners.jsonl import read_row as read_line
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.pages.record import Word

_PARQUET, _LINES = "**/*.parquet", "**/metadata.jsonl"


class DonutPages(Corpus):
    """What both share: where rows lie. The label is for each to make."""

    def items(self, path: Path) -> Iterator[str]:
        """One a Parquet row, or one a line of the metadata; the rows of the hub have no names but their places."""
        files = open_files(Path(path))
        if files.names(_PARQUET):
            for place, _ in list_rows(files, _PARQUET, []):
                yield str(Ref(split_name(PurePosixPath(place).name.split("-")[0]), place, place))
        elif names := files.names(_LINES):
            for name in names:
                for place, _ in list_lines(files, name):
                    yield str(Ref(split_name(PurePosixPath(name).parent.name), place, place))
        else:
            raise none_here(files.root, self.name, _PARQUET, _LINES)

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        if ".parquet#" in place:
            row = read_row(files, place)
            original = as_json({key: value for key, value in row.items() if key != "image"})
            (image,) = wanted(row, original, image=dict)
            (data,) = wanted(image, original, bytes=bytes)
        else:
            row = original = read_line(files, place)
            (file,) = wanted(row, file_name=str)
            data = files.read(f"{place.rpartition('/')[0]}/{file}".lstrip("/"), original)
        (told,) = wanted(row, original, ground_truth=str)
        with reading(original):
            truth = parse_object(told.encode("utf-8", "surrogatepass"))
            return self.row(path, ref, data, truth, original)

    def row(self, path: Path, ref: str, data: bytes, truth: dict[str, Any], original: dict[str, Any]) -> RawRow:
        """The row of a picture and its ground truth. Raises ``RowError``."""
        raise NotImplementedError


class Cord(DonutPages):
    """The adapter of CORD v2."""

    name = "cord"
    about = "photographed Indonesian receipts, 30 kinds of field (CORD v2)"
    licence = "CC-BY-4.0"
    terms = "CC-BY-4.0"
    revision = "v2"
    url = "https://huggingface.co/datasets/naver-clova-ix/cord-v2"
    coordinates = "pixels of the picture as the file gives its size, origin top left, quad x1..y4"

    def row(self, path: Path, ref: str, data: bytes, truth: dict[str, Any], original: dict[str, Any]) -> RawRow:
        """The receipt, its label the tree of fields."""
        (parse,) = wanted(truth, original, gt_parse=dict)
        told = (truth.get("meta") or {}).get("image_size") or {}
        size = (told.get("width"), told.get("height"))
        known = all(isinstance(side, int) and side > 0 for side in size)
        return RawRow(
            source=self.source(path, ref),
            image=data,
            text=form_text(fields) if (fields := list(_fields(parse))) else "",
            task="form",
            original=original,
            split=self.split(ref),
            words=tuple(_words(truth, original)),
            frame=Frame(*size) if known else None,  # type: ignore[arg-type]
        )


class SynthDog(DonutPages):
    """The adapter of SynthDoG."""

    name = "synthdog"
    about = "synthetic pages of Wikipedia text in four languages (SynthDoG)"
    licence = "NOASSERTION"
    terms = "no licence on its card; text from Wikipedia (CC-BY-SA)"
    revision = "2022"
    url = "https://huggingface.co/datasets/naver-clova-ix/synthdog-en"

    def row(self, path: Path, ref: str, data: bytes, truth: dict[str, Any], original: dict[str, Any]) -> RawRow:
        """The page, its label one paragraph: the lines it was broken into are not told."""
        (parse,) = wanted(truth, original, gt_parse=dict)
        (text,) = wanted(parse, original, text_sequence=str)
        return RawRow(
            source=self.source(path, ref),
            image=data,
            text=printed(text),
            task="page",
            original=original,
            split=self.split(ref),
        )


def _fields(tree: dict[str, Any]) -> Iterator[Field]:
    """The fields of a tree, polymorphic as it is: a value, a dict of fields, or a list of either."""
    for key, value in tree.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield Field(key, "", tuple(_fields(one)))
            elif one is not None:
                yield Field(key, str(one))


def _words(truth: dict[str, Any], original: dict[str, Any]) -> Iterator[Word]:
    for line in truth.get("valid_line") or ():
        for word in wanted(line, original, words=list)[0]:
            text, told = wanted(word, original, text=str, quad=dict)
            corners = [told.get(f"{axis}{corner}") for corner in (1, 2, 3, 4) for axis in "xy"]
            yield Word(text, quad(corners), "")
