"""How sure a mean is: the percentile bootstrap, seeded, so that the same values give the same interval.

>>> bootstrap([[1.0, 1.0, 1.0]])
(1.0, 1.0)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SAMPLES = 1_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of ``count`` values with its interval at ``LEVEL``."""

    value: float
    low: float
    high: float
    count: int


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of at least one value, with its interval."""
    low, high = bootstrap([values])
    return Mean(float(np.mean(values)), low, high, len(values))


def bootstrap(groups: Sequence[Sequence[float]], samples: int = SAMPLES, level: float = LEVEL) -> tuple[float, float]:
    """The interval of the mean of the groups' means, each group drawn anew by itself; groups may not be empty."""
    random = np.random.default_rng(0)
    means = np.zeros(samples)
    for group in groups:
        values = np.asarray(group, dtype=np.float64)
        means += values[random.integers(0, len(values), (samples, len(values)))].mean(1) / len(groups)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
