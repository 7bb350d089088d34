"""Sound rows for ``cleaning.py``: printed pages and crops cut from them, layouts of the pages, and forms drawn here."""

import random
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from proofpress.cleaners.corpus import RawRow
from proofpress.cleaners.forms import Field, form_text
from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.generators.wear import CLEAN, PROFILES
from proofpress.pages.record import PageRecord, Source, Word

CROPS = 12  # of a page


def printed_rows(pages: int, seed: int, worn: bool = False) -> Iterator[RawRow]:
    """Printed pages, their crops, and for each page its layout. worn: in every kind of wear instead of clean."""
    recipe = PressRecipe(rows="both", crops=CROPS, wear=dict.fromkeys(PROFILES if worn else (CLEAN,), 1.0))
    with open_browser(recipe) as browser:
        for record in print_pages(recipe, seed, range(pages), browser):
            if isinstance(record, PageRecord):
                row = RawRow(record.source, record.image, record.text, record.task, {}, "train", words=record.words)
                yield replace(row, elements=record.elements) if record.task == "page" else row
                if record.task == "page":
                    shown = [e for e in record.elements if e.polygons]
                    yield replace(row, task="layout", text="", elements=tuple(shown), words=())


def drawn_forms(count: int, seed: int) -> Iterator[RawRow]:
    """Receipts with a company, a date, a place and a total, and their lines."""
    rng = random.Random(seed)
    font = ImageFont.load_default(size=22)
    for number in range(count):
        names = ("Ashford", "Berger", "Castro", "Dvorak", "Eriksen", "Fontaine", "Goldman", "Horvath")
        company = f"{rng.choice(names)} & {rng.choice(names)} {rng.choice(('Trading', 'Hardware', 'Stationery'))}"
        date = f"{rng.randrange(1, 29):02d}/{rng.randrange(1, 13):02d}/20{rng.randrange(10, 26)}"
        place = f"{rng.randrange(1, 99)} {rng.choice(names)} Street"
        total = f"{rng.randrange(3, 900)}.{rng.randrange(100):02d}"
        lines = [company, place, f"Date: {date}", "Thank you for your visit", f"Total {total}"]
        image = Image.new("RGB", (460, 60 + 44 * len(lines)), "white")
        pen, words = ImageDraw.Draw(image), []
        for at, line in enumerate(lines):
            left, top = 24, 24 + 44 * at
            pen.text((left, top), line, fill="black", font=font)
            x0, y0, x1, y1 = pen.textbbox((left, top), line, font=font)
            words.append(Word(line, (x0, y0, x1, y0, x1, y1, x0, y1), ""))
        data = BytesIO()
        image.save(data, "PNG")
        fields = [Field("company", company), Field("address", place), Field("date", date), Field("total", total)]
        source = Source("forms", str(number), "", "Apache-2.0")
        yield RawRow(source, data.getvalue(), form_text(fields), "form", {}, "train", words=tuple(words))
