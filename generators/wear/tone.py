"""What becomes of a page's pixels once it is laid on glass or before a lens: each step one function.

All take and give uint8 arrays ``(height, width)`` or ``(height, width, 3)`` and draw from the generator they are given.
They are quick because all that is large is done by OpenCV on bytes and all that is smooth is drawn small.
"""

from collections.abc import Callable

import cv2
import numpy as np

Draw = np.random.Generator
Step = Callable[..., np.ndarray]

cv2.setNumThreads(1)  # the press has a process for each core already


def ink_spread(page: np.ndarray, draw: Draw, amount: float) -> np.ndarray:
    """Ink that runs into the paper: each pixel in part as dark as its darkest neighbour."""
    return cv2.addWeighted(page, 1 - amount, cv2.erode(page, np.ones((2, 2), np.uint8)), amount, 0)


def ink_dropout(page: np.ndarray, draw: Draw, amount: float) -> np.ndarray:
    """Ink that did not take: in patches it is lighter."""
    return _lighten(page, _patches(page, draw, 22), amount)


def halftone(page: np.ndarray, draw: Draw, amount: float, pitch: float) -> np.ndarray:
    """A printer's screen at 45 degrees: greys become dots. pitch: pixels from dot to dot."""
    height, width = page.shape[:2]
    y, x = np.mgrid[0:64, 0:64].astype(np.float32)
    turn = 2 * np.pi / 64 * round(64 / pitch / np.sqrt(2))  # whole waves on a tile, so that tiles join
    cell = 32 * (np.cos(turn * (x + y)) + np.cos(turn * (x - y)))
    screen = np.tile(cell, (-(-height // 64), -(-width // 64)))[:height, :width]
    return cv2.addWeighted(page, 1 - amount, _like(np.where(_grey(page) > 128 + screen, 255, 30), page), amount, 0)


def blur(page: np.ndarray, draw: Draw, sigma: float) -> np.ndarray:
    """A lens out of focus."""
    return cv2.GaussianBlur(page, (0, 0), sigma) if sigma > 0.2 else page


def motion(page: np.ndarray, draw: Draw, length: float) -> np.ndarray:
    """A hand that moved: a blur in one direction. length: pixels."""
    size = 2 * int(np.ceil(length)) + 1
    angle, line = draw.uniform(0, np.pi), np.zeros((size, size), np.float32)
    for at in np.linspace(-length / 2, length / 2, 4 * size):
        line[round(size // 2 + at * np.sin(angle)), round(size // 2 + at * np.cos(angle))] += 1
    return cv2.filter2D(page, -1, line / line.sum())


def shade(page: np.ndarray, draw: Draw, depth: float) -> np.ndarray:
    """Light that falls unevenly. depth: the share of it that the darkest places lack."""
    small = draw.uniform(0, 1, (4, 3)).astype(np.float32)
    field = cv2.resize(small, (page.shape[1] // 8 + 1, page.shape[0] // 8 + 1), interpolation=cv2.INTER_CUBIC)
    return darken(page, np.clip(field, 0, 1) * depth)


def shadow(page: np.ndarray, draw: Draw, depth: float) -> np.ndarray:
    """The soft-edged shadow of a hand or a telephone, in from one side."""
    height, width = page.shape[0] // 8 + 1, page.shape[1] // 8 + 1
    angle = draw.uniform(0, 2 * np.pi)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    bow = 0.25 * np.sin(draw.uniform(1, 3) * (y * np.cos(angle) - x * np.sin(angle)) + draw.uniform(0, 6))
    edge = (x * np.cos(angle) + y * np.sin(angle) + bow - draw.uniform(-0.3, 0.5)) / draw.uniform(0.05, 0.3)
    return darken(page, depth / (1 + np.exp(-np.clip(edge, -30, 30))))


def cast(page: np.ndarray, draw: Draw, amount: float) -> np.ndarray:
    """The colour of the light, or of old paper."""
    if page.ndim == 2:
        return page
    warm = np.array((0.0, 0.35, 1.0)) if draw.random() < 0.7 else np.array((0.8, 0.3, 0.0))
    levels = np.arange(256)[:, None] * (1 - amount * warm)
    return cv2.LUT(page, np.clip(np.rint(levels), 0, 255).astype(np.uint8)[None])


def contrast(page: np.ndarray, draw: Draw, gain: float, lift: float) -> np.ndarray:
    """A copier's curve. gain: how much steeper than 1 it is in the middle. lift: the share of light in black."""
    curve = np.clip(0.5 + (np.arange(256) / 255 - 0.5) * (1 + gain), 0, 1)
    return cv2.LUT(page, np.rint(255 * (lift + (1 - lift) * curve)).astype(np.uint8))


def noise(page: np.ndarray, draw: Draw, level: float) -> np.ndarray:
    """A sensor's noise. level: its standard deviation in grey levels."""
    size = page.shape[0] * page.shape[1]
    grains = np.frombuffer(draw.bytes(2 * size), np.uint8).reshape(2, *page.shape[:2])
    even = cv2.addWeighted(grains[0], 0.5, grains[1], 0.5, 0)  # a triangle of a spread of 52 levels about 127.5
    share = level / 52
    return cv2.addWeighted(page, 1.0, _like(even, page), share, -127.5 * share)


def specks(page: np.ndarray, draw: Draw, count: float) -> np.ndarray:
    """Dust on the glass. count: specks a million pixels."""
    height, width = page.shape[:2]
    number = int(count * height * width / 1e6)
    page = page.copy()
    rows, columns = draw.integers(0, height, number), draw.integers(0, width, number)
    for row, column, size in zip(rows.tolist(), columns.tolist(), draw.integers(1, 3, number).tolist(), strict=True):
        page[row : row + size, column : column + size] = 60
    return page


def streaks(page: np.ndarray, draw: Draw, depth: float) -> np.ndarray:
    """Lines that a dirty drum draws down the page."""
    width = page.shape[1]
    line = np.zeros(width, np.float32)
    for _ in range(draw.integers(1, 5)):
        at, broad = draw.integers(0, width), draw.integers(1, 4)
        line[at : at + broad] = draw.uniform(0.3, 1)
    return darken(page, line[None] * depth)


def gutter(page: np.ndarray, draw: Draw, depth: float) -> np.ndarray:
    """The dark edge of a book that does not lie flat on the glass."""
    width = page.shape[1]
    away = np.arange(width, dtype=np.float32) / width
    edge = np.exp(-(away if draw.random() < 0.5 else 1 - away) / draw.uniform(0.015, 0.04)) * depth
    return darken(page, edge[None])


def threshold(page: np.ndarray, draw: Draw, harshness: float) -> np.ndarray:
    """Black and white only, as a fax sends it. harshness: how far from its best place the threshold lies, and how much
    noise the eye of the machine has."""
    grey = noise(_grey(page), draw, 26 * harshness)
    level = 190 + harshness * draw.uniform(-24, 20)
    return np.where(grey > level, 255, 0).astype(np.uint8)


def missed_lines(page: np.ndarray, draw: Draw, count: float) -> np.ndarray:
    """Rows that got lost on the line. count: rows a thousand."""
    page = page.copy()
    height = page.shape[0]
    for row in draw.integers(1, height, int(count * height / 1000)).tolist():
        page[row] = page[row - 1]
    return page


def coarse(page: np.ndarray, draw: Draw, share: float) -> np.ndarray:
    """A picture that was made small and large again. share: of its resolution that was lost."""
    height, width = page.shape[:2]
    small = cv2.resize(page, (round(width * (1 - share)), round(height * (1 - share))), interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


def _grey(page: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(page, cv2.COLOR_RGB2GRAY) if page.ndim == 3 else page


def _like(field: np.ndarray, page: np.ndarray) -> np.ndarray:
    """A field of one channel as uint8 in as many channels as the page has."""
    field = field if field.dtype == np.uint8 else field.astype(np.uint8)
    return field if page.ndim == 2 else cv2.merge([field] * 3)


def darken(page: np.ndarray, lack: np.ndarray) -> np.ndarray:
    """The page with the share ``lack`` of its light taken; a field of another size is stretched to the page's."""
    left = np.rint(255 * (1 - lack)).astype(np.uint8)
    if left.shape != page.shape[:2]:
        left = cv2.resize(left, page.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(page, _like(left, page), scale=1 / 255)


def _lighten(page: np.ndarray, where: np.ndarray, amount: float) -> np.ndarray:
    """The page with the share ``where * amount`` of its ink taken. where: ``(height, width)``, uint8, 255 for all."""
    gone = cv2.multiply(cv2.bitwise_not(page), _like(where, page), scale=amount / 255)
    return cv2.add(page, gone)


def _patches(page: np.ndarray, draw: Draw, size: int) -> np.ndarray:
    """A smooth random field of uint8 whose patches are about ``size`` pixels broad."""
    height, width = page.shape[0] // size + 2, page.shape[1] // size + 2
    small = draw.integers(0, 256, (height, width), dtype=np.uint8)
    return cv2.resize(small, page.shape[1::-1], interpolation=cv2.INTER_CUBIC)


STEPS: dict[str, Step] = {
    step.__name__: step
    for step in (
        *(ink_spread, ink_dropout, halftone, blur, motion, shade, shadow, cast, contrast, noise, specks, streaks),
        *(gutter, threshold, missed_lines, coarse),
    )
}
