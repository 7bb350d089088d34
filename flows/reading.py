"""Files in, readings out: what ``proofpress read`` does with images and PDF files.

    read_files([Path("page.png"), Path("paper.pdf")], "nano")[0]["text"]

A PDF file is as many pages as it has, each named by its file and number, ``paper.pdf#2``. All files are opened before
anything is read, so that a wrong name is found at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL.Image import Image

from proofpress.cleaners.corpus import RowError
from proofpress.cleaners.pdf import page_count, render_page
from proofpress.pages.errors import RequestError
from proofpress.pages.image import ImageError, open_image

PDF_MARK = b"%PDF-"

#: Files and pages that one command reads: all are held in memory.
MAX_FILE_BYTES = 512 << 20
MAX_PAGES = 500

#: Told a page's name, the piece of text that was read next, and whether it was the page's last; pages in order.
Listener = Callable[[str, str, bool], None]


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be read. name: its file, and its number in a PDF file."""

    name: str
    image: Image


def read_files(
    paths: Sequence[Path],
    model: str,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    decoding: Literal["greedy", "speculative"] = "greedy",
    batch_size: int = 16,
    max_tokens: int | None = None,
    upright: bool = False,
    listener: Listener | None = None,
) -> list[dict[str, Any]]:
    """The model's reading of each page of image and PDF files.

    Each is path, text, tokens, steps, seconds, finish, likelihood, turned. ``RequestError`` names the file that cannot
    be read. listener: told the text while it is read.
    """
    from proofpress.model.reader import Reader

    pages = open_pages(paths)
    told = _InOrder([page.name for page in pages], listener) if listener else None
    reader = Reader.load(model, device, dtype)
    readings = reader.read(
        [page.image for page in pages], min(batch_size, max(1, len(pages))), max_tokens, decoding, upright, told
    )
    return [
        {
            "path": page.name,
            "text": reading.text,
            "tokens": reading.tokens,
            "steps": reading.steps,
            "seconds": reading.seconds,
            "finish": reading.finish,
            "likelihood": reading.likelihood,
            "turned": reading.turned,
        }
        for page, reading in zip(pages, readings, strict=True)
    ]


def open_pages(paths: Sequence[Path]) -> list[Page]:
    """The pages of image and PDF files, told apart by their first bytes."""
    pages: list[Page] = []
    for path in paths:
        data = _bytes(path)
        try:
            if data.startswith(PDF_MARK):
                count = page_count(data)
                _limit(path, len(pages) + count)
                pages += [Page(f"{path}#{n}", render_page(data, n).image) for n in range(1, count + 1)]
            else:
                _limit(path, len(pages) + 1)
                pages.append(Page(str(path), open_image(data)))
        except ImageError as error:
            raise RequestError(f"{path}: not an image that can be read: {error}") from error
        except RowError as error:
            raise RequestError(f"{path}: not a PDF file that can be read: {error}") from error
    return pages


class _InOrder:
    """Passes on what is read of the first unfinished page at once, and of later pages when their turn comes."""

    def __init__(self, names: Sequence[str], listener: Listener) -> None:
        self.names, self.listener = names, listener
        self.held = ["" for _ in names]
        self.finished = [False for _ in names]
        self.turn = 0

    def __call__(self, place: int, piece: str, last: bool) -> None:
        self.held[place] += piece
        self.finished[place] = last
        while self.turn < len(self.names):
            self.listener(self.names[self.turn], self.held[self.turn], self.finished[self.turn])
            self.held[self.turn] = ""
            if not self.finished[self.turn]:
                return
            self.turn += 1


def _limit(path: Path, pages: int) -> None:
    if pages > MAX_PAGES:
        raise RequestError(f"{path}: {pages} pages are more than {MAX_PAGES} at once; read them in several commands")


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise RequestError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB")
        return path.read_bytes()
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
