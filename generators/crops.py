"""Crops cut from a proofed page: words, lines, paragraphs, formulas and tables, each a record of its own.

A crop is kept only where its pixels are its own: all ink in the picture lies in the words or the table it is labelled
with and none on its border, so a neighbour's descender never stands in a picture without standing in its label, and no
glyph is cut off.

    crops = cut_crops(record, spec, layout, picture, pixels, address, count=8)
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from proofpress.generators.address import Address
from proofpress.generators.layout import PageSpec, Piece, text_of
from proofpress.generators.proof.ink import PAPER
from proofpress.generators.sheet import MATH, Box, Layout, PlacedWord, quad
from proofpress.pages import image, markdown
from proofpress.pages.markdown import Run
from proofpress.pages.record import Element, PageRecord, Word, record_id

#: How often each kind of crop is drawn, where a page has it.
WEIGHTS = {"word": 0.25, "line": 0.3, "paragraph": 0.2, "formula": 0.15, "table": 0.1}
TASKS = {"word": "text", "line": "text", "paragraph": "text", "formula": "formula", "table": "table"}
TEXT_TYPES = ("paragraph", "list_item", "heading", "title", "caption")
WORDS_PER_CROP = 3
UNSPACED = ("zh", "ja")  # languages that do not part words with spaces


@dataclass(frozen=True, slots=True)
class _Cut:
    """A candidate crop. own: boxes that its ink must lie in."""

    kind: str
    name: str
    piece: Piece
    text: str
    box: Box
    own: tuple[Box, ...]
    words: tuple[PlacedWord, ...]


def cut_crops(
    page: PageRecord,
    spec: PageSpec,
    layout: Layout,
    picture: np.ndarray,
    pixels: np.ndarray,
    address: Address,
    count: int,
) -> Iterator[PageRecord]:
    """Up to ``count`` crops of one proofed page, drawn by its address; crops of one page share its ``content_id``.

    picture: the page in RGB, ``(height, width, 3)`` of uint8. pixels: its grey levels ``(height, width)``.
    """
    rng = address.stream("crops")
    by_kind: dict[str, list[_Cut]] = {}
    for cut in _candidates(spec, layout, rng):
        by_kind.setdefault(cut.kind, []).append(cut)
    for cuts in by_kind.values():
        rng.shuffle(cuts)
    ink = pixels < PAPER
    made = 0
    while made < count and by_kind:
        kinds = [kind for kind in WEIGHTS if kind in by_kind]
        kind = rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        cut = by_kind[kind].pop()
        if not by_kind[kind]:
            del by_kind[kind]
        margin = rng.randint(2, 8)
        if (frame := _frame(cut, ink, margin)) is not None:
            yield _record(page, cut, picture, frame)
            made += 1


def _candidates(spec: PageSpec, layout: Layout, rng: random.Random) -> Iterator[_Cut]:
    words: dict[str, list[PlacedWord]] = {}
    for word in layout.words:
        words.setdefault(word.element, []).append(word)
    rtl, spaced = spec.style.direction == "rtl", spec.style.language not in UNSPACED
    for piece in spec.pieces:
        placed = layout.pieces.get(piece.id)
        if placed is None or len(placed.boxes) != 1:
            continue
        own = words.get(piece.id, [])
        boxes = tuple(word.box for word in own)
        if piece.type in ("formula", "table"):
            yield _Cut(piece.type, piece.id, piece, text_of(piece), placed.boxes[0], placed.boxes, tuple(own))
        elif piece.type in TEXT_TYPES:
            lines = [line for line in _lines(own, rtl) if line[0].start >= 0]
            if piece.type == "paragraph" and len(lines) > 1:
                yield _Cut("paragraph", piece.id, piece, text_of(piece), _around(boxes), boxes, tuple(own))
            for number, line in enumerate(lines):
                yield _line(piece, line, "line", f"{piece.id}.{number}")
                units = _units(line, spaced)
                start = rng.randrange(len(units))
                few = [word for unit in units[start : start + rng.randint(1, WORDS_PER_CROP)] for word in unit]
                yield _line(piece, few, "word", f"{piece.id}.{number}w")


def _line(piece: Piece, words: list[PlacedWord], kind: str, name: str) -> _Cut:
    start, end = words[0].start, words[-1].start + len(words[-1].text)
    text = markdown.inline(_slice(piece.runs, start, end))
    boxes = tuple(word.box for word in words)
    return _Cut(kind, name, piece, text, _around(boxes), boxes, tuple(words))


def _lines(words: list[PlacedWord], rtl: bool) -> list[list[PlacedWord]]:
    """Words in reading order, cut where the next one stands further left or below. A marker is a line of its own.

    rtl: in a line set from right to left some words run the other way, so that only the height tells a new one.
    """
    lines: list[list[PlacedWord]] = []
    for word in words:
        last = lines[-1][-1] if lines else word
        middle = (word.box[1] + word.box[3]) / 2
        apart = not last.box[1] < middle < last.box[3]
        turns = apart if rtl else word.box[0] < last.box[0] or middle > last.box[3]
        if not lines or turns or last.start < 0 <= word.start:
            lines.append([])
        lines[-1].append(word)
    return lines


def _units(line: list[PlacedWord], spaced: bool) -> list[list[PlacedWord]]:
    """A line's words, those without a space between them together: a formula and the comma after it.

    spaced: whether the language has spaces; in one without, only a formula is kept with its neighbours.
    """
    units: list[list[PlacedWord]] = []
    for word in line:
        last = units[-1][-1] if units else word
        touches = word.start <= last.start + len(last.text)
        if not units or not touches or (not spaced and MATH not in (word.text, last.text)):
            units.append([])
        units[-1].append(word)
    return units


def _slice(runs: tuple[Run, ...], start: int, end: int) -> tuple[Run, ...]:
    """The runs between two offsets of a piece's text, in which a formula counts as one character."""
    found, at = [], 0
    for run in runs:
        length = 1 if run.kind == "math" else len(run.text)
        first, last = max(start - at, 0), min(end - at, length)
        if first < last:
            found.append(run if run.kind == "math" else Run("text", run.text[first:last]))
        at += length
    return tuple(found)


def _frame(cut: _Cut, ink: np.ndarray, margin: int) -> tuple[int, int, int, int] | None:
    """The crop's pixels ``(left, top, right, bottom)`` with as much of the margin as is free.

    None where even without a margin there is ink of others in it, or any on its border.
    """
    height, width = ink.shape
    left, top = int(np.floor(cut.box[0])), int(np.floor(cut.box[1]))
    right, bottom = int(np.ceil(cut.box[2])), int(np.ceil(cut.box[3]))
    for room in range(margin, -1, -1):
        x0, y0, x1, y1 = max(0, left - room), max(0, top - room), min(width, right + room), min(height, bottom + room)
        foreign = ink[y0:y1, x0:x1].copy()
        if foreign[[0, -1]].any() or foreign[:, [0, -1]].any():
            continue
        for box in cut.own:
            foreign[
                max(0, int(np.floor(box[1])) - 1 - y0) : int(np.ceil(box[3])) + 1 - y0,
                max(0, int(np.floor(box[0])) - 1 - x0) : int(np.ceil(box[2])) + 1 - x0,
            ] = False
        if not foreign.any():
            return (x0, y0, x1, y1)
    return None


def _record(page: PageRecord, cut: _Cut, picture: np.ndarray, frame: tuple[int, int, int, int]) -> PageRecord:
    x0, y0, x1, y1 = frame
    crop = Image.fromarray(picture[y0:y1, x0:x1])
    shifted = [Word(w.text if w.start < 0 else _word_text(cut, w), _shift(w.box, x0, y0), "e0") for w in cut.words]
    return replace(
        page,
        id=record_id(page.source.name, f"{page.source.id}#{cut.kind}:{cut.name}", str(page.recipe["version"])),
        image=image.encode_png(crop),
        width=x1 - x0,
        height=y1 - y0,
        text=cut.text,
        task=TASKS[cut.kind],
        source=replace(page.source, id=f"{page.source.id}#{cut.kind}:{cut.name}"),
        elements=(Element("e0", cut.piece.type, cut.text, (_shift(cut.box, x0, y0),)),),
        words=tuple(shifted),
        features={**page.features, "crop": cut.kind},
        tests=(),  # they ask for the whole page
        content_id=page.content_id,
        hashes={"pixels": image.pixel_hash(crop)},
    )


def _word_text(cut: _Cut, word: PlacedWord) -> str:
    return markdown.inline(_slice(cut.piece.runs, word.start, word.start + len(word.text)))


def _shift(box: Box, left: int, top: int) -> tuple[float, ...]:
    x0, y0, x1, y1 = box
    return quad((round(x0 - left, 2), round(y0 - top, 2), round(x1 - left, 2), round(y1 - top, 2)))


def _around(boxes: tuple[Box, ...]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
