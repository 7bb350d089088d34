"""Pages of PDF files as pictures, through PDFium: bounded in size, with what is wrong with the file.

    page = render_page(data, 1)
    page.image.size, page.width, page.height        # pixels, and points of the sheet

PDFium runs no scripts. It is not safe in threads, so one page is drawn at a time.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

import pypdfium2
from PIL import Image

from proofpress.cleaners.corpus import RowError
from proofpress.pages.record import Check

#: Pixels of a drawn page's longer side: 200 dpi would be 2,339 for A4, which readers make smaller again.
LONGEST_SIDE = 1_536
MIN_SIDE = 16

_LOCK = Lock()
_END = re.compile(rb"%%EOF\s*\Z")


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A drawn page. width, height: of the sheet, in points as it is turned for reading. findings: of the file."""

    image: Image.Image
    width: float
    height: float
    findings: tuple[Check, ...]


def page_count(data: bytes, original: Mapping[str, Any] | None = None) -> int:
    """The pages of a PDF. Raises ``RowError`` ``pdf.unreadable``."""
    with _LOCK:
        document = _open(data, original)
        try:
            return len(document)
        finally:
            document.close()


def render_page(data: bytes, number: int, original: Mapping[str, Any] | None = None) -> PdfPage:
    """One page, counted from 1, on white. Raises ``RowError``: ``pdf.unreadable``, ``pdf.page``, ``pdf.size``."""
    with _LOCK:
        document = _open(data, original)
        try:
            if not 1 <= number <= len(document):
                raise RowError("pdf.page", f"page {number} of {len(document)}", original)
            page = document[number - 1]
            width, height = page.get_size()
            scale = LONGEST_SIDE / max(width, height, 1e-3)
            if min(width, height) * scale < MIN_SIDE:
                raise RowError("pdf.size", f"a page of {width:g} x {height:g} points", original)
            image = page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise RowError("pdf.unreadable", f"page {number}: {error}", original) from error
        finally:
            document.close()
    return PdfPage(image, width, height, _damage(data))


def _open(data: bytes, original: Mapping[str, Any] | None) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise RowError("pdf.unreadable", f"{len(data)} bytes: {error}", original) from error


def _damage(data: bytes) -> tuple[Check, ...]:
    """Crawls cut files at a size limit; PDFium draws what is left, and the rest of a page may be missing from it."""
    if _END.search(data[-2048:]):
        return ()
    return (Check("pdf.end", "passed", "pdf.truncated", f"{len(data)} bytes do not end in %%EOF"),)
