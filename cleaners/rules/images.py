"""Rules for a picture with its label: something must be printed, whole, large enough to read, and about as much of it
as the label says.

>>> drop_blank(Sample(Image.new("RGB", (80, 80), "white"), "x^2", "formula"))
Drop(reason='image.blank', evidence='80x80 pixels of one level, give or take 0')
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import unescape

import numpy as np
from PIL import Image

from proofpress.cleaners.print import Print
from proofpress.cleaners.rule import KEEP, Drop, Keep, Rule, Verdict
from proofpress.cleaners.rules.forms import unsupported
from proofpress.pages.image import trim
from proofpress.pages.latex import LatexError, render_html
from proofpress.pages.markdown import runs
from proofpress.pages.record import Check, Element, Word

#: White left round the ink of a picture that is cut out of its sheet, in pixels.
MARGIN = 16

MAX_SIDE = 10_000
MIN_SIDE = 8
MIN_SPREAD = 24  # levels; paper, and a scanner's noise on it, have less
MIN_PRINTED, FEW_PRINTED = 6, 4  # pixels of height, and number, of marks that a scan's dust can make
MAX_INK = 0.45
MIN_LETTER = 3.5  # pixels of height, of the median letter with its ascender or without
MIN_BOX = 5.0  # pixels of height, of the median word's box
MIN_PAGE = 320  # pixels of a page's longer side
MIN_AREA, MIN_CROP_AREA = 24.0, 60.0  # pixels of the picture for each printed character
NOTED_SKEW, DROPPED_SKEW = 1.0, 5.0  # degrees
#: Marks for each that the label would have in print, which are 0.9 to 1.5 in formulas of im2latex; touching letters
#: have fewer, a page written in joined letters 0.14; dotted lines and noise have more.
FEWEST_MARKS, MOST_MARKS = 0.1, 4.0
FEW_SLACK, MANY_SLACK = 6, 10

CROPS = frozenset({"formula", "table", "text"})

#: Marks that a letter is printed as, in scripts where that is not about one: Hangul's are apart, Devanagari's joined.
_MARKS = tuple(
    (re.compile(f"[{letters}]"), marks)
    for letters, marks in (
        ("\uac00-\ud7a3", 2.1),  # Hangul
        ("\u3400-\u9fff", 1.35),  # Chinese
        ("\u3040-\u30ff", 1.6),  # Kana
        ("\u0600-\u06ff", 0.8),  # Arabic
        ("\u0900-\u0a7f", 0.33),  # Devanagari, Bengali, Gurmukhi
    )
)

_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class Sample:
    """A picture in RGB and what its row says of it, in pixels of it. partial: more is printed than the label has."""

    image: Image.Image
    text: str
    task: str
    words: tuple[Word, ...] = ()
    elements: tuple[Element, ...] = ()
    partial: bool = False

    @cached_property
    def print(self) -> Print:
        """What is printed on the picture."""
        return Print.of(self.image)

    @cached_property
    def glyphs(self) -> int:
        """About how many characters the label prints."""
        if self.task == "formula":
            return _glyphs(self.text)
        text = unescape(_TAG.sub("", self.text)) if self.task == "table" else self.text
        return sum(_glyphs(run.text) if run.kind == "math" else len("".join(run.text.split())) for run in runs(text))

    @cached_property
    def expected_marks(self) -> float:
        """About how many marks the label has in print."""
        return self.glyphs + sum((marks - 1) * len(letters.findall(self.text)) for letters, marks in _MARKS)


def drop_size(sample: Sample) -> Verdict:
    """Drop pictures that no page has the size of."""
    shown = f"{sample.image.width}x{sample.image.height} pixels"
    if max(sample.image.size) > MAX_SIDE:
        return Drop("image.size", f"{shown}, more than {MAX_SIDE} on a side")
    return Drop("image.tiny", f"{shown}, less than {MIN_SIDE} on a side") if min(sample.image.size) < MIN_SIDE else KEEP


def drop_blank(sample: Sample) -> Verdict:
    """Drop a picture without print that has a label, and a printed page whose label says it is blank.

    A blank page with an empty label is kept: who never saw one reads a book from it
    (https://github.com/allenai/olmocr/issues/292).
    """
    spread, blank_label = sample.print.spread, not sample.text.strip()
    if spread < MIN_SPREAD and not len(sample.print.marks) and not blank_label:
        size = f"{sample.image.width}x{sample.image.height}"
        return Drop("image.blank", f"{size} pixels of one level, give or take {spread:.0f}")
    large = sample.print.letters[:, 1] - sample.print.letters[:, 0] >= MIN_PRINTED
    if blank_label and not sample.partial and large.sum() > FEW_PRINTED:
        return Drop("image.unlabelled", f"an empty label, and {large.sum()} marks that can be letters")
    return KEEP


def judge_ink(sample: Sample) -> Verdict:
    """Drop a crop that is more ink than paper; note a page that is, as photographs are."""
    if sample.print.ink <= MAX_INK:
        return KEEP
    evidence = f"{sample.print.ink:.0%} of the picture is ink"
    return Drop("image.ink", evidence) if sample.task in CROPS else Keep("image.ink", evidence)


def drop_small(sample: Sample) -> Verdict:
    """Drop a picture whose letters are too small to be told apart."""
    glyphs = sample.glyphs if sample.task != "layout" else 0
    area = sample.image.width * sample.image.height / max(glyphs, 1)
    least = MIN_CROP_AREA if sample.task in CROPS else MIN_AREA
    if glyphs >= 2 and area < least:
        return Drop("image.small", f"{area:.0f} pixels a character, less than {least:.0f}")
    if sample.task in ("page", "layout") and max(sample.image.size) < MIN_PAGE:
        return Drop("image.small", f"a page of {sample.image.width}x{sample.image.height} pixels")
    boxes = [max(word.quad[1::2]) - min(word.quad[1::2]) for word in sample.words]
    if len(boxes) >= 4 and (height := float(np.median(boxes))) < MIN_BOX:
        return Drop("image.small", f"words {height:.1f} pixels high, less than {MIN_BOX}")
    height = sample.print.letter_height()
    if len(sample.print.marks) >= 2 and glyphs >= 2 and height < MIN_LETTER:
        return Drop("image.small", f"letters {height:.1f} pixels high, less than {MIN_LETTER}")
    return KEEP


def drop_cut(sample: Sample) -> Verdict:
    """Drop a crop that cuts through what it shows: some 200 pictures of SciTSR do
    (https://github.com/Academic-Hammer/SciTSR/issues/37)."""
    cut = sample.print.cut_marks() if sample.task in CROPS else 0
    return Drop("image.cut", f"{cut} marks run off the picture") if cut else KEEP


def judge_skew(sample: Sample) -> Verdict:
    """Drop what leans by 5 degrees or more, note it from 1 on; photographs of receipts and forms are only noted."""
    skew = sample.print.skew()
    if abs(skew) < NOTED_SKEW:
        return KEEP
    if abs(skew) < DROPPED_SKEW or sample.task == "form":
        return Keep("image.skew", f"{skew:+.1f} degrees")
    return Drop("image.skew", f"{skew:+.1f} degrees")


def drop_mismatch(sample: Sample) -> Verdict:
    """Drop a picture that shows far more or far less than its label says: labels one line off, a paragraph with the
    label of a line, a book read from an empty page. Of pages only far less can be told: pictures have marks too."""
    if sample.task in ("layout", "form"):
        return KEEP
    marks, expected = len(sample.print.marks), sample.expected_marks
    few = marks + FEW_SLACK < FEWEST_MARKS * expected
    many = sample.task in CROPS and marks > MOST_MARKS * expected + MANY_SLACK
    return Drop("image.mismatch", f"{marks} marks for a label of {expected:.0f}") if few or many else KEEP


def drop_unsupported(sample: Sample) -> Verdict:
    """Drop a form with a value that none of its lines has: of 52 in a sample of SROIE, 4 were so."""
    if sample.task != "form" or not sample.words:
        return KEEP
    missing = unsupported(sample.text, [word.text for word in sample.words])
    return Drop("form.unsupported", "; ".join(f"{field.key}: {field.value}" for field in missing)) if missing else KEEP


def drop_unlabelled_table(sample: Sample) -> Verdict:
    """Drop a layout with a ruled table that no region holds: 21 of 100 pages of TableBank have one
    (https://github.com/doc-analysis/TableBank/issues/19). Tables without crossing rules are not seen."""
    if sample.task != "layout":
        return KEEP
    held = [polygon for element in sample.elements for polygon in element.polygons]
    for x0, y0, x1, y1 in sample.print.ruled_grids():
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        if not any(_holds(polygon, middle) for polygon in held):
            return Drop("layout.unlabelled_table", f"a ruled table at {x0:.0f}, {y0:.0f}, {x1:.0f}, {y1:.0f}")
    return KEEP


def crop_to_ink(image: Image.Image) -> tuple[Image.Image, tuple[int, int], Check]:
    """Cut what is printed out of its white sheet: the picture, its corner on the sheet, and where on what it stood."""
    cropped, box = trim(image, MARGIN)
    check = Check("image.crop", "fixed", "image.sheet", f"{image.width}x{image.height} at {tuple(box)}")
    return cropped, (box[0], box[1]), check


def _holds(polygon: tuple[float, ...], point: tuple[float, float]) -> bool:
    xs, ys = polygon[::2], polygon[1::2]
    return min(xs) <= point[0] <= max(xs) and min(ys) <= point[1] <= max(ys)


def _glyphs(latex: str) -> int:
    """The characters that KaTeX prints of a formula."""
    try:
        html = render_html(latex, display=True)
    except LatexError:
        return len(latex)
    return len(re.sub(r"[\s\u200b]", "", unescape(_TAG.sub("", html))))


def _rule(name: str, explain: str, example: str, judge: Callable[[Sample], Verdict]) -> Rule[Sample]:
    return Rule(name, explain, example, judge)


IMAGE_RULES: tuple[Rule[Sample], ...] = (
    _rule("image.size", f"drops pictures of over {MAX_SIDE:,} or under {MIN_SIDE} pixels", "20,000 wide", drop_size),
    _rule("image.blank", "drops blank pictures with a label, and printed ones without", "a white sheet", drop_blank),
    _rule("image.ink", "drops crops that are more ink than paper", "a black photograph", judge_ink),
    _rule("image.mismatch", "drops far more or less print than label", "a line's label under a page", drop_mismatch),
    _rule("image.cut", "drops crops cut through what they show", "half a letter at the edge", drop_cut),
    _rule("image.small", f"drops letters under {MIN_LETTER} pixels", "a thumbnail", drop_small),
    _rule("image.skew", "drops what leans by 5 degrees, notes 1", "a page laid on askew", judge_skew),
    _rule("form.unsupported", "drops forms with a value not on the paper", "company: X Ltd", drop_unsupported),
    _rule("layout.unlabelled_table", "drops layouts with a table in no region", "a grid", drop_unlabelled_table),
)
