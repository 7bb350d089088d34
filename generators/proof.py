"""The proof-reading of a printed page: what is painted must be what the label says, and all of it must be legible.

The label is read back from its own Markdown, the page is read back from the browser's document and pixels, and the two
are compared. Each rule answers with the first fault it sees; one fault makes the page a reject.

    faults = proof(spec, label, layout, pixels)        # [] for a page that may be kept
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from proofpress.generators import fonts
from proofpress.generators.layout import BULLETS, PageSpec, Piece, block_of, text_of
from proofpress.generators.painted import markup
from proofpress.generators.sheet import MATH, Box, Layout
from proofpress.pages import latex, markdown
from proofpress.pages.markdown import Block, Run
from proofpress.pages.record import UNLABELLED, Check
from proofpress.pages.table import TableError, TableGrid
from proofpress.pages.table_html import from_html

PAPER = 230  # grey levels below this are ink or its soft edge; paper tints and table stripes lie above
FAINT = 210  # a thin dash's ink is no darker than this
SLACK = 3.0  # pixels by which a glyph may stand out of its element's box: italics, radicals, tall integrals
JUT = 0.12  # the same as a share of a word's height, in large type
TALL = 0.15  # share of a word's height by which its font may reach out of a tight line: room for marks, seldom ink
OVERLAP = 0.3  # share of the lower word's height that two words' boxes may have in common: tight leading, not ink
TALL_OVERLAP = 0.45  # the same where fonts keep room for marks above and below letters
TALL_LANGUAGES = frozenset(("ar", "he", "hi", "zh", "ja", "ko"))

#: Pieces that are nothing but their words; the others have lines and drawings beside them.
TEXTS = ("paragraph", "list_item", "heading", "caption", "note", "code", "page_number", "formula_number")

_LATIN = re.compile("[0-9A-Za-z\u0660-\u0669\ufffc]")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Printed:
    """All that is known of a printed page.

    kept: the pieces that are on it, in reading order. labelled: those of them that are in the label. blocks: the label
    read back from its Markdown. pixels: ``(height, width)`` grey levels, uint8.
    """

    spec: PageSpec
    kept: tuple[Piece, ...]
    labelled: tuple[Piece, ...]
    blocks: tuple[Block, ...]
    layout: Layout
    pixels: np.ndarray


Rule = Callable[[Printed], Iterator[str]]


def proof(spec: PageSpec, label: str, layout: Layout, pixels: np.ndarray) -> list[Check]:
    """The faults of a printed page, one at most for each rule; an empty list is a page whose label is exact.

    label: the page's Markdown. pixels: ``(height, width)`` grey levels, uint8.
    """
    kept = tuple(piece for piece in spec.pieces if piece.id in layout.pieces)
    labelled = tuple(piece for piece in kept if piece.type not in UNLABELLED)
    printed = Printed(spec, kept, labelled, tuple(markdown.read(label)), layout, pixels)
    faults = []
    for rule, check in RULES.items():
        evidence = next(check(printed), None)
        if evidence is not None:
            faults.append(Check(f"proof.{rule}", "failed", rule, evidence))
    return faults


def _fonts(printed: Printed) -> Iterator[str]:
    """All fonts loaded, and text is set in the page's own."""
    for family in printed.layout.failed_fonts:
        yield f"font {family} did not load"
    style = printed.spec.style
    for family in sorted(printed.layout.families - {style.font, style.heading_font, style.code_font}):
        yield f"text is set in {family}"


def _style(printed: Printed) -> Iterator[str]:
    """Nothing is set so that other text is painted than stands in the document, or none."""
    yield from printed.layout.odd


def _tofu(printed: Printed) -> Iterator[str]:
    """The fonts the page is set in have a glyph for each of its characters."""
    style = printed.spec.style
    for piece in printed.kept:
        for name in (style.code_font,) if piece.type == "code" else (style.font, style.heading_font):
            missing = fonts.find_family(name).missing(text_of(piece) + piece.marker)
            if missing:
                yield f"{piece.id}: {name} has no glyph for {missing[0]!r}"


def _text(printed: Printed) -> Iterator[str]:
    """The label has the blocks that were printed, and each block's text is painted as it stands."""
    if len(printed.blocks) != len(printed.labelled):
        yield f"the label has {len(printed.blocks)} blocks and the page {len(printed.labelled)}"
        return
    for piece, block in zip(printed.labelled, printed.blocks, strict=True):
        if block != block_of(piece):
            yield f"{piece.id}: the label reads {block.text[:80]!r}"
        placed = printed.layout.pieces[piece.id]
        if piece.type in ("table", "formula"):
            continue
        painted = placed.text
        said = block.text if block.kind == "code" else _plain(markdown.runs(block.text))
        if painted != said:
            yield f"{piece.id}: painted {painted[:80]!r}, label {said[:80]!r}"
        marker = "-" if placed.marker in BULLETS else placed.marker
        if block.kind != "code" and marker != block.marker:
            yield f"{piece.id}: marker painted {placed.marker!r}, label {block.marker!r}"
    for piece in printed.kept:
        if piece.type in UNLABELLED and piece.runs and printed.layout.pieces[piece.id].text != _plain(piece.runs):
            yield f"{piece.id}: painted {printed.layout.pieces[piece.id].text[:80]!r}"


def _formulas(printed: Printed) -> Iterator[str]:
    """Every formula of the label is parsed by KaTeX, and what it paints for it is what stands on the page."""
    for piece, block in zip(printed.labelled, printed.blocks, strict=False):
        said = list(_formulas_of(block))
        painted = printed.layout.pieces[piece.id].formulas
        if len(said) != len(painted):
            yield f"{piece.id}: {len(painted)} formulas painted, {len(said)} in the label"
        for (source, display), stands in zip(said, painted, strict=False):
            try:
                expected = markup(source, display, printed.spec.style.math_font)
            except latex.LatexError as error:
                yield f"{piece.id}: {source!r}: {error}"
                continue
            if stands != expected:
                yield f"{piece.id}: {source!r} painted as {html.unescape(_TAG.sub('', stands))!r}"


def _tables(printed: Printed) -> Iterator[str]:
    """Every table of the label covers each slot once, and its cells are those in the document."""
    blocks = [block for block in printed.blocks if block.kind == "table"]
    tables = [piece for piece in printed.kept if piece.type == "table"]
    for piece, block in zip(tables, blocks, strict=False):
        try:
            grid = from_html(block.text)
        except TableError as error:
            yield f"{piece.id}: {error}"
            continue
        if _rows(grid) != printed.layout.pieces[piece.id].cells:
            yield f"{piece.id}: cells painted differ from the label's"


def _clipped(printed: Printed) -> Iterator[str]:
    """Every word has a size, lies on the page and inside its own element."""
    height, width = printed.pixels.shape
    for word in printed.layout.words:
        left, top, right, bottom = word.box
        if right - left < 0.5 or bottom - top < 1:
            yield f"{word.element}: {word.text!r} has no size"
        if left < 0 or top < 0 or right > width or bottom > height:
            yield f"{word.element}: {word.text!r} stands off the page"
        boxes = printed.layout.pieces[word.element].boxes
        tall = SLACK + TALL * (bottom - top)
        if not any(
            left >= b[0] - SLACK and top >= b[1] - tall and right <= b[2] + SLACK and bottom <= b[3] + tall
            for b in boxes
        ):
            yield f"{word.element}: {word.text!r} stands out of its element"


def _occluded(printed: Printed) -> Iterator[str]:
    for word in printed.layout.words:
        if not word.visible:
            yield f"{word.element}: something stands over {word.text!r}"


def _overflow(printed: Printed) -> Iterator[str]:
    for piece in printed.layout.pieces.values():
        if piece.wide:
            yield f"{piece.id}: wider than its place"


def _order(printed: Printed) -> Iterator[str]:
    """Reading goes on in the script's direction or down, from piece to piece, from word to word, from cell to cell."""
    placed = printed.layout.pieces
    rtl = printed.spec.style.direction == "rtl"
    for before, after in pairwise(printed.kept):
        if not _leads(placed[before.id].boxes[-1], placed[after.id].boxes[0], rtl):
            yield f"{after.id} stands before {before.id}"
    lines = {piece.id: rtl and piece.type != "code" for piece in printed.kept if piece.type not in ("figure", "table")}
    for first, second in pairwise(word for word in printed.layout.words if word.element in lines):
        # Within a line set from right to left, digits and Latin words run the other way.
        leftward = lines[first.element]
        embedded = leftward and (_LATIN.search(first.text) or _LATIN.search(second.text))
        leads = _leads(first.box, second.box, leftward) or (embedded and _leads(first.box, second.box, False))
        if first.element == second.element and not leads:
            yield f"{second.element}: {second.text!r} stands before {first.text!r}"
    for piece in placed.values():
        rows = [row for row in piece.corners if row]
        if any(
            not (second[2] < first[2] - 1 if rtl else second[0] > first[0] + 1) or abs(second[1] - first[1]) > 1
            for row in rows
            for first, second in pairwise(row)
        ):
            yield f"{piece.id}: the cells of a row do not stand in a row"
        if any(below[0][1] <= above[0][1] + 1 for above, below in pairwise(rows)):
            yield f"{piece.id}: rows do not follow each other"


def _leads(first: Box, second: Box, rtl: bool) -> bool:
    """Whether one reads on from the first box to the second: it is to the right (``rtl``: to the left), or lower."""
    height = min(first[3] - first[1], second[3] - second[1])
    beside = second[2] <= first[0] + SLACK if rtl else second[0] >= first[2] - SLACK
    return beside or second[1] + second[3] > first[1] + first[3] + height / 2


def _overlap(printed: Printed) -> Iterator[str]:
    """No two elements, and no two words, stand over each other."""
    owned = [(piece, box) for piece in printed.layout.pieces.values() for box in piece.boxes]
    boxes = np.array([box for _, box in owned]).reshape(-1, 4)
    for first, second in _crossing(boxes, lambda across, down, lower: (across > 1) & (down > 1)):
        if owned[first][0] is not owned[second][0]:
            yield f"{owned[first][0].id} and {owned[second][0].id} overlap"
    boxes = np.array([word.box for word in printed.layout.words]).reshape(-1, 4)
    allowed = TALL_OVERLAP if printed.spec.style.language in TALL_LANGUAGES else OVERLAP
    for first, second in _crossing(boxes, lambda across, down, lower: (across > 2) & (down > allowed * lower)):
        yield f"{printed.layout.words[first].text!r} and {printed.layout.words[second].text!r} overlap"


def _ink(printed: Printed) -> Iterator[str]:
    """Every word's box owns ink, and no ink stands outside all words and all that is drawn."""
    faint, stray = printed.pixels < FAINT, printed.pixels < PAPER
    for word, (left, top, right, bottom) in zip(printed.layout.words, _whole_pixels(printed), strict=True):
        middle = faint[(top + bottom) // 2 : (top + bottom) // 2 + 1, left : right + 1]  # most words have ink there
        if not middle.any() and not faint[top : bottom + 1, left : right + 1].any():
            yield f"{word.element}: {word.text!r} left no ink"
    drawn = list(printed.layout.decor)
    drawn += [box for piece in printed.kept if piece.type not in TEXTS for box in printed.layout.pieces[piece.id].boxes]
    boxes = [(SLACK, box) for box in drawn]
    boxes += [(max(SLACK, JUT * (word.box[3] - word.box[1])), word.box) for word in printed.layout.words]
    for slack, (x0, y0, x1, y1) in boxes:
        down = slice(max(0, int(y0 - slack)), int(np.ceil(y1 + slack)))
        stray[down, max(0, int(x0 - slack)) : int(np.ceil(x1 + slack))] = False
    if stray.any():
        row, column = divmod(int(stray.argmax()), stray.shape[1])
        yield f"ink in no word and no drawing at x={column}, y={row}"


def _whole_pixels(printed: Printed) -> list[list[int]]:
    boxes = np.array([word.box for word in printed.layout.words]).reshape(-1, 4)
    rounded: list[list[int]] = np.maximum(np.rint(boxes), 0).astype(int).tolist()
    return rounded


#: Every proof of the press, by the reason its failure is counted under.
RULES: dict[str, Rule] = {
    "font": _fonts,
    "style": _style,
    "tofu": _tofu,
    "text": _text,
    "formula": _formulas,
    "table": _tables,
    "clipped": _clipped,
    "occluded": _occluded,
    "overflow": _overflow,
    "order": _order,
    "overlap": _overlap,
    "ink": _ink,
}


def _plain(runs: tuple[Run, ...]) -> str:
    return "".join(MATH if run.kind == "math" else run.text for run in runs)


def _formulas_of(block: Block) -> Iterator[tuple[str, bool]]:
    """Each formula of a block, with whether it is displayed."""
    if block.kind == "code":
        return
    if block.kind == "formula":
        yield block.text, True
        return
    texts = [cell.text for cell in from_html(block.text, fill=True).cells] if block.kind == "table" else [block.text]
    for text in texts:
        yield from ((run.text, False) for run in markdown.runs(text) if run.kind == "math")


def _rows(grid: TableGrid) -> tuple[tuple[tuple[str, int, int, str], ...], ...]:
    """A grid as the document's rows of ``(tag, rowspan, colspan, text)``."""
    return tuple(
        tuple(
            ("th" if cell.heading else "td", cell.rowspan, cell.colspan, _plain(markdown.runs(cell.text)))
            for cell in row
        )
        for row in grid.by_row()
    )


def _crossing(boxes: np.ndarray, enough: Callable[..., np.ndarray]) -> Iterator[tuple[int, int]]:
    """Index pairs of boxes ``(n, 4)`` whose intersection is enough, given its width, height and the lower height.

    From the top down, each box is compared with those only that begin above its bottom: a page has many words.
    """
    order = np.argsort(boxes[:, 1], kind="stable")
    left, top, right, bottom = boxes[order].T
    place = np.arange(len(boxes))
    below = np.maximum(np.searchsorted(top, bottom) - place - 1, 0)  # how many boxes after each begin above its bottom
    one = np.repeat(place, below)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(below) - below, below)
    across = np.minimum(right[one], right[other]) - np.maximum(left[one], left[other])
    down = np.minimum(bottom[one], bottom[other]) - np.maximum(top[one], top[other])
    height = bottom - top
    pairs = enough(across, down, np.minimum(height[one], height[other]))
    crossing = np.sort(np.stack((order[one[pairs]], order[other[pairs]]), axis=1), axis=1)
    yield from sorted((first, second) for first, second in crossing.tolist())
