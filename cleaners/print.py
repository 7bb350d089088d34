"""What is printed on a picture, as far as it shows without reading: ink about its background, marks, skew, cut edges.

Generic measures of picture quality fail on documents, which are white, flat and alike by right; these ask what a
reader needs. Marks are connected stretches of ink: about one a letter in print, one a stroke or a word in writing.

    look = Print.of(image)
    look.ink, len(look.marks), look.skew(), look.cut_marks()
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image
from scipy import ndimage

#: Levels of luminance between the background and what is ink on it, dark on light or light on dark.
CONTRAST = 60
#: The longer side that pictures are measured at; finer ones are made smaller first.
MEASURED_SIDE = 2_000
FEW_LETTERS = 20
_SKEW_SIDE = 600
_SKEW_RANGE = 12.0  # degrees either way

_EIGHT = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class Print:
    """A picture's luminance and ink. levels: (H, W) uint8. mask: (H, W) bool. scale: of the picture as measured."""

    levels: np.ndarray
    mask: np.ndarray
    scale: float

    @classmethod
    def of(cls, image: Image.Image) -> "Print":
        """The print of a picture in RGB."""
        scale = min(1.0, MEASURED_SIDE / max(image.size))
        grey = image.convert("L")
        if scale < 1:
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            grey = grey.resize(size, Image.Resampling.BOX)
        levels = np.asarray(grey)
        background = int(np.argmax(np.bincount(levels.ravel() // 8, minlength=32))) * 8 + 4
        return cls(levels, np.abs(levels.astype(np.int16) - background) > CONTRAST, scale)

    @property
    def ink(self) -> float:
        """The share of the picture that is ink."""
        return float(self.mask.mean())

    @property
    def spread(self) -> float:
        """Levels between the darkest and the lightest thing on the picture, noise aside."""
        low, high = np.percentile(self.levels, (0.02, 99.98))
        return float(high - low)

    @cached_property
    def marks(self) -> np.ndarray:
        """(N, 4) int: top, bottom, left, right (outside) of each mark, specks left out."""
        labelled, _ = ndimage.label(self.mask, structure=_EIGHT)
        boxes = [
            (rows.start, rows.stop, columns.start, columns.stop) for rows, columns in ndimage.find_objects(labelled)
        ]
        found = np.array(boxes, dtype=np.int64).reshape(-1, 4)
        sizes = np.maximum(found[:, 1] - found[:, 0], found[:, 3] - found[:, 2])
        return found[sizes >= 2]

    @cached_property
    def letters(self) -> np.ndarray:
        """The marks that can be letters: neither rules nor pictures."""
        heights = self.marks[:, 1] - self.marks[:, 0]
        widths = self.marks[:, 3] - self.marks[:, 2]
        limit = max(12, 0.25 * self.mask.shape[0])
        return self.marks[(heights >= 3) & (heights <= limit) & (widths <= 12 * heights)]

    def letter_height(self) -> float:
        """The median height of what can be a letter, in pixels of the picture; 0 where there is nothing.

        Of few marks, which may be letters run together or too small to be told as such, all are taken, and three
        quarters are to be lower.
        """
        told = len(self.letters) >= FEW_LETTERS
        marks = self.letters if told else self.marks
        if not len(marks):
            return 0.0
        return float(np.quantile(marks[:, 1] - marks[:, 0], 0.5 if told else 0.75)) / self.scale

    def cut_marks(self) -> int:
        """Marks that run off the picture: at its very edge, and no rule that runs off it or along it, nor a frame."""
        height, width = self.mask.shape
        top, bottom, left, right = self.marks.T
        tall, wide = bottom - top, right - left
        across, down = (tall <= 4) & (wide >= 12), (wide <= 4) & (tall >= 12)
        at_side = ((left == 0) | (right == width)) & ~across & ~(down & (tall > 0.95 * height))
        at_end = ((top == 0) | (bottom == height)) & ~down & ~(across & (wide > 0.95 * width))
        frame = ((tall > 0.5 * height) & (tall > 40)) | ((wide > 0.5 * width) & (wide > 40))
        speck = (np.minimum(tall, wide) < 2) | (np.maximum(tall, wide) < 4)
        return int(((at_side | at_end) & ~frame & ~speck).sum())

    def skew(self) -> float:
        """Degrees, counter-clockwise positive, that lines of text lean by; 0 where there are too few to tell.

        The turn whose rows differ most in ink, as lines and the gaps between them do (Postl 1986).
        """
        if len(self.letters) < 40:
            return 0.0
        ink = self._without_pictures()
        small = Image.fromarray(ink.astype(np.uint8) * 255)
        small.thumbnail((_SKEW_SIDE, _SKEW_SIDE), Image.Resampling.BOX)
        best = max(np.arange(-_SKEW_RANGE, _SKEW_RANGE + 0.1, 1.0), key=lambda turn: _rowness(small, turn))
        best = max(np.arange(best - 0.8, best + 0.81, 0.2), key=lambda turn: _rowness(small, turn))
        return -round(float(best), 1) + 0.0

    def ruled_grids(self) -> list[tuple[float, ...]]:
        """Boxes (x0, y0, x1, y1), in pixels of the picture, of what crossing rules make a table of."""
        height, width = self.mask.shape
        ink = self.mask.view(np.uint8)
        across = _long_runs(ink, max(20, width // 12), axis=1)
        down = _long_runs(ink, max(20, height // 60), axis=0)
        labelled, _ = ndimage.label(across | down, structure=_EIGHT)
        grids: list[tuple[float, ...]] = []
        for rows, columns in ndimage.find_objects(labelled):
            rules = ndimage.label(across[rows, columns], structure=_EIGHT)[1]
            bars = ndimage.label(down[rows, columns], structure=_EIGHT)[1]
            if rules >= 3 and bars >= 3:
                box = (columns.start, rows.start, columns.stop, rows.stop)
                grids.append(tuple(side / self.scale for side in box))
        return grids

    def _without_pictures(self) -> np.ndarray:
        only = np.zeros_like(self.mask)
        for top, bottom, left, right in self.letters:
            only[top:bottom, left:right] = self.mask[top:bottom, left:right]
        return only


def _long_runs(ink: np.ndarray, length: int, axis: int) -> np.ndarray:
    """Ink that is part of a straight run of at least this length."""
    return ndimage.maximum_filter1d(ndimage.minimum_filter1d(ink, length, axis), length, axis) > 0


def _rowness(image: Image.Image, turn: float) -> float:
    rows = np.asarray(image.rotate(turn, Image.Resampling.BILINEAR), dtype=np.float64).sum(axis=1)
    return float(np.square(np.diff(rows)).sum())
