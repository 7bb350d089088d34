"""Audits kept pages a second way, that shares nothing with the proof: pixels by hiding the text, words by Tesseract.

python benchmarks/audit.py [--pages 40] [--seed 9] [--misses misses.png]

Ink: each page is printed again with its glyphs transparent. What differs is text's ink: every word's box must own some,
and none may lie outside the boxes of words and figures. This is done for pages of every kind and script.

Words: English pages at 150 dpi are read by Tesseract, and the words of the label are looked for among its own; words
with letters that its English model does not know are not asked for. A word that is missed is read again alone; what is
still missed is listed, and drawn on a sheet to be looked at.
"""

import argparse
import io
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import tesseract
from PIL import Image, ImageDraw

from proofpress.generators.address import Address
from proofpress.generators.press import PressRecipe, open_browser, print_pages, to_html
from proofpress.generators.recipe import compose
from proofpress.pages.record import UNLABELLED, PageRecord, Word
from proofpress.pages.text import normalise

ALL = PressRecipe(rows="pages")
#: What Tesseract's English model can be asked to read; 1240 pixels are A4 at 150 dpi.
ENGLISH = PressRecipe(rows="pages", width=1240, features={"language": ("en",), "face": ("serif", "sans")})
HIDDEN = "<style>* { -webkit-text-fill-color: transparent !important } svg text { fill: none !important }</style>"
CHANGED = 32  # grey levels by which a pixel differs where a glyph was
JUT = 0.15  # share of a word's height by which its glyphs may stand out of its box
_EDGES = re.compile(r"^[^\w%]+|[^\w%]+$")

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Miss:
    """A word of the label that Tesseract did not read, alone neither."""

    page: PageRecord
    word: Word
    alone: str


def audit_ink(pages: int, seed: int) -> tuple[int, int, list[str]]:
    """Pages and words looked at, and what is wrong with them."""
    wrong: list[str] = []
    looked = words = 0
    with open_browser(ALL) as browser:
        records = [r for r in print_pages(ALL, seed, range(pages), browser) if isinstance(r, PageRecord)]
        for record in records:
            spec = compose(ALL, seed, Address.parse(record.source.id).index)
            shown, hidden = (
                np.asarray(Image.open(io.BytesIO(browser.print(html, spec.style.height).png)).convert("L"), np.int16)
                for html in (to_html(spec), to_html(spec) + HIDDEN)
            )
            wrong += [f"{record.source.id}: {what}" for what in _ink_faults(record, np.abs(shown - hidden) > CHANGED)]
            looked, words = looked + 1, words + len(record.words)
    return looked, words, wrong


def _ink_faults(record: PageRecord, glyphs: np.ndarray) -> Iterator[str]:
    """glyphs: ``(height, width)``, true where hiding the text changed the page."""
    left_over = glyphs.copy()
    for word in record.words:
        left, top, right, bottom = _box(word.quad)
        # A formula can be nothing but lines, which are no glyphs.
        if not word.text.startswith("$") and not glyphs[top:bottom, left:right].any():
            yield f"the box of {word.text!r} owns no ink"
        jut = max(3, round(JUT * (bottom - top)))
        left_over[max(0, top - jut) : bottom + jut, max(0, left - jut) : right + jut] = False
    for element in record.elements:
        for polygon in element.polygons if element.type in ("figure", "formula") else ():
            left, top, right, bottom = _box(polygon)
            left_over[max(0, top - 3) : bottom + 3, max(0, left - 3) : right + 3] = False
    if left_over.any():
        row, column = np.argwhere(left_over)[0]
        yield f"ink of {int(left_over.sum())} pixels in no box, at x={column}, y={row}"


def audit_words(pages: int, seed: int) -> tuple[int, int, int, list[Miss]]:
    """Words asked for, those read with the page, those read only alone, and those missed."""
    with open_browser(ENGLISH) as browser:
        records = [r for r in print_pages(ENGLISH, seed, range(pages), browser) if isinstance(r, PageRecord)]
    with ThreadPoolExecutor(2) as pool:
        read = list(pool.map(_read_page, records))
    asked = alone = 0
    misses: list[Miss] = []
    for record, text in zip(records, read, strict=True):
        seen = Counter(map(_bare, text.split()))
        labelled = {element.id for element in record.elements if element.type not in UNLABELLED}
        for word in record.words:
            bare = _bare(word.text)
            if word.element not in labelled or word.text.startswith(("$", "[^")) or not _known(bare):
                continue
            asked += 1
            if seen[bare]:
                seen[bare] -= 1
                continue
            found = _read_alone(record, word)
            if found == bare:
                alone += 1
            else:
                misses.append(Miss(record, word, found))
    return asked, asked - alone - len(misses), alone, misses


def _read_page(record: PageRecord) -> str:
    return tesseract.read(record.image, "3")


def _known(word: str) -> bool:
    """Whether it is a word, in letters that the English model has been taught."""
    return word.isascii() and any(map(str.isalnum, word))


def _read_alone(record: PageRecord, word: Word) -> str:
    """What Tesseract reads of a word enlarged; turned upright where it is high.

    It is cut out closely, for Tesseract takes the height of the picture for that of the line.
    """
    crop = _crop(record, word)
    if crop.height > crop.width and len(word.text) > 2:
        crop = crop.rotate(-90, expand=True)
    buffer = io.BytesIO()
    crop.resize((crop.width * 2, crop.height * 2), Image.Resampling.BICUBIC).save(buffer, "PNG")
    return _bare(" ".join(tesseract.read(buffer.getvalue(), "8").split()))


def _crop(record: PageRecord, word: Word) -> Image.Image:
    left, top, right, bottom = _box(word.quad)
    return Image.open(io.BytesIO(record.image)).convert("RGB").crop((left - 1, top - 1, right + 1, bottom + 1))


def _bare(word: str) -> str:
    """A word without the punctuation round it, in one normal form."""
    return _EDGES.sub("", normalise(word))


def _box(polygon: tuple[float, ...]) -> Box:
    x, y = polygon[::2], polygon[1::2]
    return int(min(x)), int(min(y)), int(np.ceil(max(x))), int(np.ceil(max(y)))


def sheet_of(misses: list[Miss], path: str) -> None:
    """What was missed, as it stands on its page, beside the label's word and Tesseract's."""
    line = 40
    sheet = Image.new("RGB", (1000, line * max(1, len(misses))), "white")
    draw = ImageDraw.Draw(sheet)
    for number, miss in enumerate(misses):
        crop = _crop(miss.page, miss.word)
        crop.thumbnail((480, line - 4))
        sheet.paste(crop, (4, number * line + 2))
        draw.text((500, number * line + 12), f"label {miss.word.text!r}   tesseract {miss.alone!r}", fill="black")
    sheet.save(path)


def main() -> None:
    """Audit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--misses", help="write what Tesseract missed to this picture")
    options = parser.parse_args()
    looked, words, wrong = audit_ink(options.pages, options.seed)
    print(f"ink    {looked} pages of all kinds and scripts, {words} words; {len(wrong)} faults", flush=True)
    for what in wrong:
        print(f"       {what}")
    asked, read, alone, misses = audit_words(options.pages, options.seed)
    print(
        f"words  {asked} words of English pages at 150 dpi; Tesseract reads {100 * read / max(1, asked):.2f} %,",
        end=" ",
    )
    print(f"{100 * (read + alone) / max(1, asked):.2f} % with those it reads alone; misses: {len(misses)}")
    for miss in misses:
        print(f"       {miss.page.source.id} {miss.word.element}: {miss.word.text!r}, read {miss.alone!r}")
    if options.misses:
        sheet_of(misses, options.misses)


if __name__ == "__main__":
    main()
