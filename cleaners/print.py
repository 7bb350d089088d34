"""What is printed on a picture, as far as it shows without reading: ink about its background, marks, skew, cut edges.

Generic measures of picture quality fail on documents, which are white, flat and alike by right; these ask what a
reader needs. Marks are connected stretches of ink: about one a letter in print, one a stroke or a word in writing.

    look = Print.of(image)
    look.ink, len(look.marks), look.skew(), look.cut_marks()

Paper is darker in the shade of a photograph than in its light, so ink is told from the paper about it: the picture
itself, its strokes filled up from their sides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from PIL import Image
from scipy import ndimage

#: Levels of luminance between white paper and what is ink on it, dark on light or light on dark; in the shade as many
#: fewer as there is less light, but no fewer than LEAST_CONTRAST.
CONTRAST, LEAST_CONTRAST = 60, 36
#: Pixels that a stroke is not as thick as.
STROKE = 16
#: Share of an edge within HEM pixels of ink from which it is the edge of a sheet or a shadow.
HEM, HEMMED = 3, 0.8
#: The longer side that pictures are measured at; finer ones are made smaller first.
MEASURED_SIDE = 2_000
FEW_LETTERS = 20
_SKEW_SIDE = 600
_SKEW_RANGE = 12.0  # degrees either way

_EIGHT = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class Print:
    """A picture's luminance and ink. levels: (H, W) uint8. paper: the most frequent of them. mask: (H, W) bool, what
    is ink. scale: of the picture as measured."""

    levels: np.ndarray
    paper: int
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
        paper = int(np.argmax(np.bincount(levels.ravel() // 8, minlength=32))) * 8 + 4
        return cls(levels, paper, _ink(levels), scale)

    @property
    def ink(self) -> float:
        """The share of the picture that is not as its paper is: ink, photographs, deep shade."""
        return float((np.abs(self.levels.astype(np.int16) - self.paper) > CONTRAST).mean())

    @property
    def spread(self) -> float:
        """Levels between the darkest and the lightest thing on the picture, noise aside."""
        low, high = np.percentile(self.levels, (0.02, 99.98))
        return float(high - low)

    @cached_property
    def _labelled(self) -> np.ndarray:
        """(H, W) int32: the number of the mark that a pixel belongs to, 0 for paper."""
        return ndimage.label(self.mask, structure=_EIGHT)[0]

    @cached_property
    def marks(self) -> np.ndarray:
        """(N, 4) int: top, bottom, left, right (outside) of each mark, specks left out."""
        places = ndimage.find_objects(self._labelled)
        boxes = [(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in places]
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

        Of few marks, which may be letters run together, too small to be told as such, or the dots of Arabic, all are
        taken, and nine of ten are to be lower.
        """
        told = len(self.letters) >= FEW_LETTERS
        marks = self.letters if told else self.marks
        if not len(marks):
            return 0.0
        return float(np.quantile(marks[:, 1] - marks[:, 0], 0.5 if told else 0.9)) / self.scale

    def cut_marks(self) -> int:
        """Stretches of ink at the picture's edges that something is cut in two there by.

        None is a rule that runs off the picture or along its edge; and where there are some at all four edges, the
        picture is cut out as closely as its ink allows, and they tell nothing.
        """
        reach = max(12, round(2 * self.letter_height() * self.scale))
        top, bottom, left, right = (
            edge if (edge[:HEM] > 0).any(axis=0).mean() <= HEMMED else None
            for edge in (self._labelled, self._labelled[::-1], self._labelled.T, self._labelled.T[::-1])
        )
        cut = [_cut_by(edge, reach, left is None, right is None) for edge in (top, bottom)]
        cut += [_cut_by(edge, reach, top is None, bottom is None) for edge in (left, right)]
        return 0 if all(cut) else sum(cut)

    def skew(self) -> float:
        """Degrees, counter-clockwise positive, that lines of text lean by; 0 where there are too few to tell.

        The turn whose rows differ most in ink, as lines and the gaps between them do (Postl 1986).
        """
        if len(self.letters) < 40:
            return 0.0
        small = Image.fromarray(self._without_pictures().astype(np.uint8) * 255)
        small.thumbnail((_SKEW_SIDE, _SKEW_SIDE), Image.Resampling.BOX)
        rough = small.reduce(2)
        best = max(np.arange(-_SKEW_RANGE, _SKEW_RANGE + 0.1, 1.0), key=_Rowness(rough))
        best = max(np.arange(best - 0.8, best + 0.81, 0.2), key=_Rowness(small))
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


class _Rowness:
    """How much the rows of a picture, turned by so many degrees, differ in ink."""

    def __init__(self, image: Image.Image) -> None:
        ink = np.asarray(image)
        self.rows, self.columns = np.nonzero(ink)
        self.weights = ink[ink > 0].astype(np.float32)
        self.length = sum(image.size) + 2

    def __call__(self, turn: float) -> float:
        angle = np.radians(turn)
        turned = self.rows * np.cos(angle) - self.columns * np.sin(angle)
        places = turned - turned.min()
        whole = places.astype(np.int64)
        below = self.weights * (places - whole)  # of a point between two rows
        profile = np.bincount(whole, self.weights - below, self.length)
        profile[1:] += np.bincount(whole, below, self.length)[:-1]
        return float(np.square(np.diff(profile)).sum())


def _ink(levels: np.ndarray) -> np.ndarray:
    """What stands out from the paper about it. levels: (H, W) uint8."""
    step = max(1, round(max(levels.shape) / 700))
    side = STROKE // step + 1
    some = levels[::step, ::step].astype(np.float32)
    detail = some - cv2.blur(some, (side, side))
    seen = levels if np.power(detail, 3).sum() <= 0 else 255 - levels  # ink is less than paper, and further from it
    around = cv2.copyMakeBorder(cv2.blur(seen, (3, 3))[::step, ::step], side, side, side, side, cv2.BORDER_REFLECT)
    filled = cv2.morphologyEx(around, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    light: np.ndarray = cv2.blur(filled, (side, side))[side:-side, side:-side].astype(np.float32)
    if step > 1:
        light = cv2.resize(light, levels.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.abs(seen - light) > np.clip(light * (CONTRAST / 220), LEAST_CONTRAST, CONTRAST)


def _runs(edge: np.ndarray) -> Iterator[tuple[int, int]]:
    """Begin and end of each stretch of ink of a row of pixels."""
    turns = np.flatnonzero(np.diff(np.concatenate([[0], edge.view(np.int8), [0]])))
    yield from zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True)


def _cut_by(edge: np.ndarray | None, reach: int, *hems: bool) -> int:
    """How many stretches of ink in the first row are of what can be a letter cut in two.

    edge: (H, W) numbers of marks; None for a hem. reach: pixels that a letter is not as long as. hems: whether the
    edges at both its ends are hems, whose ends lie on this one.
    """
    if edge is None:
        return 0
    strip, cut, hairs = edge[:reach], 0, 0
    for begin, end in _runs(edge[0] > 0):
        mark = strip == strip[0, begin]
        deep, wide = int(mark.any(axis=1).sum()), int(mark.any(axis=0).sum())
        if (begin == 0 and hems[0]) or (end == edge.shape[1] and hems[1]):
            continue
        if end - begin > reach or _is_rule(mark, begin, end, reach):
            continue
        if min(deep, wide) >= 2 and max(deep, wide) >= 3:
            cut += 1
        elif deep >= 3:
            hairs += 1  # one can be dust, two are a letter's strokes
    return cut + hairs // 2


def _is_rule(mark: np.ndarray, begin: int, end: int, reach: int) -> bool:
    """Whether a mark goes straight inward, as thick as at the edge, for further than letters do."""
    if len(mark) < reach or end - begin > max(4, reach // 6) or not mark[:, begin:end].any(axis=1).all():
        return False
    beside = mark[:, max(0, begin - 2) : begin].any(axis=1) | mark[:, end : end + 2].any(axis=1)
    return float(beside.mean()) <= 0.3
