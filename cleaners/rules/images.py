"""Rules for pictures: a label needs something printed to be the label of.

>>> drop_blank(Image.new("RGB", (8, 8), "white"))
Drop(reason='image.blank', evidence='8x8 pixels, none of them dark')
"""

from collections.abc import Sequence
from typing import Any

from PIL import Image

from proofpress.cleaners.rule import KEEP, Drop, Rule, Verdict
from proofpress.pages.image import ink, trim
from proofpress.pages.record import Check

#: White left round the ink of a picture that is cut out of its sheet, in pixels.
MARGIN = 16


def drop_blank(image: Image.Image) -> Verdict:
    """Drop a picture without ink."""
    return KEEP if ink(image) > 0 else Drop("image.blank", f"{image.width}x{image.height} pixels, none of them dark")


def crop_to_ink(image: Image.Image) -> tuple[Image.Image, Check]:
    """Cut what is printed out of its white sheet. The check's evidence says where on what sheet it stood."""
    cropped, box = trim(image, MARGIN)
    return cropped, Check("image.crop", "fixed", "image.sheet", f"{image.width}x{image.height} at {tuple(box)}")


def check_boxes(boxes: Sequence[Any], image: Image.Image) -> Check:
    """Whether the boxes that a corpus gives lie on its picture; the evidence lists those that do not.

    No label is made from a box: in 37 of 100 pictures of PubTabNet they are off
    (https://github.com/ibm-aur-nlp/PubTabNet/issues/25), and a bad box must not cost a good label.
    """
    outside = [repr(box) for box in boxes if not _is_on(box, image)]
    if not outside:
        return Check("image.boxes", "passed")
    return Check("image.boxes", "failed", "image.box", f"of {len(boxes)} boxes on {image.size}: {', '.join(outside)}")


def _is_on(box: Any, image: Image.Image) -> bool:
    if not isinstance(box, list) or len(box) != 4 or not all(isinstance(side, int | float) for side in box):
        return False
    x0, y0, x1, y1 = box
    return 0 <= x0 < x1 <= image.width and 0 <= y0 < y1 <= image.height


IMAGE_RULES: tuple[Rule[Image.Image], ...] = (
    Rule("image.blank", "drops pictures without ink", "a white sheet", drop_blank),
)
