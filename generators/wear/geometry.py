"""How a page is turned, bent and photographed: one mapping, for its pixels and for its polygons.

A point of the clean page is bent by a sum of waves and then laid on the image by a homography. Pixels are fetched by
the mapping's inverse, which is a formula; points go forward, where the waves are undone by iteration to far below a
pixel. So boxes go where their ink goes, and never by way of the picture.

    warp = bend_and_lay(size=(1024, 1448), tilt=corners, degrees=1.2, scale=0.8, quarters=1, waves=(wave,))
    warp.image(page), warp.points(quads)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

STEP = 16  # pixels between the places where the mapping is computed; between them it is as good as straight
ITERATIONS = 12  # each takes an error to a tenth at most
ALONG = 48  # pixels of an edge that stay straight enough on a bent page


class Wave(NamedTuple):
    """Moves the point ``(x, y)`` by ``(along, down) * sin(2 pi (x * per_x + y * per_y) + phase)`` pixels."""

    per_x: float
    per_y: float
    phase: float
    along: float
    down: float


@dataclass(frozen=True, slots=True)
class Warp:
    """Where each point of a page stands in its image. Points are continuous: pixel 0 goes from 0 to 1.

    page, image_size: ``(width, height)``. homography: 3 x 3, from the bent page to the image.
    """

    page: tuple[int, int]
    image_size: tuple[int, int]
    homography: np.ndarray
    waves: tuple[Wave, ...] = ()

    def points(self, points: np.ndarray) -> np.ndarray:
        """Points ``(n, 2)`` of the page as points of the image."""
        return _project(self.homography, _bent(points, self.waves))

    def sources(self, points: np.ndarray) -> np.ndarray:
        """Points ``(n, 2)`` of the image as points of the page: the inverse of ``points``."""
        flat = _project(np.linalg.inv(self.homography), points)
        return flat + _moves(flat, self.waves)

    def polygon(self, polygon: Sequence[float]) -> tuple[float, ...]:
        """A flat polygon of the page in the image; on a bent page long edges get points between their ends."""
        corners = np.array(polygon, dtype=np.float64).reshape(-1, 2)
        return tuple(np.round(self.points(_dense(corners) if self.waves else corners), 2).ravel().tolist())

    def picture(self, page: np.ndarray, beyond: Sequence[int] | None) -> np.ndarray:
        """The page ``(height, width[, 3])`` of uint8 in its image.

        beyond: the colour of what is no paper; None where the paper goes on as at its edge.
        """
        return self.pictures((page,), beyond)[0]

    def pictures(self, pages: Sequence[np.ndarray], beyond: Sequence[int] | None) -> list[np.ndarray]:
        """``picture`` of several pages of one size: where each pixel comes from is reckoned once."""
        across, down = self._origins()
        border = cv2.BORDER_REPLICATE if beyond is None else cv2.BORDER_CONSTANT
        shrunk = float(np.sqrt(abs(np.linalg.det(self.homography[:2, :2]))))
        pictures = []
        for page in pages:
            value = beyond if beyond is None or page.ndim == 3 else (round(sum(beyond) / 3),)
            if shrunk < 0.9:
                page = cv2.GaussianBlur(page, (0, 0), 0.45 / shrunk)
            pictures.append(
                cv2.remap(page, across, down, cv2.INTER_LINEAR, borderMode=border, borderValue=value or (0,))
            )
        return pictures

    def _origins(self) -> tuple[np.ndarray, np.ndarray]:
        """Where on the page each pixel of the image comes from, as OpenCV wants it: fixed-point, from pixel centres."""
        width, height = self.image_size
        columns, rows = -(-width // STEP) + 2, -(-height // STEP) + 2
        # A node stands in the middle of its square, where ``resize`` takes it to be; one more row all round is cut off.
        x, y = np.meshgrid((np.arange(columns) - 0.5) * STEP, (np.arange(rows) - 0.5) * STEP)
        nodes = self.sources(np.stack((x.ravel(), y.ravel()), axis=1)).reshape(rows, columns, 2) - 0.5
        fine = cv2.resize(nodes.astype(np.float32), (columns * STEP, rows * STEP), interpolation=cv2.INTER_LINEAR)
        across, down = cv2.split(fine[STEP : STEP + height, STEP : STEP + width])
        return cv2.convertMaps(across, down, cv2.CV_16SC2)


def bend_and_lay(
    page: tuple[int, int],
    tilt: np.ndarray | None = None,
    degrees: float = 0.0,
    scale: float = 1.0,
    quarters: int = 0,
    waves: tuple[Wave, ...] = (),
    margin: int = 0,
) -> Warp:
    """The warp that bends, tilts, turns and scales a page in that order, in an image that holds all of it.

    page: ``(width, height)``. tilt: ``(4, 2)``, how far the lens moves each corner, as shares of width and height, from
    top left clockwise. degrees: clockwise. quarters: turns by 90 degrees clockwise. margin: pixels round the page.
    """
    width, height = page
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float64)
    laid: np.ndarray = np.eye(3)
    if tilt is not None:
        moved = corners + tilt * np.array(page)
        laid = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    angle = np.deg2rad(degrees + 90 * quarters)
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    laid = np.array([(cos, -sin, 0), (sin, cos, 0), (0, 0, 1)]) @ laid
    edge = _project(laid, _bent(_dense(corners), waves))
    low, high = np.round(edge.min(axis=0), 6), np.round(edge.max(axis=0), 6)
    left, top = margin - low
    laid = np.array([(1, 0, left), (0, 1, top), (0, 0, 1)]) @ laid
    across, down = np.ceil(high - low).astype(int) + 2 * margin
    return Warp(page, (int(across), int(down)), laid, waves)


def _project(homography: np.ndarray, points: np.ndarray) -> np.ndarray:
    whole = points @ homography[:, :2].T + homography[:, 2]
    projected: np.ndarray = whole[:, :2] / whole[:, 2:]
    return projected


def _moves(points: np.ndarray, waves: Sequence[Wave]) -> np.ndarray:
    moves = np.zeros_like(points, dtype=np.float64)
    for wave in waves:
        swing = np.sin(2 * np.pi * (points[:, 0] * wave.per_x + points[:, 1] * wave.per_y) + wave.phase)
        moves += swing[:, None] * np.array((wave.along, wave.down))
    return moves


def _bent(points: np.ndarray, waves: Sequence[Wave]) -> np.ndarray:
    """The points that the waves move to these."""
    bent = np.asarray(points, dtype=np.float64)
    for _ in range(ITERATIONS if waves else 0):
        bent = points - _moves(bent, waves)
    return bent


def _dense(corners: np.ndarray) -> np.ndarray:
    parts = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        count = max(1, round(float(np.hypot(*(end - start))) / ALONG))
        parts.append(start + (end - start) * (np.arange(count) / count)[:, None])
    return np.concatenate(parts)
