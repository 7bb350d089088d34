"""Decontamination: is a page, or a part of it, in a benchmark? Every hit says of which page, and by what evidence.

One signal alone is not enough: long word n-grams miss tables, short lines and text wrapped elsewhere; pictures miss
what was typeset anew. So a row is compared by its picture (two perceptual hashes), by its shingles without white space
(the share of the row that stands on one benchmark page, and the other way round, so that crops are found too), by the
cells of its tables, by the normal forms of its formulas, and by the document it is from. The cost of a row does
not depend on other rows.

    index = Index.build([Path("olmOCR-bench"), Path("OmniDocBench")])
    for hit in index.hits(record): print(hit.kind, hit.page, hit.evidence)
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from proofpress.cleaners.benchmarks import BenchmarkPage, documents_in, page_name, read_benchmark
from proofpress.cleaners.duplicates.content import dense, key_of, normal_form
from proofpress.cleaners.duplicates.fingerprint import hashed
from proofpress.cleaners.duplicates.minhash import SHINGLE, hash_shingles
from proofpress.cleaners.duplicates.near_image import NEAR, SAME, as_numbers, bits_apart
from proofpress.pages import markdown
from proofpress.pages.record import PageRecord
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html

Array = np.ndarray[Any, Any]

#: Shingles that must be shared, and the share of the shorter text that they must be.
MIN_SHARED, CONTAINED = 40, 0.6
#: The share of the words that must be shared to believe that two pictures that look alike are one page.
VERIFIED = 0.2
#: Cells of three characters or more that must be shared, and the share of the row's that they must be.
MIN_CELLS, CELLS_CONTAINED = 8, 0.8
#: Characters of a normal form that is not everybody's, and the formulas a page must share.
MIN_FORMULA, MIN_FORMULAS = 24, 3
#: Pages of the benchmark with one shingle from which on it is boilerplate.
COMMON = 8
#: Characters of a file's name that no other corpus gives to another page.
MIN_NAME = 12


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence. kind: ``image``, ``text``, ``table``, ``formula``, ``source``. page: of the benchmark."""

    kind: str
    page: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Postings:
    """Hashes and the pages they are on, sorted by hash. sizes: how many hashes each page has."""

    hashes: Array
    pages: Array
    sizes: Array

    @classmethod
    def of(cls, by_page: Sequence[Array]) -> "Postings":
        """The postings of pages, each given by its distinct hashes; what is on many pages is left out."""
        hashes = np.concatenate([np.zeros(0, np.uint64), *by_page])
        pages = np.repeat(np.arange(len(by_page), dtype=np.int32), [len(page) for page in by_page])
        order = np.argsort(hashes, kind="stable")
        hashes, pages = hashes[order], pages[order]
        _, place, count = np.unique(hashes, return_inverse=True, return_counts=True)
        rare = count[place] <= COMMON if len(hashes) else np.zeros(0, bool)
        hashes, pages = hashes[rare], pages[rare]
        return cls(hashes, pages, np.bincount(pages, minlength=len(by_page)).astype(np.int32))

    def shared(self, hashes: Array) -> Array:
        """How many of some distinct hashes stand on each page, (pages,)."""
        low = np.searchsorted(self.hashes, hashes, side="left")
        high = np.searchsorted(self.hashes, hashes, side="right")
        there = np.flatnonzero(high > low)
        places = [self.pages[low[at] : high[at]] for at in there]
        found = np.concatenate(places) if places else np.zeros(0, np.int32)
        return np.bincount(found, minlength=len(self.sizes))

    def first(self, hashes: Array, page: int) -> int:
        """The place, among hashes in the order of a text, of the first one that stands on a page."""
        mine = self.hashes[self.pages == page]
        return int(np.flatnonzero(np.isin(hashes, mine))[0])


@dataclass(frozen=True, slots=True)
class Index:
    """Benchmarks as arrays. names: of their pages. documents: name of a document or a file -> page."""

    names: list[str]
    texts: Postings
    cells: Postings
    formulas: Postings
    looks: Array  # (K, 3) uint64: whole, trimmed, page
    documents: dict[str, int]

    @classmethod
    def build(cls, folders: Sequence[Path]) -> "Index":
        """The index of all pages of some benchmark folders. Raises ``RequestError``."""
        return cls.of([page for folder in folders for page in read_benchmark(folder)])

    @classmethod
    def of(cls, pages: Sequence[BenchmarkPage]) -> "Index":
        """The index of some pages."""
        documents: dict[str, int] = {}
        for number, page in enumerate(pages):
            bare = page.name.split("/", 1)[-1]
            for document in (*sorted(page.documents), bare.lower()):
                documents.setdefault(document, number)
        return cls(
            names=[page.name for page in pages],
            texts=Postings.of([_distinct([hash_shingles(dense(text)) for text in page.texts]) for page in pages]),
            cells=Postings.of([_keys(cell for table in page.tables for cell in _cells(table)) for page in pages]),
            formulas=Postings.of([_keys(_forms(page.formulas)) for page in pages]),
            looks=_looks(pages),
            documents=documents,
        )

    def hits(self, record: PageRecord) -> list[Hit]:
        """All evidence that a record is of a benchmark; none where it is not."""
        hashes = hash_shingles(dense(record.text)) if record.task != "formula" else np.zeros(0, np.uint64)
        distinct = np.unique(hashes)
        shared = self.texts.shared(distinct)
        found = [
            *self._by_text(record, hashes, distinct, shared),
            *self._by_image(record, distinct, shared),
            *self._by_table(record),
            *self._by_formula(record),
            *self._by_source(record),
        ]
        return found

    def _by_text(self, record: PageRecord, hashes: Array, distinct: Array, shared: Array) -> Iterator[Hit]:
        overlap = _overlap(shared, len(distinct), self.texts.sizes)
        alike = np.flatnonzero((shared >= MIN_SHARED) & (overlap >= CONTAINED))
        for page in alike[np.argsort(-overlap[alike], kind="stable")][:1]:
            at = self.texts.first(hashes, page)
            quoted = dense(record.text)[at : at + 6 * SHINGLE]
            seen = f"{shared[page]} shingles shared of its {len(distinct)} and the page's {self.texts.sizes[page]}"
            yield Hit("text", self.names[page], f"{seen}, from {quoted!r}")

    def _by_image(self, record: PageRecord, distinct: Array, shared: Array) -> Iterator[Hit]:
        marks = hashed(record).hashes
        if not marks["phash"] or not len(self.looks):
            return
        whole = bits_apart(as_numbers([marks["phash"]]), self.looks[:, 0])
        trimmed = bits_apart(as_numbers([marks["phash_trimmed"]]), self.looks[:, 1])
        near = np.flatnonzero(np.minimum(whole, trimmed) <= NEAR)
        for look in near[np.argsort((whole + trimmed)[near], kind="stable")]:
            page = int(self.looks[look, 2])
            overlap = _overlap(shared, len(distinct), self.texts.sizes)[page]
            wordless = min(len(distinct), int(self.texts.sizes[page])) < MIN_SHARED
            if overlap >= VERIFIED or (wordless and whole[look] + trimmed[look] <= SAME):
                apart = f"pictures {whole[look]} bits apart, trimmed to their ink {trimmed[look]}"
                yield Hit("image", self.names[page], f"{apart}; {overlap:.2f} of the words shared")
                return

    def _by_table(self, record: PageRecord) -> Iterator[Hit]:
        tables = [record.text] if record.task == "table" else _blocks(record, "table")
        for table in tables:
            keys = _keys(_cells(table))
            shared = self.cells.shared(keys)
            if not len(shared) or shared.max() < MIN_CELLS:
                continue
            page = int(shared.argmax())
            if shared[page] >= CELLS_CONTAINED * len(keys):
                yield Hit("table", self.names[page], f"{shared[page]} of {len(keys)} different cells are in its tables")
                return

    def _by_formula(self, record: PageRecord) -> Iterator[Hit]:
        alone = record.task == "formula"
        forms = list(_forms([record.text] if alone else _blocks(record, "formula")))
        if len(forms) < (1 if alone else MIN_FORMULAS):
            return
        shared = self.formulas.shared(_keys(forms))
        if len(shared) and shared.max() >= (1 if alone else MIN_FORMULAS):
            page = int(shared.argmax())
            yield Hit(
                "formula", self.names[page], f"{shared[page]} of {len(set(forms))} formulas are on it: {forms[0]}"
            )

    def _by_source(self, record: PageRecord) -> Iterator[Hit]:
        named = documents_in(f"{record.source.id} {record.source.url}")
        name = page_name(record.source.id).lower()
        if len(name) >= MIN_NAME and any(character.isdigit() for character in name):
            named.add(name)
        for document in sorted(named & self.documents.keys()):
            yield Hit("source", self.names[self.documents[document]], f"both are from {document}")
            return

    def pages_of(self, benchmark: str) -> int:
        """How many pages of a benchmark's folder there are."""
        return sum(name.startswith(f"{benchmark}/") for name in self.names)

    def digest(self) -> str:
        """32 hex digits of all that is compared with."""
        found = blake2b(json.dumps([self.names, sorted(self.documents.items())]).encode(), digest_size=16)
        for array in self._arrays().values():
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def save(self, path: Path) -> None:
        """Write the index as NumPy arrays, without pickle. The caller gives a path that may stand for half a file."""
        words = json.dumps({"names": self.names, "documents": self.documents}).encode()
        with path.open("wb") as file:
            np.savez(file, words=np.frombuffer(words, np.uint8), **self._arrays())  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> "Index":
        """The index that ``save`` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            words = json.loads(arrays["words"].tobytes())
            postings = {
                kind: Postings(*(arrays[f"{kind}_{part.name}"] for part in fields(Postings)))
                for kind in ("texts", "cells", "formulas")
            }
            return cls(words["names"], **postings, looks=arrays["looks"], documents=words["documents"])

    def _arrays(self) -> dict[str, Array]:
        kinds = {"texts": self.texts, "cells": self.cells, "formulas": self.formulas}
        parts = {
            f"{kind}_{part.name}": getattr(postings, part.name)
            for kind, postings in kinds.items()
            for part in fields(Postings)
        }
        return {**parts, "looks": self.looks}


def _looks(pages: Sequence[BenchmarkPage]) -> Array:
    looks = [(look, number) for number, page in enumerate(pages) for look in page.looks]
    whole, trimmed = as_numbers([look.phash for look, _ in looks]), as_numbers([look.trimmed for look, _ in looks])
    return np.stack([whole, trimmed, np.array([number for _, number in looks], np.uint64)], axis=1)


def _overlap(shared: Array, size: int, sizes: Array) -> Array:
    """The shared part of the row or of the page, whichever has less: one may be a crop of the other."""
    return shared / np.maximum(np.minimum(size, sizes), 1)


def _distinct(hashes: Sequence[Array]) -> Array:
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))


def _keys(forms: Any) -> Array:
    return np.array(sorted({key_of(form) for form in forms}), np.uint64)


def _blocks(record: PageRecord, kind: str) -> list[str]:
    """The tables or displayed formulas in a page's label."""
    if ("<table" if kind == "table" else "$$") not in record.text:
        return []
    return [block.text for block in markdown.read(record.text) if block.kind == kind]


def _cells(table: str) -> list[str]:
    """The cells of a table that say something, as they are compared."""
    try:
        cells = from_html(table).cells
    except TableError:
        return []
    texts = ("".join(cell.text.casefold().split()) for cell in cells)
    return [text for text in texts if len(text) >= 3]


def _forms(formulas: Sequence[str]) -> Iterator[str]:
    """The normal forms of the formulas that are long enough to be nobody else's."""
    for formula in formulas:
        form = normal_form(formula, "formula")
        if len(form) >= MIN_FORMULA:
            yield form
