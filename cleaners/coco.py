"""COCO annotations of page regions, streamed: PubLayNet's file of several gigabytes is never in memory.

    coco = open_coco(files, "train.json")
    for image in coco.images: ...
    regions, sheet = coco.regions(image_id)

What is kept is where each region stands in the file. Types go by the names in the file, never by numbers: they differ
from split to split in some corpora (https://github.com/doc-analysis/DocBank/issues/52).
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from proofpress.cleaners.corpus import Frame, RowError, quad_of_size, reading, wanted
from proofpress.cleaners.files import Files
from proofpress.cleaners.json_stream import list_items
from proofpress.cleaners.jsonl import parse_object
from proofpress.pages.errors import RequestError
from proofpress.pages.record import Element

#: The names that corpora give region types, as ``record.ELEMENT_TYPES`` calls them.
TYPES = {
    "caption": "caption", "footnote": "note", "formula": "formula", "equation": "formula", "list-item": "list_item",
    "list": "list_item", "page-footer": "running_foot", "page-header": "running_head", "picture": "figure",
    "figure": "figure", "section-header": "heading", "section": "heading", "table": "table", "text": "paragraph",
    "paragraph": "paragraph", "title": "title",
}  # fmt: skip


@dataclass(frozen=True)
class Coco:
    """One annotation file. images: ``{id, file_name, width, height}`` each, by their id. Ids are taken as text."""

    files: Files
    name: str
    images: Mapping[str, Mapping[str, Any]]
    categories: Mapping[str, str]
    places: Mapping[str, array]  # of image id: first byte and byte behind each of its regions, in turns

    def annotations(self, image: str) -> Iterator[dict[str, Any]]:
        """The regions of an image, as the file has them."""
        spans = self.places.get(image, ())
        with self.files.open(self.name) as stream:
            for start, end in zip(spans[::2], spans[1::2], strict=True):
                stream.seek(start)
                yield parse_object(stream.read(end - start))

    def regions(self, image: str) -> tuple[tuple[Element, ...], Frame, dict[str, Any]]:
        """An image's regions as elements, the sheet they are on, the corpus's own rows. Raises ``RowError``."""
        told = self.images[image]
        rows = list(self.annotations(image))
        original = {"image": dict(told), "annotations": rows}
        width, height = wanted(told, original, width=int, height=int)
        with reading(original):
            elements = []
            for number, row in enumerate(rows):
                kind = self.categories.get(str(row.get("category_id")), "")
                elements.append(region(number, kind, quad_of_size(row.get("bbox")), original))
            return tuple(elements), Frame(max(width, 1), max(height, 1)), original


def region(number: int, kind: str, box: tuple[float, ...], original: Mapping[str, Any]) -> Element:
    """One region. Raises ``RowError`` ``layout.category`` for a type that none of ``TYPES`` is."""
    if kind.lower() not in TYPES:
        raise RowError("layout.category", f"region {number} is of the type {kind!r}", original)
    return Element(f"e{number}", TYPES[kind.lower()], "", (box,))


@lru_cache(maxsize=4)
def open_coco(files: Files, name: str) -> Coco:
    """Read an annotation file once for its images and the places of its regions. Raises ``RequestError``."""
    images: dict[str, Mapping[str, Any]] = {}
    categories: dict[str, str] = {}
    places: dict[str, array] = defaultdict(lambda: array("q"))
    try:
        for key, start, end, item in list_items(files, name, "COCO annotations"):
            if key == "annotations":
                places[str(item["image_id"])].extend((start, end))
            elif key == "images":
                images[str(item["id"])] = item
            elif key == "categories":
                categories[str(item["id"])] = str(item["name"])
    except (KeyError, TypeError) as error:
        raise RequestError(f"{name}: no COCO annotations: {error!r}") from error
    if not images or not categories:
        raise RequestError(f"{name}: no COCO annotations: it has {len(images)} images, {len(categories)} categories")
    return Coco(files, name, images, categories, dict(places))
