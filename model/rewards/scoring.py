"""What every reward checker answers, and the one way they count: matched parts against parts of both sides.

>>> Score(0.5, {"cells": 0.5}, "ok")
Score(value=0.5, parts={'cells': 0.5}, status='ok', evidence='')
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rapidfuzz.distance import LCSseq

Status = Literal["ok", "empty", "unparseable", "timeout", "error"]


class GoldError(ValueError):
    """The gold does not score 1 against itself, so nothing can be scored against it."""


@dataclass(frozen=True, slots=True)
class Score:
    """A prediction's reward. value: 0..1. parts: each in 0..1, by name.

    status: ``ok``; ``empty`` or ``unparseable`` say why the prediction has no more than it has; ``timeout`` that a part
    is left out of ``parts`` because the inputs are too large for it. evidence: what was seen, in one line.
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    status: Status = "ok"
    evidence: str = ""


def f1(matched: float, predicted: float, gold: float) -> float:
    """The harmonic mean of precision and recall of ``matched`` among both sides' totals; 1 where both are nothing."""
    return 2 * matched / (predicted + gold) if predicted + gold else 1.0


def overlap(first: Iterable[Hashable], second: Iterable[Hashable]) -> tuple[int, int, int]:
    """How many items two collections share, each copy counted once, and how many each has."""
    a, b = Counter(first), Counter(second)
    return (a & b).total(), a.total(), b.total()


def in_order(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[int, int, int]:
    """How many items two sequences share in the same order (their longest common subsequence), how many each has."""
    numbers = {item: number for number, item in enumerate(dict.fromkeys([*first, *second]))}
    shared = LCSseq.similarity([numbers[item] for item in first], [numbers[item] for item in second])
    return shared, len(first), len(second)


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean of at least one value."""
    found = list(values)
    return sum(found) / len(found)
