"""What an adapter of a public corpus is: it lists a corpus as small references and reads the row behind each.

Nothing in a corpus is trusted. A row that cannot be read is a ``RowError``, which becomes a reject; only a folder that
is no such corpus at all is a ``RequestError``. One adapter per corpus stands in ``corpora/``.

    corpus = CORPORA["im2latex"]
    for ref in corpus.items(path):
        row = corpus.load(path, ref)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from proofpress.pages.errors import RequestError
from proofpress.pages.record import Check, Source


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as the corpus has it.

    image: the file's bytes. text: the label, in the language that the task's rules read. task: one of ``record.TASKS``.
    original: the corpus's own row, as JSON holds it. split: ``train``, ``validation`` or ``test``. boxes: of the parts
    of the label on the picture, ``[x0, y0, x1, y1]`` in pixels if they are right. findings: what the adapter had to
    settle to make ``text``.
    """

    source: Source
    image: bytes
    text: str
    task: str
    original: Mapping[str, Any]
    split: str
    language: str = ""
    boxes: tuple[Any, ...] = ()
    findings: tuple[Check, ...] = ()


class RowError(Exception):
    """A row that cannot be read. reason: a dotted code; original: as much of the row as there is."""

    def __init__(self, reason: str, evidence: str, original: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{reason}: {evidence}")
        self.reason = reason
        self.evidence = evidence
        self.original = original or {}


class Corpus(Protocol):
    """An adapter. name: as on the command line. licence: an SPDX id; terms: what holds for labels and for pictures.

    revision: the state of the corpus whose layout this reads. sheets: whether a picture is a sheet with one small thing
    on it, to be cut out.
    """

    name: str
    licence: str
    terms: str
    revision: str
    url: str
    sheets: bool

    def items(self, path: Path) -> Iterator[str]:
        """References to all rows, cheaply and in a stable order; ``RequestError`` where ``path`` is no such corpus."""

    def source_id(self, ref: str) -> str:
        """The corpus's own name for the row behind a reference."""

    def split(self, ref: str) -> str:
        """The split of the row behind a reference: ``train``, ``validation`` or ``test``."""

    def load(self, path: Path, ref: str) -> RawRow:
        """The row behind a reference. Raises ``RowError``."""


def source_of(corpus: Corpus, ref: str) -> Source:
    """Where the row behind a reference comes from."""
    return Source(corpus.name, corpus.source_id(ref), corpus.revision, corpus.licence, corpus.url)


@lru_cache(maxsize=8)  # every load asks, and a folder of pictures can hold half a million files
def folder_with(path: Path, inner: str, wanted: str, corpus: str) -> Path:
    """``path``, or the folder ``inner`` in it, whichever holds a file like the glob ``wanted``.

    Raises ``RequestError`` that says where it looked.
    """
    places = [path, path / inner]
    for place in places:
        if any(file.is_file() for file in place.glob(wanted)):
            return place
    if not path.is_dir():
        raise RequestError(f"{path}: no such folder: give the one {corpus} was unpacked into")
    looked = " and ".join(str(place) for place in places)
    raise RequestError(f"{path}: no {corpus} here: looked for {wanted} in {looked}")


def read_image(folders: list[Path], name: str, original: Mapping[str, Any]) -> bytes:
    """The bytes of a row's picture, which is in the first of the folders to have it.

    Raises ``RowError``: ``image.path`` where the name leads out of its folder, ``image.missing``, ``image.unreadable``.
    """
    for folder in folders:
        file = folder / name
        if "\0" in name or not file.resolve().is_relative_to(folder.resolve()):
            raise RowError("image.path", f"{name!r} leads out of its folder", original)
        try:
            if file.is_file():
                return file.read_bytes()
        except OSError as error:
            raise RowError("image.unreadable", f"{name}: {error.strerror}", original) from error
    raise RowError("image.missing", f"{name} is not in {' or '.join(folder.name for folder in folders)}", original)
