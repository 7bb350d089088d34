"""What a fault is that ``cleaning.py`` puts into sound rows, and how one is put into a label or a picture alone."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import Image

from proofpress.cleaners.corpus import RawRow
from proofpress.pages.image import open_image

Put = Callable[[random.Random, RawRow], RawRow | None]


@dataclass(frozen=True)
class Fault:
    """reason: what the cleaner must say. tasks: the rows it is put into. how: a word where one reason has several."""

    reason: str
    tasks: tuple[str, ...]
    put: Put
    how: str = ""

    @property
    def of_label(self) -> bool:
        """Whether the label alone shows it."""
        return self.reason.split(".")[0] in ("text", "page", "formula", "table", "form") and self.reason != (
            "form.unsupported"
        )

    @property
    def of_boxes(self) -> bool:
        """Whether the boxes alone show it, on a picture of its size."""
        return self.reason.startswith("layout.") and self.reason != "layout.unlabelled_table"


def on_text(change: Callable[[random.Random, str], str | None]) -> Put:
    """A fault of the label alone. An element's text is the label of its page, so a page loses its elements."""

    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        text = change(rng, row.text)
        return None if text is None or text == row.text else replace(row, text=text, elements=())

    return put


def on_image(change: Callable[[random.Random, Image.Image], Image.Image | bytes | None]) -> Put:
    """A fault of the picture alone."""

    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        made = change(rng, picture_of(row))
        return None if made is None else replace(row, image=made)

    return put


@lru_cache(maxsize=64)
def _decoded(data: bytes) -> Image.Image:
    return open_image(data)


def picture_of(row: RawRow) -> Image.Image:
    """A sound row's picture; many faults are put into one row."""
    return _decoded(row.image) if isinstance(row.image, bytes) else row.image


FORMULA, TABLE, TEXT, PAGE, FORM, LAYOUT = ("formula",), ("table",), ("text",), ("page",), ("form",), ("layout",)
LABELLED = (*FORMULA, *TABLE, *TEXT, *PAGE, *FORM)
PROSE = (*TEXT, *PAGE)
CROPS = (*FORMULA, *TABLE, *TEXT)
