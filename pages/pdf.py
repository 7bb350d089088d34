"""Pages of PDF files as images, drawn by PDFium: no script runs, no form is filled in, and no file is drawn larger than
a page needs to be.

    render_page(Path("paper.pdf"), 1).size
"""

from pathlib import Path

import pypdfium2
from PIL import Image

MAX_BYTES = 200_000_000
LONGEST = 2_048  # pixels of the longer side, as olmOCR draws pages for its readers
MAX_RATIO = 50  # between the sides of a page; beyond it the page is a trap


class PdfError(ValueError):
    """A file that is no PDF that can be drawn, or a page it does not have."""


def render_page(path: Path, page: int, longest: int = LONGEST) -> Image.Image:
    """Draw one page, counted from 1, in RGB on white with a longer side of ``longest`` pixels. Raises ``PdfError``."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PdfError(f"larger than {MAX_BYTES} bytes")
        document = pypdfium2.PdfDocument(path)
    except OSError as error:
        raise PdfError(f"cannot be read: {error.strerror or error}") from error
    except pypdfium2.PdfiumError as error:
        raise PdfError(f"not a PDF that can be opened: {error}") from error
    try:
        if not 1 <= page <= len(document):
            raise PdfError(f"has {len(document)} pages, and no page {page}")
        width, height = document[page - 1].get_size()
        if min(width, height) <= 0 or max(width, height) > MAX_RATIO * min(width, height):
            raise PdfError(f"page {page} is {width:g} x {height:g} points")
        drawn = document[page - 1].render(scale=longest / max(width, height), may_draw_forms=False)
        return drawn.to_pil().convert("RGB")
    except pypdfium2.PdfiumError as error:
        raise PdfError(f"page {page} cannot be drawn: {error}") from error
    finally:
        document.close()
