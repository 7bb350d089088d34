"""Pictures that look alike: two perceptual hashes a picture, and keys by which near ones meet without comparing all.

One hash is of the picture as it is, one of the picture trimmed to its ink: JPEG, noise and blur leave the first as it
was, padding and cropping the second; pictures are as near as the nearer of the two. Hashes within ``NEAR`` bits are
found through keys of ``KEY_BITS`` bits drawn at random places (bit sampling; Indyk and Motwani, "Approximate Nearest
Neighbors", STOC 1998): hashes 4 bits apart share one of the keys in 99 of 100 cases. That two pictures look alike
proves nothing by itself: whoever uses this compares what they say too.

    >>> look_of(open_image(png)).phash, look_of(open_image(padded)).trimmed
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from proofpress.pages.image import INK_LEVEL, phash, trim

Array = np.ndarray[Any, Any]

#: Bits of 64 by which two hashes of one page may differ; pages that are not one were never seen nearer than 10.
NEAR = 8
#: Bits of both hashes together within which pictures are taken for one even where there is no text to ask: a page
#: worn, turned or cropped stays below, no two of the sample's distinct pages were below 34.
SAME = 20

KEYS, KEY_BITS = 16, 20

#: A picture with less ink than this share of it is a blank: hashes of blanks are those of their noise.
BLANK_INK = 0.0002

_POPULATION = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def _places() -> Array:
    rng = np.random.Generator(np.random.PCG64(19980524))
    return np.stack([np.sort(rng.permutation(64)[:KEY_BITS]) for _ in range(KEYS)]).astype(np.uint64)


_PLACES = _places()


@dataclass(frozen=True, slots=True)
class Look:
    """The two hashes of a picture, 16 hex digits each; empty for a blank."""

    phash: str
    trimmed: str

    def hashes(self) -> Mapping[str, str]:
        """As they stand in a record's ``hashes``."""
        return {"phash": self.phash, "phash_trimmed": self.trimmed}


def look_of(image: Image.Image) -> Look:
    """The hashes of a picture. Both are taken of a grey copy that is no larger than hashing needs."""
    grey = image.convert("L")
    grey.thumbnail((1024, 1024), Image.Resampling.BOX, reducing_gap=2.0)
    levels = np.asarray(grey)
    if (levels < INK_LEVEL).mean() < BLANK_INK:
        return Look("", "")
    return Look(phash(grey), phash(trim(_without_specks(grey))[0]))


def as_numbers(hashes: list[str]) -> Array:
    """Hashes as uint64, 0 for an empty one."""
    return np.array([int(digits, 16) if digits else 0 for digits in hashes], np.uint64)


def keys_of(hashes: Array, which: int) -> Array:
    """The sampled key of each hash, (N,) uint64, for one of ``KEYS`` samplings; 0 where there is no hash."""
    key = np.zeros(len(hashes), np.uint64)
    for place in _PLACES[which]:
        key = (key << np.uint64(1)) | ((hashes >> place) & np.uint64(1))
    return np.where(hashes == 0, np.uint64(0), key + np.uint64(1))


def bits_apart(hashes: Array, others: Array) -> Array:
    """The differing bits of each pair; 64 where one of the two has no hash."""
    differing = np.ascontiguousarray(hashes ^ others).view(np.uint8).reshape(*np.shape(hashes ^ others), 8)
    return np.where((hashes == 0) | (others == 0), 64, _POPULATION[differing].sum(axis=-1, dtype=np.int64))


def _without_specks(grey: Image.Image) -> Image.Image:
    """The picture without rows and columns of which only a speck is ink, so that dust does not stop a trim."""
    ink = np.asarray(grey) < INK_LEVEL
    levels = np.asarray(grey).copy()
    levels[ink.sum(axis=1) <= 2, :] = 255
    levels[:, ink.sum(axis=0) <= 2] = 255
    return Image.fromarray(levels)
