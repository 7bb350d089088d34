"""Crops that no training sees: printed for this alone, clean and worn, and real ones out of samples of public corpora.

Real pages are brought to the width that the press prints, for a model reads best at the size it was taught.
"""

import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tesseract
from PIL import Image, ImageOps

from proofpress.cleaners.clean import clean
from proofpress.cleaners.corpora import CORPORA
from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.generators.wear import PROFILES
from proofpress.model.judge import JUDGED, MARGIN
from proofpress.pages.image import crop_polygons, open_image
from proofpress.pages.label import normal_label
from proofpress.pages.record import PageRecord

SEED = 987_654_321
# What the bundled model has learned to read, as in recipes/proofs.yaml.
LEARNED_KINDS = {"paper": 1.0, "report": 1.0, "exam": 1.0}
LEARNED = {"language": ("en",), "face": ("serif", "sans"), "formula.font": ("absent", "katex")}
KINDS = ("word", "line", "paragraph", "formula", "table")
LARGEST = (768, 512)  # pixels of a crop that the model sees unscaled

PAGE_WIDTH = 1024  # pixels, of the press
#: How wide the pages were that these corpora's crops are of, in their pixels.
CORPUS_PAGES = {"im2latex": 1700, "pubtabnet": 612}
LINE_HEIGHT = 40  # pixels; what is higher is a paragraph
TASKS = {**JUDGED, "list_item": "text"}


@dataclass(frozen=True)
class Crop:
    """A picture and what stands on it, formulas in normal form. kind: one of ``KINDS``. task: as of a record."""

    image: Image.Image
    label: str
    task: str
    kind: str


def printed(count: int, worn: bool = False) -> list[Crop]:
    """The first ``count`` crops of each kind at the held-out seed that the model sees unscaled."""
    found: dict[str, list[Crop]] = defaultdict(list)
    # A turned crop is read after it is turned back, which is another thing than reading.
    wear = {"wear": {profile: 1.0 for profile in PROFILES if profile != "turned"}} if worn else {}
    recipe = PressRecipe(rows="crops", crops=30, kinds=LEARNED_KINDS, features=LEARNED, **wear)
    with open_browser(recipe) as browser:
        for record in print_pages(recipe, SEED, range(10_000), browser):
            if isinstance(record, PageRecord) and record.width <= LARGEST[0] and record.height <= LARGEST[1]:
                kind = record.features["crop"]
                if len(found[kind]) < count:
                    found[kind].append(_crop(open_image(record.image), record.text, record.task, kind))
                elif all(len(found[kind]) == count for kind in KINDS):
                    break
    return [crop for kind in KINDS for crop in found[kind]]


def real(samples: Path, count: int) -> list[Crop]:
    """At most ``count`` of each kind: im2latex formulas, PubTabNet tables, elements of OmniDocBench's English pages."""
    crops = [*_whole(samples, "im2latex", "formula"), *_whole(samples, "pubtabnet", "table"), *_elements(samples)]
    kept = [crop for crop in crops if crop.image.width <= LARGEST[0] and crop.image.height <= LARGEST[1]]
    return [crop for kind in KINDS for crop in [crop for crop in kept if crop.kind == kind][:count]]


def _whole(samples: Path, name: str, kind: str) -> Iterator[Crop]:
    for record in _records(samples, name):
        image = open_image(record.image)
        yield _crop(_scaled(image, PAGE_WIDTH / CORPUS_PAGES[name]), record.text, record.task, kind)


def _elements(samples: Path) -> Iterator[Crop]:
    for record in _records(samples, "omnidocbench"):
        if record.language != "en":
            continue
        scale = PAGE_WIDTH / record.width
        page = open_image(record.image)
        for element in record.elements:
            if element.type in TASKS and element.text:
                image = _scaled(crop_polygons(page, element.polygons, MARGIN / scale), scale)
                task = TASKS[element.type]
                text = "line" if image.height < LINE_HEIGHT else "paragraph"
                yield _crop(image, element.text, task, text if task == "text" else task)


def _records(samples: Path, name: str) -> Iterator[PageRecord]:
    corpus, path = CORPORA[name], samples / name
    return (made for made in clean(corpus, path, corpus.items(path)) if isinstance(made, PageRecord))


def _scaled(image: Image.Image, scale: float) -> Image.Image:
    size = max(8, round(image.width * scale)), max(8, round(image.height * scale))
    return image.resize(size, Image.Resampling.LANCZOS)


def _crop(image: Image.Image, text: str, task: str, kind: str) -> Crop:
    return Crop(image, normal_label(text, task), task, kind)


def read_by_tesseract(crop: Crop) -> str:
    """What Tesseract reads of a crop: enlarged and on more paper, as it likes best."""
    page = ImageOps.expand(crop.image.convert("L"), 12, 255)
    buffer = io.BytesIO()
    page.resize((page.width * 2, page.height * 2), Image.Resampling.BICUBIC).save(buffer, "PNG")
    mode = "7" if crop.kind in ("word", "line") else "6"
    return " ".join(tesseract.read(buffer.getvalue(), mode, dpi=248).split())
