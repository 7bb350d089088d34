"""Whether a worn page can still be read: each word is as the clean page has it, with enough of its contrast and size.

A word of the worn page is compared with the same word of the clean one, bent and turned alike: how much of its contrast
is left, and how much of what is seen is still the word and not noise, a stain or another word.
"""

from collections.abc import Sequence

import cv2
import numpy as np

CONTRAST = 0.25  # share of the clean page's
LIKENESS = 0.7  # correlation with the clean word
HEIGHT = 9.0  # pixels of a word's box: letters of some 5 pixels
LEAST_INK = 4.0  # spread of grey levels below which a word is a dash or a point, that says nothing of its page


def illegible(clean: np.ndarray, worn: np.ndarray, quads: np.ndarray, heights: Sequence[float]) -> str | None:
    """What cannot be read, in words, or None. clean, worn: grey images of one size. quads: ``(n, 8)``, of the words in
    them. heights: what the words' boxes are high on the clean page."""
    if not len(quads):
        return None
    corners = quads.reshape(-1, 4, 2)
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)  # left, top, right, bottom
    high = sides[:, [0, 2]].mean(axis=1)
    low = int(np.argmin(high - np.minimum(HEIGHT, np.asarray(heights) * 0.98)))
    if high[low] < min(HEIGHT, heights[low] * 0.98):
        return f"word {low} is {high[low]:.1f} pixels high"
    size = (clean.shape[1] // 2, clean.shape[0] // 2)
    one, other = (cv2.resize(image, size, interpolation=cv2.INTER_AREA) for image in (clean, worn))
    left, top = np.floor(corners.min(axis=1) / 2).astype(int).T.clip(0)
    right, bottom = np.ceil(corners.max(axis=1) / 2).astype(int).T
    right, bottom = np.minimum(right, size[0]), np.minimum(bottom, size[1])
    area = np.maximum((right - left) * (bottom - top), 1)

    def mean(image: np.ndarray) -> np.ndarray:
        sums = cv2.integral(image, sdepth=cv2.CV_64F)
        whole: np.ndarray = (sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]) / area
        return whole

    a, b = one.astype(np.float32), other.astype(np.float32)
    mean_a, mean_b = mean(one), mean(other)
    spread_a = mean(a * a) - mean_a**2
    spread_b = mean(b * b) - mean_b**2
    shared = mean(a * b) - mean_a * mean_b
    told = spread_a > LEAST_INK**2
    contrast = np.where(told, shared / np.maximum(spread_a, 1e-9), 1.0)
    likeness = np.where(told, shared / np.sqrt(np.maximum(spread_a * spread_b, 1e-9)), 1.0)
    if contrast.min() < CONTRAST:
        return f"word {int(contrast.argmin())} has {contrast.min():.2f} of its contrast"
    if likeness.min() < LIKENESS:
        return f"word {int(likeness.argmin())} is {likeness.min():.2f} like itself"
    return None
