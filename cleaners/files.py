"""A corpus's files, in a folder or in a zip archive: read by name, never outside of it, never more than a limit.

An archive is never unpacked: a member is read into memory, and no further than the limit, whatever its header claims.

    files = open_files(Path("dataset.zip"))
    for name in files.names("training_data/annotations/*.json"):
        form = files.read(name)
"""

import re
import zipfile
import zlib
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from proofpress.cleaners.corpus import RowError
from proofpress.pages.errors import RequestError

MAX_FILE = 256 * 2**20  # bytes of one picture, PDF or annotation file
MAX_LINE = 64 * 2**20  # bytes of one row of a JSONL file
#: A member that is unpacked to more than this many times its size is no picture and no text.
MAX_RATIO = 200

#: What reading from a disk or from a damaged or encrypted archive raises.
UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError)


class Files(Hashable, Protocol):
    """root: the folder or archive. Names are relative, with ``/``. original: the row a file is read for."""

    root: Path

    def names(self, pattern: str) -> tuple[str, ...]:
        """The names that a glob matches (``*`` within a folder, ``**/`` any folders), sorted."""

    def read(self, name: str, original: Mapping[str, Any] | None = None, limit: int = MAX_FILE) -> bytes:
        """A file's bytes. ``RowError``: ``file.path`` leads outside, ``file.missing``, ``file.size``, ``file.bomb``,
        ``file.unreadable``."""

    def open(self, name: str) -> BinaryIO:
        """A file to read from, for those too long to read at once. ``RowError``; reading may raise ``UNREADABLE``."""


@lru_cache(maxsize=16)  # every load asks
def open_files(path: Path) -> Files:
    """The files of a folder or a ``.zip``. Raises ``RequestError`` for what is neither."""
    if path.is_dir():
        return _Folder(path)
    if path.suffix in (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"):
        raise RequestError(f"{path}: only .zip archives are read as they are: unpack it and give the folder")
    try:
        return _Zip(path)
    except FileNotFoundError as error:
        raise RequestError(f"{path}: no such folder or .zip: give the one the corpus was unpacked into") from error
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise RequestError(f"{path}: neither a folder nor a sound .zip archive: {error}") from error


@contextmanager
def listing(name: str) -> Iterator[None]:
    """A file that says what there is in a corpus and cannot be read is an error of the whole corpus."""
    try:
        yield
    except RowError as error:
        raise RequestError(f"{name}: {error.evidence}") from error
    except UNREADABLE as error:
        raise RequestError(f"{name}: cannot be read to its end: {error}") from error


def lines(files: Files, name: str) -> Iterator[tuple[int, bytes]]:
    """Byte offset and bytes of each line; of one longer than ``MAX_LINE`` only its begin, one byte past the limit."""
    offset = 0
    with listing(name), files.open(name) as stream:
        while line := stream.readline(MAX_LINE + 1):
            start, offset = offset, offset + len(line)
            yield start, line
            while len(line) > MAX_LINE and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE + 1)
                offset += len(line)


def line_at(files: Files, name: str, offset: int) -> bytes:
    """The line that begins at an offset. Raises ``RowError`` where it is longer than ``MAX_LINE``."""
    with files.open(name) as stream:
        stream.seek(offset)
        line = stream.readline(MAX_LINE + 1)
    if len(line) > MAX_LINE:
        raise RowError("row.size", f"a line of more than {MAX_LINE} bytes", {"begin": line[:1000].decode("latin-1")})
    return line


class _Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.inside = _insides(root.resolve())
        self.names = lru_cache(maxsize=64)(self._names)  # a folder of pictures can hold half a million

    def _names(self, pattern: str) -> tuple[str, ...]:
        found = (file.relative_to(self.root).as_posix() for file in self.root.glob(pattern) if file.is_file())
        return tuple(sorted(found))

    def read(self, name: str, original: Mapping[str, Any] | None = None, limit: int = MAX_FILE) -> bytes:
        file = self._inside(name, original)
        try:
            if not file.is_file():
                raise RowError("file.missing", f"{name} is not there", original)
            if (size := file.stat().st_size) > limit:
                raise RowError("file.size", f"{name}: {size} bytes, more than {limit}", original)
            return file.read_bytes()
        except OSError as error:
            raise RowError("file.unreadable", f"{name}: {error.strerror}", original) from error

    def open(self, name: str) -> BinaryIO:
        return self._inside(name, None).open("rb")

    def _inside(self, name: str, original: Mapping[str, Any] | None) -> Path:
        try:
            file = self.root / name
            if (
                "\0" not in name
                and ".." not in Path(name).parts
                and any(map(file.resolve().is_relative_to, self.inside))
            ):
                return file
        except (OSError, RuntimeError, ValueError) as error:  # a name too long, links in a circle
            raise RowError("file.unreadable", f"{name:.200}: {error}", original) from error
        raise RowError("file.path", f"{name!r} leads out of its folder", original)


class _Zip:
    def __init__(self, path: Path) -> None:
        self.root = path
        self.archive = zipfile.ZipFile(path)
        self.members = {info.filename: info for info in self.archive.infolist() if not info.is_dir()}
        self.names = lru_cache(maxsize=64)(self._names)

    def _names(self, pattern: str) -> tuple[str, ...]:
        translated = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
        expression = re.compile(translated)
        return tuple(sorted(name for name in self.members if expression.fullmatch(name)))

    def read(self, name: str, original: Mapping[str, Any] | None = None, limit: int = MAX_FILE) -> bytes:
        info = self.members.get(name)
        if info is None:
            raise RowError("file.missing", f"{name!r} is not in the archive", original)
        allowed = min(limit, max(info.compress_size, 1) * MAX_RATIO)
        try:
            with self.archive.open(info) as stream:
                data = stream.read(allowed + 1)
        except UNREADABLE as error:
            raise RowError("file.unreadable", f"{name}: {error}", original) from error
        if len(data) > allowed:
            evidence = f"{name}: {info.compress_size} bytes unpack to more than {allowed}"
            raise RowError("file.bomb" if allowed < limit else "file.size", evidence, original)
        return data

    def open(self, name: str) -> BinaryIO:
        if name not in self.members:
            raise RowError("file.missing", f"{name!r} is not in the archive")
        try:
            return self.archive.open(name)  # type: ignore[return-value]
        except UNREADABLE as error:
            raise RowError("file.unreadable", f"{name}: {error}") from error


def _insides(root: Path) -> tuple[Path, ...]:
    """Where a folder's files may lie: in it, or, of a download of the Hugging Face hub, among the blobs it links to."""
    parts = root.parts
    if "snapshots" not in parts[:-1]:
        return (root,)
    return root, Path(*parts[: parts.index("snapshots")], "blobs")
