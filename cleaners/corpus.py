"""What an adapter of a public corpus is: it lists a corpus as small references and reads the row behind each.

Nothing in a corpus is trusted. A row that cannot be read is a ``RowError``, which becomes a reject; only a folder that
is no such corpus at all is a ``RequestError``. One adapter per corpus stands in ``corpora/``.

    corpus = CORPORA["im2latex"]
    for ref in corpus.items(path):
        row = corpus.load(path, ref)
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from PIL import Image

from proofpress.pages.errors import RequestError
from proofpress.pages.record import Check, Element, Source, Word, to_json

_SPLITS = {
    "train": "train", "training": "train", "val": "validation", "valid": "validation", "validate": "validation",
    "validation": "validation", "dev": "validation", "test": "test", "testing": "test",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """The sheet that a corpus gives its boxes on, in its own units. bottom_up: y grows from the lower edge."""

    width: float
    height: float
    bottom_up: bool = False


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as the corpus has it.

    image: the file's bytes, or the picture where the adapter had to draw it. text: the label, in the language that the
    task's rules read; a page's comes from its ``elements`` where it has some. task: one of ``record.TASKS``. original:
    the corpus's own row, as JSON holds it. split: as ``split_name`` spells it. elements, words: with their boxes on
    ``frame``, or in pixels of the picture where that is None. A word is the smallest part of the label that the corpus
    has a box for: a word, a line or a cell. It has no quad where the corpus's box is none. findings: what the adapter
    had to settle to make the label. tests: of a benchmark that has no label but these.
    """

    source: Source
    image: bytes | Image.Image
    text: str
    task: str
    original: Mapping[str, Any]
    split: str
    language: str = ""
    elements: tuple[Element, ...] = ()
    words: tuple[Word, ...] = ()
    frame: Frame | None = None
    findings: tuple[Check, ...] = ()
    tests: tuple[Mapping[str, Any], ...] = ()


class RowError(Exception):
    """A row that cannot be read. reason: a dotted code; original: as much of the row as there is."""

    def __init__(self, reason: str, evidence: str, original: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{reason}: {evidence}")
        self.reason = reason
        self.evidence = evidence
        self.original = original or {}


class Corpus:
    """An adapter. Its class says what holds for the whole corpus; it keeps nothing about a folder that it reads.

    name: as on the command line. about: one line, for the help. licence: an SPDX id, ``LicenseRef-...`` where there is
    none; terms: what holds for labels and for pictures. revision: the state of the corpus whose layout this reads; a
    folder that tells its own (``revision_of``) goes by that. coordinates: the system its boxes are in. benchmark: it is
    for scoring, never for training. sheets: a picture is a sheet with one small thing on it, to be cut out.
    """

    name: str
    about: str
    licence: str
    terms: str
    revision: str
    url: str
    coordinates: str = "none"
    benchmark: bool = False
    sheets: bool = False

    def items(self, path: Path) -> Iterator[str]:
        """References to all rows, cheaply and in a stable order; ``RequestError`` where ``path`` is no such corpus."""
        raise NotImplementedError

    def load(self, path: Path, ref: str) -> RawRow:
        """The row behind a reference. Raises ``RowError``."""
        raise NotImplementedError

    def source_id(self, ref: str) -> str:
        """The corpus's own name for the row behind a reference, or the reference itself where the row has none."""
        return parse_ref(ref).name or ref

    def split(self, ref: str) -> str:
        """The split of the row behind a reference."""
        return parse_ref(ref).split

    def source(self, path: Path, ref: str) -> Source:
        """Where the row behind a reference comes from."""
        return Source(self.name, self.source_id(ref), revision_of(Path(path), self.revision), self.licence, self.url)


@dataclass(frozen=True, slots=True)
class Ref:
    """What a reference tells without reading the row. place: where the row lies, for the adapter to find it again."""

    split: str
    place: str
    name: str

    def __str__(self) -> str:
        return f"{self.split}:{quote(writable(self.place), safe='/#')}:{writable(self.name)}"


def parse_ref(ref: str) -> Ref:
    """The parts of a reference that ``Ref`` wrote."""
    split, place, name = ref.split(":", 2)
    return Ref(split, unquote(place), name)


def split_name(name: str, otherwise: str = "train") -> str:
    """``train``, ``validation`` or ``test``, however a corpus spells it."""
    return _SPLITS.get(name.lower(), otherwise)


def revision_of(path: Path, otherwise: str) -> str:
    """The commit that a folder was checked out or downloaded at, where git or the Hugging Face hub left it there."""
    parts = path.resolve().parts
    if "snapshots" in parts[:-1]:
        return parts[parts.index("snapshots") + 1]
    head = path / ".git" / "HEAD"
    if not head.is_file():
        return otherwise
    commit = head.read_text(encoding="utf-8").strip()
    if commit.startswith("ref: "):
        branch = path / ".git" / commit.removeprefix("ref: ")
        commit = branch.read_text(encoding="utf-8").strip() if branch.is_file() else ""
    return commit or otherwise


def quad(box: Any) -> tuple[float, ...]:
    """A corpus's box as eight numbers, clockwise from its top left; empty where it is none.

    box: ``[x0, y0, x1, y1]`` or ``[x0, y0, ... x3, y3]``.
    """
    if not isinstance(box, Sequence) or isinstance(box, str) or len(box) not in (4, 8):
        return ()
    if any(isinstance(side, bool) or not isinstance(side, int | float) or not math.isfinite(side) for side in box):
        return ()
    if len(box) == 8:
        return tuple(float(side) for side in box)
    x0, y0, x1, y1 = map(float, box)
    return (x0, y0, x1, y0, x1, y1, x0, y1)


def quad_of_size(box: Any) -> tuple[float, ...]:
    """The quad of ``[x, y, width, height]``, as COCO has boxes."""
    corners = quad(box)
    if len(corners) != 8 or len(box) != 4:
        return ()
    x, y, width, height = corners[0], corners[1], corners[2], corners[5]
    return quad([x, y, x + width, y + height])


def wanted(row: Any, whole: Any = None, /, **kinds: type | tuple[type, ...]) -> list[Any]:
    """The named fields of a row, each of its kind. Raises ``RowError`` that names the first that is not.

    whole: the corpus's row, where ``row`` is only a part of it.
    """
    if not isinstance(row, Mapping):
        raise RowError("row.malformed", f"no object but {type(row).__name__}", _original(row, whole))
    for name, kind in kinds.items():
        if not isinstance(row.get(name), kind):
            raise RowError("row.malformed", f"{name} is {row.get(name)!r:.200}", _original(row, whole))
    return [row[name] for name in kinds]


#: What values of other kinds than a corpus promises raise where they are used.
WRONG_VALUES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@contextmanager
def reading(original: Mapping[str, Any]) -> Iterator[None]:
    """Whatever in a row is not of its kind is a ``RowError`` that holds the row."""
    try:
        yield
    except RequestError:
        raise
    except WRONG_VALUES as error:
        raise RowError("row.malformed", f"{type(error).__name__}: {error}"[:500], original) from error


def _original(row: Any, whole: Any) -> dict[str, Any]:
    found = as_json(row if whole is None else whole)
    return found if isinstance(found, dict) else {"row": found}


def as_json(value: Any) -> Any:
    """The value as JSON can hold it: bytes are named by their length, what JSON has not by its text."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, str):
        return writable(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)


def writable(text: str) -> str:
    """The text with half a surrogate pair, which no file can have, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def storable(row: Any) -> bool:
    """Whether a row can be written as UTF-8: a lone surrogate, written as an escape, is no text."""
    try:
        to_json(row).encode("utf-8")
    except (ValueError, RecursionError, TypeError):
        return False
    return True


def none_here(path: Path, corpus: str, *looked_for: str) -> RequestError:
    """The error for a folder that is no such corpus."""
    if not path.exists():
        return RequestError(f"{path}: no such folder: give the one {corpus} was unpacked into")
    return RequestError(f"{path}: no {corpus} here: looked for {' and '.join(looked_for)}")
