"""Where files lie: a folder of this machine, or an object store named by a URL that fsspec knows.

A place is a ``Path`` or such a URL. On a disk a file is written beside and renamed; an object store shows an object
whole or not at all, so there it is one put. A store that does not answer is asked again for about a minute, a little
later each time; then ``WorkError`` says so, and the same command goes on where it was.

    shards = sizes(place_of("s3://bucket/demo"))       # {"data/train-00000-of-00002.parquet": 81231, ...}
    write_whole(at(place, "note.txt"), b"whole or not there")
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from proofpress.pages.errors import RequestError, WorkError

Place = Path | str
T = TypeVar("T")

#: Seconds waited before each further try of a store that does not answer.
WAITS: tuple[float, ...] = (1, 2, 4, 8, 16)

#: What asking again does not change.
FINAL = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError, ValueError)


def place_of(text: str) -> Place:
    """The place a user names: a path, ``file://`` too, else the URL as it is, without a slash at its end."""
    protocol, separator, rest = text.partition("://")
    if not separator:
        return Path(text)
    if protocol in ("file", "local"):
        return Path(rest)
    _filesystem(text)
    return text.rstrip("/")


def at(place: Place, name: str) -> Place:
    """A file in a folder."""
    return place / name if isinstance(place, Path) else f"{place}/{name}"


def is_same(one: Place, other: Place) -> bool:
    """Whether two names are of one place."""
    places = [place_of(place) if isinstance(place, str) else place for place in (one, other)]
    return len({place.resolve() if isinstance(place, Path) else place for place in places}) == 1


def sizes(folder: Place) -> dict[str, int]:
    """All files below a folder by their path in it, sorted, with their bytes; empty where there is no such folder."""
    if isinstance(folder, Path):
        found = {
            path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()
        }
    else:
        root = _inner(folder)
        listed = _ask(folder, lambda files: files.find(root, detail=True))
        found = {name[len(root) + 1 :]: entry["size"] for name, entry in listed.items() if name.startswith(root + "/")}
    return dict(sorted(found.items()))


def read_bytes(place: Place) -> bytes:
    """A whole file; ``FileNotFoundError`` where there is none."""
    return place.read_bytes() if isinstance(place, Path) else _ask(place, lambda files: files.cat_file(_inner(place)))


@contextlib.contextmanager
def opened(place: Place) -> Iterator[BinaryIO]:
    """A file to read from at any position; of a store, only what is read is fetched."""
    if isinstance(place, Path):
        with place.open("rb") as file:
            yield file
        return
    far = _ask(place, lambda files: files.open(_inner(place), "rb", block_size=2**20))
    try:
        yield far
    finally:
        far.close()


def patiently(place: Place, read: Callable[[], T]) -> T:
    """What ``read`` gives of an opened place, asked again while its store does not answer."""
    return read() if isinstance(place, Path) else _ask(place, lambda files: read())


def write_whole(place: Place, data: bytes) -> None:
    """Write a file so that its name never stands for half of it, whatever is killed when."""
    if isinstance(place, Path):
        with whole_file(place) as partial:
            partial.write_bytes(data)
    else:
        _ask(place, lambda files: files.pipe_file(_inner(place), data))


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to; on success it is synced and takes its name, on failure it is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def put(path: Path, url: str) -> None:
    """Copy a file into a store, where it appears whole."""
    _ask(url, lambda files: files.put_file(str(path), _inner(url)))


def get(url: str, path: Path) -> None:
    """Copy a file out of a store, whole."""
    with whole_file(path) as partial:
        _ask(url, lambda files: files.get_file(_inner(url), str(partial)))


def remove(place: Place) -> None:
    """Remove a file that may be gone already."""
    if isinstance(place, Path):
        place.unlink(missing_ok=True)
        return
    with contextlib.suppress(FileNotFoundError):
        _ask(place, lambda files: files.rm_file(_inner(place)))


def _ask(url: str, question: Callable[[Any], T]) -> T:
    """The answer of a store; ``FileNotFoundError`` where it has no such thing, ``WorkError`` where it stays silent."""
    files = _filesystem(url)
    for wait in (*WAITS, None):
        try:
            return question(files)
        except PermissionError as error:
            raise WorkError(f"{url}: the store refuses: {error}; look at the credentials it is asked with") from error
        except FINAL:
            raise
        except Exception as error:  # each store has its own errors for a lost connection
            if wait is None:
                raise WorkError(
                    f"{url}: the store does not answer ({type(error).__name__}: {error}). "
                    "Run the same command again when it does: what is done is kept"
                ) from error
            time.sleep(wait)
    raise AssertionError("the last try returns or raises")


def _filesystem(url: str) -> Any:
    """The file system of a URL; what it lists is asked anew each time, as others write there too."""
    import fsspec  # asks for some time to be imported, and most datasets are local

    protocol = url.partition("://")[0]
    try:
        return fsspec.filesystem(protocol, use_listings_cache=False)
    except ImportError as error:
        extra = "pip install 'proofpress[s3]'" if protocol in ("s3", "s3a") else str(error)
        raise RequestError(f"{url}: {protocol}:// needs a package that is not here: {extra}") from error
    except ValueError as error:
        raise RequestError(
            f"{url}: no store is known for {protocol}://; give a folder, or a URL as s3://..."
        ) from error


def _inner(url: str) -> str:
    """A URL's path as its file system names it: ``bucket/key``."""
    return str(_filesystem(url)._strip_protocol(url))
