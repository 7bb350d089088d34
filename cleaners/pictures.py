"""The picture that belongs to a row: found by its name among a corpus's files, or drawn from a page of a PDF.

name = find_picture(files, "0001", near="data/0001.md")
shown = open_picture(files, name, page=1)
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from PIL import Image

from proofpress.cleaners.corpus import Frame, RowError
from proofpress.cleaners.files import Files
from proofpress.cleaners.pdf import render_page
from proofpress.pages.record import Check

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".pdf")


@dataclass(frozen=True, slots=True)
class Picture:
    """A file's bytes or a drawn page. sheet: the PDF page in points, or None. findings: of a PDF."""

    image: bytes | Image.Image
    sheet: Frame | None
    findings: tuple[Check, ...]


def find_picture(files: Files, stem: str, near: str, original: Mapping[str, Any] | None = None) -> str:
    """The picture or PDF of this name without suffix that lies nearest to another file.

    Raises ``RowError`` ``file.missing``.
    """
    found = _by_stem(files).get(stem, ())
    if not found:
        raise RowError("file.missing", f"no picture or PDF named {stem!r}", original)
    return max(found, key=lambda name: (_shared(name, near), -SUFFIXES.index(_suffix(name))))


def open_picture(files: Files, name: str, page: int = 1, original: Mapping[str, Any] | None = None) -> Picture:
    """A picture as it is, or a page of a PDF (counted from 1) drawn. Raises ``RowError``."""
    data = files.read(name, original)
    if _suffix(name) != ".pdf":
        return Picture(data, None, ())
    drawn = render_page(data, page, original)
    return Picture(drawn.image, Frame(drawn.width, drawn.height), drawn.findings)


@lru_cache(maxsize=4)
def _by_stem(files: Files) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in files.names("**/*"):
        if _suffix(name) in SUFFIXES:
            found[PurePosixPath(name).stem].append(name)
    return {stem: tuple(names) for stem, names in found.items()}


def _shared(name: str, near: str) -> int:
    """How many characters two names begin with together."""
    return next((at for at, (one, other) in enumerate(zip(name, near, strict=False)) if one != other), len(name))


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
