"""Docling's documents: DoclingDocument JSON and DocTags, a row for each page, with the page's picture or PDF.

``NAME.json`` (``schema_name: DoclingDocument``) or ``NAME.doctags.txt``, ``.dt``; where both are there, JSON. The
page is a picture of that name, or a page of the PDF that the document names or that has its name. JSON has boxes in
points with either origin, DocTags in 500ths of the page. A formula that docling found and could not read is no
label.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpora.docling_json import document_elements, page_numbers
from proofpress.cleaners.corpora.doctags import page_elements, pages_in
from proofpress.cleaners.corpus import Corpus, Frame, RawRow, Ref, RowError, none_here, parse_ref, reading
from proofpress.cleaners.files import UNREADABLE, Files, open_files
from proofpress.cleaners.jsonl import parse_object
from proofpress.cleaners.pictures import find_picture, open_picture

_SUFFIXES = (".json", ".doctags.txt", ".dt", ".doctags")


class Docling(Corpus):
    """The adapter."""

    name = "docling"
    about = "pages as DoclingDocument JSON or DocTags"
    licence = "MIT"
    terms = "docling's own samples MIT; other documents as whoever made them says"
    revision = "e1cb2b234c48ff29746b0f2f843d07f8e23905a0"
    url = "https://github.com/docling-project/docling"
    coordinates = "JSON: points, origin as each box says; DocTags: 500ths of the page, origin top left"

    def items(self, path: Path) -> Iterator[str]:
        """One a page of each document."""
        files = open_files(Path(path))
        found = _documents(files)
        if not found:
            raise none_here(files.root, "docling documents", *(f"**/*{suffix}" for suffix in _SUFFIXES))
        for name in found:
            try:
                pages = _pages(files, name)
            except RowError:
                pages = (0,)  # a reject, with the reason, when it is loaded
            for page in pages:
                yield str(Ref("train", f"{name}#{page}", f"{name}#{page}"))

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        files = open_files(Path(path))
        name, _, page = parse_ref(ref).place.rpartition("#")
        data = files.read(name)
        document = parse_object(data) if name.endswith(".json") else data.decode("utf-8", "replace")
        original: dict[str, Any] = {
            "page": int(page),
            "document" if isinstance(document, dict) else "doctags": document,
        }
        with reading(original):
            if isinstance(document, dict):
                elements, frame = document_elements(document, int(page), original)
                source = str((document.get("origin") or {}).get("filename") or "")
            else:
                elements = page_elements(pages_in(document)[int(page) - 1], original)
                frame, source = Frame(500, 500), ""
            stems = [PurePosixPath(source).stem, _stem(name), _stem(name).split("-pg")[0]]
            shown = _picture(files, [stem for stem in stems if stem], name, original)
            drawn = open_picture(files, shown, int(page) if shown.lower().endswith(".pdf") else 1, original)
            return RawRow(
                source=self.source(path, ref),
                image=drawn.image,
                text="",
                task="page",
                original=original,
                split="train",
                elements=tuple(elements),
                frame=frame,
                findings=drawn.findings,
            )


@lru_cache(maxsize=8)
def _documents(files: Files) -> tuple[str, ...]:
    """The documents, each in one form."""
    chosen: dict[str, str] = {}
    for suffix in _SUFFIXES:
        for name in files.names(f"**/*{suffix}"):
            if suffix != ".json" or b'"DoclingDocument"' in _begin(files, name):
                chosen.setdefault(f"{PurePosixPath(name).parent}/{_stem(name)}", name)
    return tuple(sorted(chosen.values()))


def _begin(files: Files, name: str) -> bytes:
    try:
        with files.open(name) as stream:
            return stream.read(500)
    except (RowError, *UNREADABLE):
        return b'"DoclingDocument"'  # loading it says what is wrong with it


def _pages(files: Files, name: str) -> tuple[int, ...]:
    data = files.read(name)
    if name.endswith(".json"):
        return page_numbers(parse_object(data))
    return tuple(range(1, len(pages_in(data.decode("utf-8", "replace"))) + 1))


def _stem(name: str) -> str:
    base = PurePosixPath(name).name
    return base.removesuffix(next((suffix for suffix in _SUFFIXES if base.endswith(suffix)), ""))


def _picture(files: Files, stems: list[str], near: str, original: dict[str, Any]) -> str:
    for stem in stems[:-1]:
        try:
            return find_picture(files, stem, near, original)
        except RowError:
            continue
    return find_picture(files, stems[-1], near, original)
