"""Pages of which the regions are known: PubLayNet and DocLayNet, as COCO files or as Parquet of the Hugging Face hub.

COCO: ``**/*.json`` with ``images, annotations, categories``, pictures found by their name. Parquet: ``image`` and
either ``annotations[]{bbox, category_id}`` (PubLayNet) or ``bboxes[][4]`` (``bbox`` in v1.1), ``category_id[]``,
``pdf_cells[][]{bbox, text}``, ``metadata`` (DocLayNet v1.2). DocLayNet's pictures are pressed into a square of
1,025 pixels; they get their pages' own proportions back.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from PIL import Image

from proofpress.cleaners.coco import open_coco, region
from proofpress.cleaners.corpus import (
    Corpus,
    Frame,
    RawRow,
    Ref,
    as_json,
    none_here,
    parse_ref,
    quad_of_size,
    reading,
    split_name,
    wanted,
)
from proofpress.cleaners.files import open_files
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.cleaners.pictures import find_picture
from proofpress.pages.errors import RequestError
from proofpress.pages.image import ImageError, open_image
from proofpress.pages.record import Check, Word

_COCO, _PARQUET = "**/*.json", "**/*.parquet"


class LayoutPages(Corpus):
    """What both share. categories: the names of Parquet's numbers, in their order; first: the number of the first."""

    categories: tuple[str, ...]
    first: int
    coordinates = "pixels of the page as the file gives its size, origin top left, [x, y, width, height]"

    def items(self, path: Path) -> Iterator[str]:
        """One an image of each COCO file, or one a Parquet row."""
        files = open_files(Path(path))
        if files.names(_PARQUET):
            for place, row in list_rows(files, _PARQUET, ["id", "image_id", "metadata"]):
                told = row.get("metadata")
                known = told.get("page_hash") if isinstance(told, dict) else None
                known = known or row.get("id") or row.get("image_id")
                split = split_name(PurePosixPath(place).name.split("-")[0])
                yield str(Ref(split, place, str(known if known is not None else place)))
            return
        found = False
        for name in files.names(_COCO):
            try:
                coco = open_coco(files, name)
            except RequestError:
                continue  # DocLayNet's extra files have one page each
            found = True
            for number, image in coco.images.items():
                file = image.get("file_name")
                known = file if isinstance(file, str) else ""
                yield str(Ref(split_name(PurePosixPath(name).stem), f"{name}#{number}", known))
        if not found:
            raise none_here(files.root, self.name, f"{_COCO} in COCO's layout", _PARQUET)

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        place = parse_ref(ref).place
        return self._load_parquet(path, ref, place) if ".parquet#" in place else self._load_coco(path, ref, place)

    def _load_coco(self, path: Path, ref: str, place: str) -> RawRow:
        files = open_files(Path(path))
        name, _, number = place.rpartition("#")
        elements, frame, original = open_coco(files, name).regions(number)
        (file,) = wanted(original["image"], original, file_name=str)
        picture = find_picture(files, PurePosixPath(file).stem, name, original)
        return RawRow(
            source=self.source(path, ref),
            image=files.read(picture, original),
            text="",
            task="layout",
            original=original,
            split=self.split(ref),
            elements=elements,
            frame=frame,
        )

    def _load_parquet(self, path: Path, ref: str, place: str) -> RawRow:
        row = read_row(open_files(Path(path)), place)
        original = as_json({key: value for key, value in row.items() if key not in ("image", "pdf")})
        with reading(original):
            (image,) = wanted(row, original, image=dict)
            (data,) = wanted(image, original, bytes=bytes)
            boxes, kinds = _regions(row, original)
            names = [self._category(kind) for kind in kinds]
            elements = [
                region(n, k, quad_of_size(b), original) for n, (k, b) in enumerate(zip(names, boxes, strict=True))
            ]
            told: Mapping[str, Any] = row.get("metadata") or {}
            picture, frame, findings = _unpressed(data, told)
            return RawRow(
                source=self.source(path, ref),
                image=picture,
                text="",
                task="layout",
                original=original,
                split=self.split(ref),
                elements=tuple(elements),
                words=tuple(_cells(row.get("pdf_cells"))),
                frame=frame,
                findings=findings,
            )

    def _category(self, number: Any) -> str:
        at = number - self.first if isinstance(number, int) else -1
        return self.categories[at] if 0 <= at < len(self.categories) else str(number)


class PubLayNet(LayoutPages):
    """The adapter of PubLayNet."""

    name = "publaynet"
    about = "pages of PubMed Central papers with regions of five types (PubLayNet)"
    licence = "CDLA-Permissive-1.0"
    terms = "annotations CDLA-Permissive-1.0; pictures under the PMC Open Access Subset's terms of use"
    revision = "a9a8113e2336612e33eb4e49113e03137dd817af"
    url = "https://github.com/ibm-aur-nlp/PubLayNet"
    categories = ("text", "title", "list", "table", "figure")
    first = 1


class DocLayNet(LayoutPages):
    """The adapter of DocLayNet."""

    name = "doclaynet"
    about = "reports, manuals, laws, patents ... with regions of eleven types (DocLayNet)"
    licence = "CDLA-Permissive-1.0"
    terms = "CDLA-Permissive-1.0"
    revision = "v1.2"
    url = "https://huggingface.co/datasets/ds4sd/DocLayNet-v1.2"
    categories = (
        "Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header", "Picture", "Section-header",
        "Table", "Text", "Title",
    )  # fmt: skip
    first = 1


def _regions(row: Mapping[str, Any], original: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The boxes and the numbers of their types, however the release calls them."""
    if "annotations" in row:
        (listed,) = wanted(row, original, annotations=list)
        return [region["bbox"] for region in listed], [region["category_id"] for region in listed]
    boxes = row.get("bboxes", row.get("bbox"))
    kinds = row.get("category_id")
    if not isinstance(boxes, list) or not isinstance(kinds, list) or len(boxes) != len(kinds):
        wanted({}, original, bboxes=list)
    return boxes, kinds  # type: ignore[return-value]


def _unpressed(data: bytes, told: Mapping[str, Any]) -> tuple[bytes | Image.Image, Frame | None, tuple[Check, ...]]:
    """The picture with its page's proportions, and the sheet that its boxes are on."""
    width, height = _side(told.get("coco_width")), _side(told.get("coco_height"))
    page = _side(told.get("original_width")), _side(told.get("original_height"))
    frame = Frame(width, height) if width and height else None
    if frame is None or not all(page):
        return data, frame, ()
    try:
        image = open_image(data)
    except ImageError:
        return data, frame, ()  # the cleaner says what is wrong with it
    ratio = page[0] / page[1]
    if not 0.1 < ratio < 10 or abs(image.width / image.height - ratio) < 0.01:
        return data, frame, ()
    size = (round(image.height * ratio), image.height) if ratio < 1 else (image.width, round(image.width / ratio))
    check = Check("doclaynet.square", "fixed", "image.pressed", f"{image.width}x{image.height} to {size[0]}x{size[1]}")
    return image.resize(size, Image.Resampling.LANCZOS), frame, (check,)


def _side(length: Any) -> float:
    """A length in pixels or points; 0 where it is none."""
    return float(length) if isinstance(length, int | float) and length > 0 else 0.0


def _cells(rows: Any) -> Iterator[Word]:
    """The words that the page's PDF has in each region."""
    for number, cells in enumerate(rows or ()):
        for cell in cells or ():
            if isinstance(cell, dict) and isinstance(cell.get("text"), str) and cell["text"].strip():
                yield Word(cell["text"], quad_of_size(cell.get("bbox")), f"e{number}")
