r"""Weighted rewriting rules: a text is written by filling slots until none is left.

A rule file names a rule at the line start and lists its alternatives, indented, each with an optional weight; a
rule whose alternatives are single words lists them after a colon. ``<name>`` in an alternative is a slot for that
rule; ``<!name>`` writes nothing and fixes the name's text for the rest of the alternative and all that is written
inside it.

    total
        3 | <!i>\sum_{<i>=1}^{n} <term>
    term
        a_{<i>} x^{<i>}
    i: i j k

    >>> rules = Rules("total\n    <!i>\\sum_{<i>} a_{<i>}\ni: i j k", makers={})
    >>> rules.write(random.Random(1), "total")
    '\\sum_{k} a_{k}'
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import NamedTuple

Maker = Callable[[Random], str]
SLOT = re.compile(r"<(!?)([a-z]\w*)>")
SLACK, OVERTIME = 2, 4
WEIGHTED = re.compile(r"(\d+) \| (.*)")


class Piece(NamedTuple):
    """A stretch of literal text and the slot behind it; ``slot`` is empty behind the last stretch."""

    literal: str
    slot: str
    fixes: bool


class Alternative(NamedTuple):
    weight: int
    pieces: tuple[Piece, ...]


class Rules:
    """A set of rules, and makers (plain functions of a stream) for the words no rule lists."""

    def __init__(self, text: str, makers: Mapping[str, Maker], given: Iterable[str] = ()) -> None:
        """Reads rule text; ``given`` names the slots each call of ``write`` fills.

        ``ValueError`` names a slot that no rule, maker or gift fills, or a rule that cannot end.
        """
        self._makers = makers
        self._rules = _parse(text)
        slots = {p.slot for rule in self._rules.values() for a in rule for p in a.pieces if p.slot}
        missing = sorted(slots - self._rules.keys() - makers.keys() - set(given))
        if missing:
            raise ValueError(f"no rule or maker for: {', '.join(missing)}")
        self._heights = self._measure()
        self._draws: dict[tuple[str, int], tuple[tuple[Alternative, ...], tuple[int, ...]]] = {}

    def __contains__(self, symbol: str) -> bool:
        """Whether there is a rule of this name."""
        return symbol in self._rules

    @classmethod
    def read(cls, *names: str, makers: Mapping[str, Maker], given: Iterable[str] = ()) -> "Rules":
        """The rules of the files of these names beside this module."""
        folder = Path(__file__).parent
        return cls("\n".join((folder / name).read_text(encoding="utf-8") for name in names), makers, given)

    def write(self, rng: Random, symbol: str, given: Mapping[str, str | Maker] | None = None, depth: int = 12) -> str:
        """Write ``symbol``. ``given`` overrides rules and makers; rules nest about ``depth`` deep, where they can."""
        return self._fill(rng, symbol, given or {}, depth)

    def _fill(self, rng: Random, symbol: str, scope: Mapping[str, str | Maker], depth: int) -> str:
        known = scope.get(symbol) or self._makers.get(symbol)
        if known is not None:
            return known if isinstance(known, str) else known(rng)
        alternatives, bounds = self._draws.get((symbol, depth)) or self._eligible(symbol, depth)
        written = []
        for literal, slot, fixes in rng.choices(alternatives, cum_weights=bounds)[0].pieces:
            written.append(literal)
            if slot:
                text = self._fill(rng, slot, scope, depth - 1)
                if fixes:
                    scope = {**scope, slot: text}
                else:
                    written.append(text)
        return "".join(written)

    def _eligible(self, symbol: str, depth: int) -> tuple[tuple[Alternative, ...], tuple[int, ...]]:
        """The alternatives that can end within ``depth``; where none can, for a few levels more all that end soon, lest
        the very lowest one crowd every end, and at last only the lowest."""
        rule = self._rules[symbol]
        lowest = min(self._height(a) for a in rule)
        limit = max(depth, lowest + SLACK if depth > -OVERTIME else lowest)
        fitting = tuple(a for a in rule if self._height(a) <= limit)
        drawn = self._draws[symbol, depth] = (fitting, tuple(accumulate(a.weight for a in fitting)))
        return drawn

    def _height(self, alternative: Alternative) -> float:
        return 1 + max((self._heights.get(p.slot, 0) for p in alternative.pieces if p.slot), default=0)

    def _measure(self) -> dict[str, float]:
        """How deep each rule must nest at least, by iteration to a fixed point."""
        self._heights = {name: math.inf for name in self._rules}
        while True:
            measured: dict[str, float] = {n: min(self._height(a) for a in rule) for n, rule in self._rules.items()}
            if measured == self._heights:
                endless = sorted(name for name, height in measured.items() if height == math.inf)
                if endless:
                    raise ValueError(f"rules that never end: {', '.join(endless)}")
                return measured
            self._heights = measured


def _parse(text: str) -> dict[str, list[Alternative]]:
    rules: dict[str, list[Alternative]] = {}
    current: list[Alternative] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] != " ":
            name, _, words = line.partition(":")
            if name in rules:
                raise ValueError(f"rule given twice: {name}")
            current = rules[name] = [_alternative(1, word) for word in words.split()]
        elif weighted := WEIGHTED.fullmatch(line.strip()):
            current.append(_alternative(int(weighted[1]), weighted[2]))
        else:
            current.append(_alternative(1, line.strip()))
    return rules


def _alternative(weight: int, text: str) -> Alternative:
    pieces, end = [], 0
    for slot in SLOT.finditer(text):
        pieces.append(Piece(text[end : slot.start()], slot[2], bool(slot[1])))
        end = slot.end()
    return Alternative(weight, (*pieces, Piece(text[end:], "", False)))
