"""Tables of a wanted shape in any language: as many heading levels, spans, kinds of cell and of number as asked for.

``tables.py`` makes tables as English documents have them and tells what came out; here the traits come first. Columns
of counts and amounts end in their sum, which is right.

    >>> made = shaped(random.Random(1), Language("de"), {"heads": "2", "spans": "both", ...}, room=6, inline=...)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from proofpress.generators.content.languages import Language
from proofpress.generators.content.table_parts import Rows, head, math, plain
from proofpress.pages.table import LooseCell, TableGrid, lay_out

#: Columns and rows of values by size, as ranges.
SIZES = {"small": ((2, 3), (2, 4)), "medium": ((3, 5), (4, 7)), "large": ((4, 7), (8, 14))}
SUMMED = ("plain", "grouped", "money", "brackets")
EMPTY_SHARE = 0.2
BULLETS = ("•", "–")


@dataclass(frozen=True, slots=True)
class Shaped:
    """turned: the row whose headings are set upwards, or None."""

    grid: TableGrid
    turned: int | None


def shaped(
    rng: Random, language: Language, shape: Mapping[str, str], room: int, inline: Callable[[Random], str]
) -> Shaped:
    """A table of this shape, at most ``room`` columns wide.

    shape: ``heads``, ``size``, ``spans``, ``cells``, ``empty``, ``turned``, ``numbers`` and ``continued`` as in the
    lattice. inline: writes the LaTeX of a formula.
    """
    return _Table(rng, language, shape, room, inline).make()


class _Table:
    def __init__(
        self, rng: Random, language: Language, shape: Mapping[str, str], room: int, inline: Callable[[Random], str]
    ) -> None:
        self.rng, self.language, self.shape, self.inline = rng, language, shape, inline
        columns, rows = SIZES[shape["size"]]
        self.grouped = shape["spans"] in ("row", "both")  # a column of groups, each over several rows
        self.special = shape["cells"] in ("formulas", "lists")
        most = max(2, room - 1 - self.grouped - self.special)
        self.values = min(rng.randint(*columns), most)
        if shape["heads"] in ("2", "3"):
            self.values = max(2, self.values)
        self.rows = rng.randint(*rows)
        if shape["cells"] == "lists":  # each row is as high as its list
            self.rows = max(2, self.rows // 2)
        self.stubs = 1 + self.grouped
        self.columns = self.stubs + self.values + self.special

    def make(self) -> Shaped:
        levels = int(self.shape["heads"])
        body = self._body()
        heads = self._heads(levels)
        turned = levels - 1 if self.shape["turned"] == "yes" else None
        return Shaped(lay_out([*heads, *body]), turned)

    def _word(self) -> str:
        return plain(self.language.phrase(self.rng, "thing"))

    def _labels(self) -> list[str]:
        """A heading for each column of values: years, quarters or what was measured."""
        kind = self.rng.random()
        if kind < 0.5:
            first = self.rng.randrange(1960, 2020)
            return [self.language.localised(str(first + n)) for n in range(self.values)]
        if kind < 0.7:
            return [f"{self.language.term('group')} {letter}" for letter in "ABCDEFGH"[: self.values]]
        return [self._word() for _ in range(self.values)]

    def _heads(self, levels: int) -> Rows:
        if levels == 0:
            return []
        term = self.language.term
        filler = "" if self.shape["empty"] == "yes" else None  # what stands above the stub where it may not span
        leaves = [head(label) for label in self._labels()]
        names = [term("group"), term("item")] if self.grouped else [term("item")]
        if self.special:
            leaves.append(head(term("remarks")))
        if levels == 1:
            return [[*map(head, names), *leaves]]
        tall = self.shape["spans"] == "both"
        upper = self._groups()
        rows: Rows = []
        for level in range(levels - 1):
            row: list[LooseCell] = []
            if tall and level == 0:
                row += [head(name, rowspan=levels) for name in names]
            elif not tall:
                row += [head(term("number") if filler is None else filler) for _ in names]
            if levels == 3 and level == 0:
                row.append(head(plain(self.language.phrase(self.rng, "measure")), colspan=self.values))
            else:
                row += [head(self._word(), colspan=width) for width in upper]
            if self.special:
                if tall and level == 0:
                    row.append(head(term("remarks"), rowspan=levels))
                elif not tall:
                    row.append(head(term("unit") if filler is None else filler))
            rows.append(row)
        if tall and self.special:
            leaves.pop()
        return [*rows, leaves if tall else [*map(head, names), *leaves]]

    def _groups(self) -> list[int]:
        """The columns of values parted into two or three groups, one of them at least of two columns."""
        if self.values <= 3:
            return [self.values] if self.rng.random() < 0.5 else [2, *[1] * (self.values - 2)]
        cut = self.rng.randrange(2, self.values - 1)
        return [cut, self.values - cut]

    def _body(self) -> Rows:
        amounts = [[self._amount() for _ in range(self.values)] for _ in range(self.rows)]
        summed = self.shape["numbers"] in SUMMED and self.shape["empty"] == "no"
        continued = self.shape["continued"] == "yes" and summed
        if continued:
            amounts.insert(0, [self._amount() * 3 for _ in range(self.values)])
        names = [self._word() for _ in amounts]
        if continued:
            names[0] = self.language.term("brought")
        if summed:
            amounts.append([sum(column) for column in zip(*amounts, strict=True)])
            names.append(self.language.term("carried" if continued and self.rng.random() < 0.5 else "total"))
        heading = self.rng.random() < 0.4
        rows: Rows = []
        middle = len(names) // 2 if len(names) >= 4 else len(names)
        groups = {}
        if self.grouped:
            groups = {**self._runs(0, middle), **self._runs(middle, len(names))}
        sections = self.shape["spans"] in ("column", "both") and self.shape["heads"] in ("0", "1")
        for place, (name, values) in enumerate(zip(names, amounts, strict=True)):
            if sections and place in (0, middle):
                rows.append([LooseCell(self._word(), colspan=self.columns, heading=True)])
            row = [LooseCell(self._word(), rowspan=groups[place], heading=heading)] if place in groups else []
            row.append(LooseCell(name, heading=heading))
            row += [LooseCell(self._written(value)) for value in values]
            if self.special:
                row.append(LooseCell(self._special()))
            rows.append(row)
        if self.shape["empty"] == "yes":
            self._blank(rows)
        return rows

    def _runs(self, first: int, end: int) -> dict[int, int]:
        """The rows from first to end parted into groups of one to three, the first of two where there are two."""
        runs: dict[int, int] = {}
        while first < end:
            runs[first] = min(self.rng.randint(1, 3) if runs else 2, end - first)
            first += runs[first]
        return runs

    def _blank(self, rows: Rows) -> None:
        """Empty some cells of values, one at least; they count nothing, for there are no sums."""
        spots = [
            (row, place)
            for row, cells in enumerate(rows)
            for place, cell in enumerate(cells[: -1 if self.special else None])
            if place and cell.colspan == 1 and cell.rowspan == 1 and not cell.heading
        ]
        certain = self.rng.choice(spots)
        for row, place in spots:
            if (row, place) == certain or self.rng.random() < EMPTY_SHARE:
                rows[row][place] = LooseCell("")

    def _amount(self) -> int:
        signed = self.shape["numbers"] in ("signed", "brackets")
        amount = self.rng.randrange(12, 10 ** self.rng.choice((3, 4, 5)))
        return -amount if signed and self.rng.random() < 0.4 else amount

    def _written(self, value: int) -> str:
        number, digits = self.language.number, self.language.localised
        match self.shape["numbers"]:
            case "plain":
                return digits(str(value))
            case "grouped":
                return number(value)
            case "signed":
                return f"{'+' if value >= 0 else '-'}{number(abs(value), 1)}"
            case "brackets":
                return number(value) if value >= 0 else f"({number(-value)})"
            case "percent":
                return self.language.percent(value % 1000)
            case "money":
                return plain(self.language.amount(value))
            case _:
                return f"{number(value % 10_000, 2)} ± {number(value % 97 + 1, 2)}"

    def _special(self) -> str:
        if self.shape["cells"] == "formulas":
            return math(self.inline(self.rng))
        bullet = BULLETS[0]
        return " ".join(f"{bullet} {self._word()}" for _ in range(self.rng.choice((2, 2, 3))))
