"""Lines set in process for the first hours of a network from nothing: thousands a second, in every installed face.

    setter = Typesetter(Typeset(width=128), prose=["The quick brown fox"])
    image, text = setter.line(np.random.default_rng(7))

A network learns to look only where it cannot guess, so a share of the lines is of random characters and of shuffled
words. The text is exactly what the face draws: characters it has no glyph for are left out of both.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Self

import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel, Field, PositiveInt, model_validator

from proofpress.pages.errors import RequestError
from proofpress.templates.assets import font_packages

CHARACTERS = "".join(map(chr, range(33, 127))) + "ÀÁÂÄÅÆÇÈÉÊËÍÑÓÔÖØÚÜßàáâäåæçèéêëíîïñóôöøùúûü–—‘’“”…§°±×÷€£©®"
#: Of a random line, how many characters stand between two spaces on average.
RUN = 6
#: The narrowest characters that lines are made of, in shares of the size.
NARROW = 0.33


class Typeset(BaseModel, extra="forbid"):
    """Lines of one width, set instead of read from a dataset."""

    width: PositiveInt = Field(default=128, description="of the image in pixels, which a line fills or nearly so")
    height: PositiveInt = Field(default=32, description="of the image in pixels")
    smallest: PositiveInt = Field(default=14, description="smallest size of the type, in pixels")
    largest: PositiveInt = Field(default=24, description="largest size of the type, in pixels")
    random: float = Field(default=0.3, ge=0, le=1, description="share of lines of random characters")
    shuffled: float = Field(default=0.15, ge=0, le=1, description="share of lines of words in no order")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.smallest <= self.largest <= 0.8 * self.height:
            raise ValueError(
                f"smallest and largest: {self.smallest} to {self.largest} px do not fit into lines of {self.height} px"
            )
        return self

    @property
    def longest(self) -> int:
        """Characters that a line has at most."""
        return max(1, int(self.width / (self.smallest * NARROW)))


class Typesetter:
    """Sets lines. prose: texts that lines are cut from; where there are none all lines are random.

    Raises ``RequestError`` where the fonts are not installed.
    """

    def __init__(self, typeset: Typeset, prose: Sequence[str]) -> None:
        self._typeset = typeset
        self._faces = faces()
        self._prose = [text for text in prose if text.strip()]

    def line(self, rng: np.random.Generator) -> tuple[Image.Image, str]:
        """One line, a grey image of the width and height asked for, and its text; a function of the generator alone."""
        wanted = self._typeset
        face = self._faces[int(rng.integers(len(self._faces)))]
        size = int(rng.integers(wanted.smallest, wanted.largest + 1))
        known = characters(face)
        text = " ".join("".join(c for c in self._text(rng, known) if c in known or c == " ").split())
        font = _font(face, size)
        left = int(rng.integers(2, 8))
        text = _cut(text or known[int(rng.integers(len(known)))], font, wanted.width - left - 2, wanted.longest)
        before, top, _, bottom = font.getbbox(text)
        spare = max(0, int(wanted.height - (bottom - top)))
        paper, ink = int(rng.integers(225, 256)), int(rng.integers(0, 80))
        image = Image.new("L", (wanted.width, wanted.height), paper)
        ImageDraw.Draw(image).text(
            (left - min(0, before), int(rng.integers(spare + 1)) - top), text, fill=ink, font=font
        )
        return image, text

    def _text(self, rng: np.random.Generator, known: str) -> str:
        share, most = rng.random(), self._typeset.longest
        if not self._prose or share < self._typeset.random:
            chosen = rng.integers(len(known), size=most).tolist()
            gaps = (rng.random(most) < 1 / RUN).tolist()
            return "".join(f" {known[n]}" if gap else known[n] for n, gap in zip(chosen, gaps, strict=True))
        text = self._prose[int(rng.integers(len(self._prose)))]
        words = text.split()
        start = int(rng.integers(len(words)))
        if share < self._typeset.random + self._typeset.shuffled:
            return " ".join(words[n] for n in rng.integers(len(words), size=most // 3 + 1).tolist())
        return " ".join(words[start : start + most // 2 + 1])


def _cut(text: str, font: ImageFont.FreeTypeFont, width: int, longest: int) -> str:
    """The beginning of the text that fits, its first character in any case."""
    text = text[:longest].rstrip()
    while len(text) > 1:
        before, _, right, _ = font.getbbox(text)  # an italic letter may reach over its own width, at either side
        taken = right - min(0, before)
        if taken <= width:
            break
        text = text[: max(1, min(len(text) - 1, int(len(text) * width / taken)))].rstrip()
    return text


@cache
def faces() -> tuple[Path, ...]:
    """A file for each installed Latin face: every family in every weight and slope, in the order of their names."""
    found = tuple(
        path
        for package in font_packages()
        for path in sorted((package / "files").glob("*-latin-*.woff2"))
        if len(characters(path)) >= len(CHARACTERS) * 0.9
    )
    if not found:
        raise RequestError("typeset: no installed font family has Latin faces; run `make setup`")
    return found


@cache
def characters(face: Path) -> str:
    """Which of ``CHARACTERS`` a face has glyphs for."""
    with TTFont(face, lazy=True) as font:
        mapped = font.getBestCmap()
    return "".join(character for character in CHARACTERS if ord(character) in mapped)


@lru_cache(maxsize=4096)
def _font(face: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(face), size, layout_engine=ImageFont.Layout.BASIC)
