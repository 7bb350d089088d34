"""What the table kinds share: loose cells, runs of rows under one heading, and how one table writes its numbers.

>>> Figures(1, ",", "({})").write(-12345)
'(1,234.5)'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from proofpress.generators.content import quantities
from proofpress.pages.markdown import Run, inline
from proofpress.pages.table import LooseCell

Rows = list[list[LooseCell]]
SEPARATORS = (",", ",", "", " ", ".")
STUB_SHARE = 0.4
LONGEST_RUN = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """How one table writes numbers. places: digits after the point of whole numbers that count the last place.
    negative: what stands around the absolute value of a number below zero."""

    places: int
    separator: str
    negative: str = "-{}"

    def write(self, amount: int) -> str:
        whole, part = divmod(abs(amount), 10**self.places)
        text = quantities.grouped(whole, self.separator)
        if self.places:
            text += f"{',' if self.separator == '.' else '.'}{part:0{self.places}}"
        return self.negative.format(text) if amount < 0 else text

    def with_places(self, places: int) -> "Figures":
        return Figures(places, self.separator, self.negative)


def figures(rng: Random, places: Sequence[int] = (0, 0, 1, 2)) -> Figures:
    """A way to write numbers, kept throughout a table."""
    return Figures(rng.choice(places), rng.choice(SEPARATORS), rng.choice(("-{}", "({})", "–{}")))


def head(text: str, rowspan: int = 1, colspan: int = 1) -> LooseCell:
    """A heading cell."""
    return LooseCell(text, rowspan, colspan, heading=True)


def stub(rng: Random) -> bool:
    """Whether the first cell of each row of a table is a heading, too."""
    return rng.random() < STUB_SHARE


def runs(rng: Random, rows: int) -> dict[int, int]:
    """``rows`` rows parted into runs: first row of each run to its length."""
    parted: dict[int, int] = {}
    row = 0
    while row < rows:
        parted[row] = min(rng.randrange(1, LONGEST_RUN + 1), rows - row)
        row += parted[row]
    return parted


def math(latex: str) -> str:
    """Inline Markdown of one formula."""
    return inline((Run("math", latex),))


def plain(text: str) -> str:
    """Inline Markdown of plain text."""
    return inline((Run("text", text),))
