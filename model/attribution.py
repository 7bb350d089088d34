"""Which features make a model fail: a sparse regression of its losses on what the pages were, with intervals.

Counts would blame whatever stands beside a cause: a weakness for merged cells looks like one for large tables, since
those have more of them. Here all features are in one model and compete. A loss (1 - reward) is regressed on every
``axis=value`` within its task by the lasso, whose penalty follows the noise (scaled lasso: Sun and Zhang, "Scaled
sparse linear regression", Biometrika 99(4), 2012); what it picks again and again under resampling is kept (stability
selection: Meinshausen and Buehlmann, JRSS B 72(4), 2010); the effects of what is kept are fitted without penalty, their
intervals from the bootstrap. Rows of one content are resampled together, because the crops of a page fail together.

    found = attribute(losses, features, tasks, contents)
    found.effects[0]                            # Effect("table.spans=both", 0.31, 0.24, 0.38, ...)
    sampling_weights(found)                     # {"table.spans=both": 2.9}
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 100  # for the choice of features
REFITS = 400  # for their intervals
STABLE = 0.8  # share of resamples in which a feature must be picked
LEVEL = 0.95
MIN_CONTENTS = 8  # contents that must have a feature, and lack it: fewer say nothing
MAX_ROWS = 20_000  # of these the regression is made; the first ones, as rows of a dataset stand in a shuffled order
ITERATIONS, SETTLED = 400, 1e-6  # of the lasso: at most so many, until no coefficient moves by more

Matrix = np.ndarray


@dataclass(frozen=True, slots=True)
class Effect:
    """What a feature adds to the loss, others held still.

    feature: ``axis=value``. effect: in units of reward; below 0 where it is easier. low, high: the interval at
    ``LEVEL`` of the refit, which does not count that the feature was chosen by the same rows. stability: share of
    resamples that picked it. rows: that have it. inseparable: features that the same rows have, so that the cause may
    as well be one of them.
    """

    feature: str
    effect: float
    low: float
    high: float
    stability: float
    rows: int
    inseparable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribution:
    """The effects that are told from noise, the strongest first. base: loss where none of them is. tested: features."""

    effects: tuple[Effect, ...]
    base: float
    loss: float
    rows: int
    contents: int
    tested: int


@dataclass(frozen=True, slots=True)
class _Column:
    """A feature, the mask of the rows with it, and what cannot be told from it and from its absence."""

    name: str
    mask: Matrix
    same: tuple[str, ...] = ()
    opposite: tuple[str, ...] = ()


def attribute(
    losses: Sequence[float], features: Sequence[Mapping[str, str]], tasks: Sequence[str], contents: Sequence[str]
) -> Attribution:
    """Attribute losses (0..1, one a row) to features. tasks, contents: of each row, in the same order.

    Features are named in the order in which rows first have them, and of those that the same rows have the first one
    stands for all. The same rows give the same result.
    """
    losses, features = losses[:MAX_ROWS], features[:MAX_ROWS]
    tasks, contents = tasks[:MAX_ROWS], contents[:MAX_ROWS]
    loss = np.asarray(losses, dtype=np.float64)
    _, content = np.unique(np.asarray(contents, dtype=str), return_inverse=True)
    count = int(content.max()) + 1 if len(content) else 0
    columns = _columns(features, content)
    mean = float(loss.mean()) if len(loss) else 0.0
    if not columns or float(loss.std()) == 0:
        return Attribution((), mean, mean, len(loss), count, len(columns))
    within = _within(np.asarray(tasks, dtype=str))
    y, x = within(loss), within(np.stack([column.mask for column in columns], axis=1).astype(np.float64))
    spread = x.std(axis=0)
    informative = spread > 1e-9  # a feature that a task has always or never
    columns = [column for column, useful in zip(columns, informative, strict=True) if useful]
    if not columns:
        return Attribution((), mean, mean, len(loss), count, 0)
    x, spread = x[:, informative], spread[informative]
    random = np.random.default_rng(0)
    stability = _stability(x / spread, y, content, count, random)
    chosen = [place for place in range(len(columns)) if stability[place] >= STABLE]
    if not chosen:
        return Attribution((), mean, mean, len(loss), count, len(columns))
    estimate, low, high = _refit(x[:, chosen], y, content, count, random)
    effects = [
        _effect(columns[place], estimate[k], low[k], high[k], stability[place])
        for k, place in enumerate(chosen)
        if low[k] > 0 or high[k] < 0
    ]
    harder = sum((columns[place].mask for place, value in zip(chosen, estimate, strict=True) if value > 0), start=0)
    base = float(loss[harder == 0].mean()) if np.any(harder == 0) else mean
    effects.sort(key=lambda one: (-one.effect, one.feature))
    return Attribution(tuple(effects), base, mean, len(loss), count, len(columns))


def sampling_weights(found: Attribution, strength: float = 1.0, most: float = 4.0) -> dict[str, float]:
    """How often to print what: by how many times the base loss pages with a feature have, to a power.

    An easier feature is printed less often: where one value of an axis is easy and all others fail alike, the
    regression says only that, and a mix of the hard ones has little of the easy one. The interval's nearer end counts,
    so that an unsure effect changes little. A model that hardly fails elsewhere would get any weight, hence ``most``,
    and its inverse. Rounded to hundredths; none of them is 1.
    """
    floor = max(found.base, 0.01)
    weights = {}
    for one in found.effects:
        nearer = one.low if one.low > 0 else min(one.high, 0.0)
        ratio = max(floor + nearer, 0.0) / floor
        weights[one.feature] = round(float(min(max(ratio**strength, 1 / most), most)), 2)
    return {name: weight for name, weight in weights.items() if weight != 1}


def _columns(features: Sequence[Mapping[str, str]], content: Matrix) -> list[_Column]:
    """The columns that say something, each standing for all that the same rows have or lack."""
    rows: dict[str, list[int]] = {}
    for row, values in enumerate(features):
        for axis, value in values.items():
            rows.setdefault(f"{axis}={value}", []).append(row)
    groups: dict[bytes, _Column] = {}
    for name, having in rows.items():
        mask = np.zeros(len(features), dtype=bool)
        mask[having] = True
        if min(len(np.unique(content[mask])), len(np.unique(content[~mask]))) < MIN_CONTENTS:
            continue
        if (same := groups.get(mask.tobytes())) is not None:
            groups[mask.tobytes()] = _Column(same.name, same.mask, (*same.same, name), same.opposite)
        elif (other := groups.get((~mask).tobytes())) is not None:
            groups[(~mask).tobytes()] = _Column(other.name, other.mask, other.same, (*other.opposite, name))
        else:
            groups[mask.tobytes()] = _Column(name, mask)
    return list(groups.values())


def _within(tasks: Matrix) -> Callable[[Matrix], Matrix]:
    """A function that takes from each row the mean of its task: what is left differs within tasks alone."""
    _, task = np.unique(tasks, return_inverse=True)
    counts = np.bincount(task)

    def centre(values: Matrix) -> Matrix:
        flat = values.reshape(len(values), -1)
        means = np.stack([np.bincount(task, column) / counts for column in flat.T], axis=1)
        return (flat - means[task]).reshape(values.shape)

    return centre


def _stability(x: Matrix, y: Matrix, content: Matrix, count: int, random: np.random.Generator) -> Matrix:
    """The share of resamples in which the lasso gives each column a coefficient. x: (rows, columns), unit spread."""
    gram, target = _products(x, y, np.ones((1, len(y))))
    universal, noise = np.sqrt(2 * np.log(max(x.shape[1], 2)) / count), float(y.std())
    for _ in range(8):
        beta = _lasso(gram, target, universal * noise)[0]
        noise = max(float((y - x @ beta).std()), 1e-3)
    weights = random.exponential(size=(RESAMPLES, count))[:, content]
    weights *= len(y) / weights.sum(axis=1, keepdims=True)
    picked = _lasso(*_products(x, y, weights), universal * noise) != 0
    return picked.mean(axis=0)


def _products(x: Matrix, y: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Weighted X'X/n ``(draws, columns, columns)`` and X'y/n ``(draws, columns)``."""
    gram = np.stack([(x * w[:, None]).T @ x for w in weights]) / len(y)
    return gram, (weights * y) @ x / len(y)


def _lasso(gram: Matrix, target: Matrix, penalty: float) -> Matrix:
    """The lasso's coefficients ``(draws, columns)`` of many draws at once, by accelerated proximal gradient."""
    step = 1 / np.abs(gram).sum(axis=2).max(axis=1)[:, None]  # a bound of the largest eigenvalue
    beta = ahead = np.zeros_like(target)
    momentum = 1.0
    for _ in range(ITERATIONS):
        moved = ahead - step * (np.einsum("dij,dj->di", gram, ahead) - target)
        after = np.sign(moved) * np.maximum(np.abs(moved) - step * penalty, 0)
        if np.abs(after - beta).max() < SETTLED:
            return after
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = after + (momentum - 1) / following * (after - beta)
        beta, momentum = after, following
    return beta


def _refit(
    x: Matrix, y: Matrix, content: Matrix, count: int, random: np.random.Generator
) -> tuple[Matrix, Matrix, Matrix]:
    """Least squares on the chosen columns, and the ends of its interval."""
    weights = random.exponential(size=(REFITS, count))[:, content]
    weights = np.concatenate([np.ones((1, len(y))), weights / weights.mean(axis=1, keepdims=True)])
    gram, target = _products(x, y, weights)
    gram += 1e-6 * np.eye(x.shape[1])  # columns that add up to another
    found = np.linalg.solve(gram, target[..., None])[..., 0]
    low, high = np.quantile(found[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return found[0], low, high


def _effect(column: _Column, estimate: float, low: float, high: float, stability: float) -> Effect:
    """A column's effect; where its absence is the harder one and has a name, that name's."""
    rows, names = int(column.mask.sum()), (column.name, *column.same)
    if estimate < 0 and column.opposite:
        estimate, low, high = -estimate, -high, -low
        rows, names = len(column.mask) - rows, column.opposite
    effect, low, high, stability = (round(float(value), 4) for value in (estimate, low, high, stability))
    return Effect(names[0], effect, low, high, stability, rows, tuple(names[1:]))
