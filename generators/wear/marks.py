"""What people and time leave on paper before it is copied: stamps, pens, highlighters, stains, folds, the other side.

Each step takes the clean page, RGB ``(height, width, 3)`` of uint8, and the boxes of its words, and gives the page and
what it put there that a reader could take for content. Such a mark is an element of the page; it stands clear of words,
or lets them through.

    page, marks = MARKS["stamp"](page, boxes, draw, darkness=0.8)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from proofpress.generators.wear.tone import Draw, darken

STAMPS = ("RECEIVED", "COPY", "PAID", "APPROVED", "DRAFT", "ARCHIVE", "CONFIDENTIAL")
INKS = ((170, 30, 40), (40, 50, 150), (60, 60, 70), (20, 110, 70))
PENS = ((30, 50, 150), (20, 20, 25), (190, 30, 40), (90, 90, 95))
MARKERS = ((255, 245, 110), (170, 250, 150), (255, 190, 215), (160, 225, 255))
TRIES = 12  # places looked at for a mark; the one that is freest is taken
CROWDED = 0.02  # share of a mark's place that words may have
FONT = cv2.FONT_HERSHEY_DUPLEX


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that is on the page and in no label. polygon: flat, in pixels of the clean page."""

    role: str
    polygon: tuple[float, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)


Marked = tuple[np.ndarray, tuple[Mark, ...]]
MarkStep = Callable[..., Marked]


def stamp(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """A rubber stamp with a word and a date, turned a little, where the page is free."""
    word = STAMPS[draw.integers(len(STAMPS))]
    date = f"{draw.integers(1990, 2027)}-{draw.integers(1, 13):02d}-{draw.integers(1, 29):02d}"
    size = page.shape[1] / 1024 * draw.uniform(0.8, 1.2)
    width, height = round((34 + 23 * len(word)) * size), round(92 * size)
    plate = np.zeros((height, width), np.uint8)
    cv2.rectangle(plate, (2, 2), (width - 3, height - 3), 255, max(2, round(3 * size)))
    for text, scale, line in ((word, 1.05, 44), (date, 0.7, 78)):
        (broad, _), _ = cv2.getTextSize(text, FONT, scale * size, 2)
        at = ((width - broad) // 2, round(line * size))
        cv2.putText(plate, text, at, FONT, scale * size, 255, 2, cv2.LINE_AA)
    patchy = cv2.resize(
        draw.integers(110, 256, (9, 14), dtype=np.uint8), (width, height), interpolation=cv2.INTER_CUBIC
    )
    plate = cv2.multiply(plate, patchy, scale=1 / 255)
    turned, corners = _turned(plate, draw.uniform(-16, 16))
    place = _free_place(page, boxes, turned.shape, draw)
    if place is None:
        return page, ()
    page = _inked(page, turned, place, INKS[draw.integers(len(INKS))], darkness)
    polygon = tuple(np.round(corners + place, 2).ravel().tolist())
    return page, (Mark("stamp", polygon, {"texts": f"{word} {date}"}),)


def scribble(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """A pen's loops and strokes in free places, as a hand writes that nobody can read."""
    marks = []
    for _ in range(draw.integers(1, 4)):
        size = page.shape[1] / 1024 * draw.uniform(0.7, 1.3)
        width, height = round(draw.integers(70, 220) * size), round(46 * size)
        place = _free_place(page, boxes, (height, width), draw)
        if place is None:
            continue
        turns = np.linspace(0, draw.uniform(6, 14) * 2 * np.pi, 200)
        x = 6 + np.linspace(0, width - 22, 200) + 5 * size * np.cos(turns)
        rise = np.interp(np.linspace(0, 9, 200), np.arange(10), draw.uniform(0.15, 1, 10))
        y = height / 2 + (height / 2 - 5) * rise * np.sin(turns)
        plate = np.zeros((height, width), np.uint8)
        line = np.rint(np.stack((x, y), axis=1) * 8).astype(np.int32)
        cv2.polylines(plate, [line], False, 255, max(1, round(1.6 * size)), cv2.LINE_AA, shift=3)
        page = _inked(page, plate, place, PENS[draw.integers(len(PENS))], darkness)
        boxes = np.concatenate((boxes, np.array([(*place, place[0] + width, place[1] + height)])))
        marks.append(Mark("scribble", _quad(*place, width, height)))
    return page, tuple(marks)


def highlighter(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """Some lines of words under a bright translucent marker."""
    page, colour = page.copy(), MARKERS[draw.integers(len(MARKERS))]
    for _ in range(min(len(boxes), int(draw.integers(1, 6)))):
        first = draw.integers(len(boxes))
        left, top, right, bottom = boxes[first]
        for box in boxes[first + 1 : first + draw.integers(2, 9)]:
            if abs(box[1] - top) > 2 or box[0] < left:
                break
            right = box[2]
        rows = slice(max(0, int(top + draw.uniform(-2, 2))), max(0, int(bottom + draw.uniform(-2, 2))))
        columns = slice(max(0, int(left - draw.uniform(0, 6))), int(right + draw.uniform(0, 6)))
        lit = page[rows, columns] * (1 - darkness * (1 - np.array(colour) / 255))
        page[rows, columns] = np.rint(lit).astype(np.uint8)
    return page, ()


def underline(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """Words that somebody drew a line under with a pen."""
    page, pen = page.copy(), np.array(PENS[draw.integers(len(PENS))])
    colour = tuple(int(level) for level in 255 - darkness * (255 - pen))
    for _ in range(min(len(boxes), int(draw.integers(1, 5)))):
        left, _, right, bottom = boxes[draw.integers(len(boxes))]
        x = np.linspace(left, right, 12)
        y = bottom + 0.5 + np.cumsum(draw.normal(0, 0.3, 12))
        line = np.rint(np.stack((x, y), axis=1) * 8).astype(np.int32)
        cv2.polylines(page, [line], False, colour, 1, cv2.LINE_AA, shift=3)
    return page, ()


def stains(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """Rings of a cup and spots of damp."""
    height, width = page.shape[0] // 4 + 1, page.shape[1] // 4 + 1
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    lack = np.zeros((height, width), np.float32)
    for _ in range(draw.integers(1, 4)):
        radius = draw.uniform(0.06, 0.16) * width
        across, down = x - draw.uniform(0, width), y - draw.uniform(0, height)
        wobble = 1 + 0.06 * np.sin(3 * np.arctan2(down, across) + draw.uniform(0, 6))
        away = np.hypot(across, down) / (radius * wobble)
        ring = np.exp(-(((away - 1) * radius / draw.uniform(1.2, 3)) ** 2))
        lack = np.maximum(lack, ring + (away < 1) * draw.uniform(0.15, 0.5))
    lack = cv2.GaussianBlur(np.minimum(lack, 1), (0, 0), 1.2) * darkness
    brown = np.array((0.25, 0.5, 1.0)) * draw.uniform(0.8, 1.1, 3)
    left = np.clip(255 * (1 - lack[..., None] * brown), 0, 255).astype(np.uint8)
    return cv2.multiply(page, cv2.resize(left, page.shape[1::-1], interpolation=cv2.INTER_LINEAR), scale=1 / 255), ()


def folds(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """Where a letter was folded, in two or three, and perhaps once more across: a light line with shade beside it."""
    height, width = page.shape[:2]
    parts = draw.integers(2, 4)
    places = [height * part / parts + draw.uniform(-9, 9) for part in range(1, parts)]
    lack = sum(_crease(np.arange(height)[:, None] - place, draw) for place in places)
    page = darken(page, np.clip(lack * darkness, 0, 1))
    if draw.random() < 0.4:
        across = _crease(np.arange(width)[None] - width / 2 - draw.uniform(-9, 9), draw)
        page = darken(page, np.clip(across * darkness, 0, 1))
    return page, ()


def show_through(page: np.ndarray, boxes: np.ndarray, draw: Draw, darkness: float) -> Marked:
    """The other side of the sheet, seen from behind: here the page itself, mirrored, moved and blurred."""
    small = cv2.resize(page, (page.shape[1] // 2, page.shape[0] // 2), interpolation=cv2.INTER_AREA)
    behind = np.roll(small[:, ::-1], (int(draw.integers(9, 300)), int(draw.integers(-40, 41))), (0, 1))
    behind = cv2.resize(cv2.GaussianBlur(behind, (0, 0), 1.1), page.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    paper = int(np.percentile(small[::8, ::8], 90))
    veil = cv2.addWeighted(behind, darkness, behind, 0, 255 - darkness * paper)
    return cv2.multiply(page, veil, scale=1 / 255), ()


def _crease(away: np.ndarray, draw: Draw) -> np.ndarray:
    side = 1 if draw.random() < 0.5 else -1
    shade = np.exp(-np.abs(away) / draw.uniform(9, 26)) * (away * side > 0)
    crease: np.ndarray = shade + draw.uniform(0.4, 1) * np.exp(-((away / draw.uniform(0.7, 1.4)) ** 2))
    return crease


def _turned(plate: np.ndarray, degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """The plate turned in a larger one, and where its corners came to stand."""
    height, width = plate.shape
    angle = np.deg2rad(degrees)
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)]) @ turn.T
    moved = np.column_stack((turn, -corners.min(axis=0)))
    broad, high = np.ceil(np.ptp(corners, axis=0)).astype(int).tolist()
    return cv2.warpAffine(plate, moved, (broad, high)), corners - corners.min(axis=0)


def _free_place(page: np.ndarray, boxes: np.ndarray, size: tuple[int, ...], draw: Draw) -> tuple[int, int] | None:
    """The left and top of a place ``(height, width)`` that words hardly stand in; None where none was found."""
    height, width = size
    room = np.array((page.shape[1] - width, page.shape[0] - height)) - 8
    if room.min() <= 8:
        return None
    places = draw.integers(8, room, (TRIES, 2))
    shared = np.minimum(boxes[:, 2:], places[:, None] + (width, height)) - np.maximum(boxes[:, :2], places[:, None])
    taken = shared.clip(0).prod(axis=2).sum(axis=1)  # (place, word, side) -> by place
    best = int(np.argmin(taken))
    left, top = places[best].tolist()
    return (left, top) if taken[best] <= CROWDED * width * height else None


def _inked(
    page: np.ndarray, plate: np.ndarray, place: tuple[int, int], ink: tuple[int, int, int], darkness: float
) -> np.ndarray:
    """The page with a plate pressed on it; where words are, both inks are seen."""
    page, (left, top), (height, width) = page.copy(), place, plate.shape
    under = page[top : top + height, left : left + width]
    share = plate[..., None] / 255 * darkness
    under[:] = np.rint(under * (1 - share * (1 - np.array(ink) / 255))).astype(np.uint8)
    return page


def _quad(left: float, top: float, width: float, height: float) -> tuple[float, ...]:
    return (left, top, left + width, top, left + width, top + height, left, top + height)


MARKS: dict[str, MarkStep] = {
    step.__name__: step for step in (stamp, scribble, highlighter, underline, stains, folds, show_through)
}
