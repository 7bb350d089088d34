"""What was read from the pages of a benchmark: files that someone made, or a model that reads now.

StoredReadings(Path("out/predictions"), allow_missing=False).read("page_1.md")
with_model(images, "nano", Path("out/eval/predictions"))        # reads what is not there yet
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from PIL import Image

from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole

#: The largest file that is read as one page.
MAX_BYTES = 4_000_000
#: Names that are listed of those missing.
SHOWN = 5
BATCH = 8

OnPage = Callable[[int, int], None]


class StoredReadings:
    """A folder of Markdown files."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise RequestError(f"--predictions {folder}: no such folder")
        self.folder = folder

    def has(self, name: str) -> bool:
        """Whether there is a file of this name, a path below the folder."""
        return inside(self.folder, name).is_file()

    def read(self, name: str) -> str:
        """The file's text; ``RequestError`` naming it where it cannot be read."""
        return read_text(inside(self.folder, name))

    def names(self) -> list[str]:
        """All Markdown files, as paths below the folder, sorted."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.md"))


def inside(folder: Path, name: str) -> Path:
    """A file below a folder by its name; ``RequestError`` for a name that leads out of it."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise RequestError(f"{name!r}: names a file outside {folder}")
    return path


def read_text(path: Path) -> str:
    """A text file of bounded size in UTF-8; ``RequestError`` naming it where it is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RequestError(f"{path}: larger than {MAX_BYTES} bytes: not the text of a page")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path}: not UTF-8 text: {error}") from error


def check_complete(missing: Sequence[str], wanted: int, folder: Path, allow_missing: bool) -> None:
    """``RequestError`` naming the predictions that are not there, unless that is allowed (and not all are missing)."""
    if not missing or (allow_missing and len(missing) < wanted):
        return
    listed = ", ".join(missing[:SHOWN]) + (f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else "")
    if len(missing) == wanted:
        raise RequestError(f"--predictions {folder}: holds none of the {wanted} files expected, such as {missing[0]}")
    raise RequestError(
        f"--predictions {folder}: {len(missing)} of {wanted} are missing: {listed}; "
        "make them, or score them as empty with --allow-missing"
    )


def with_model(
    images: Mapping[str, Callable[[], Image.Image]], model: str, kept: Path | None, progress: OnPage
) -> dict[str, str]:
    """The model's reading of each image by name. kept: a folder of readings to go on from, written as they are made.

    A folder that another model's readings lie in is a ``RequestError``.
    """
    from proofpress.model.jina_ocr.checkpoint import folder_of
    from proofpress.model.reader import Reader

    readings: dict[str, str] = {}
    files: dict[str, Path] = {}
    if kept is not None:
        _claim(kept, model, str(folder_of(model).resolve()))
        files = {name: inside(kept, name) for name in images}
        readings = {name: read_text(file) for name, file in files.items() if file.is_file()}
    waiting = [name for name in images if name not in readings]
    if not waiting:
        return readings
    reader = Reader.load(model)
    done = len(readings)
    for names in _batches(waiting):
        for name, reading in zip(names, reader.read([images[name]() for name in names]), strict=True):
            readings[name] = reading.text
            if kept is not None:
                files[name].parent.mkdir(parents=True, exist_ok=True)
                write_whole(files[name], reading.text.encode("utf-8", "replace"))
        done += len(names)
        progress(done, len(images))
    return readings


def _claim(folder: Path, model: str, where: str) -> None:
    from proofpress.model.jina_ocr.checkpoint import digest

    path = folder / "reader.json"
    claim = {"model": model, "folder": where, "sha256": digest(model)}
    if path.is_file():
        if (before := json.loads(read_text(path))).get("sha256") != claim["sha256"]:
            raise RequestError(
                f"{folder}: holds the readings of {before.get('model')}, another model; choose another --out"
            )
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(claim, indent=1) + "\n").encode())


def _batches(names: Iterable[str]) -> Iterable[list[str]]:
    iterator = iter(names)
    while batch := list(islice(iterator, BATCH)):
        yield batch
