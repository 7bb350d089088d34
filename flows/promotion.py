"""Whether a new model takes the place of the old one: by the same frozen records, read by both.

No task's mean reward may fall (by more than the recipe's tolerance), and the mean over tasks must rise by more than
noise: the paired bootstrap's interval of its difference lies above 0. Records are resampled within their task, each
with both models' rewards, which takes out what makes a record hard for either.

    decision = decide(old_scores, new_scores, PromoteRecipe())
    decision.promoted, decision.why
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proofpress.flows.loop_recipe import PromoteRecipe
from proofpress.model.bench.dataset import RecordScore

SAMPLES = 2_000
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Change:
    """Means of the old and the new model on the same records, and the interval of their difference."""

    old: float
    new: float
    low: float
    high: float
    records: int

    @property
    def difference(self) -> float:
        return round(self.new - self.old, DIGITS)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, in words too. overall: of the means of tasks."""

    promoted: bool
    why: str
    overall: Change | None
    tasks: Mapping[str, Change]


def decide(old: Sequence[RecordScore], new: Sequence[RecordScore], recipe: PromoteRecipe) -> Decision:
    """Compare two models' scores of the same records, in the same order."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for before, after in zip(old, new, strict=True):
        if before.value is not None and after.value is not None:
            pairs.setdefault(before.task, []).append((before.value, after.value))
    if not pairs:
        return Decision(False, "no record of the benchmarks can be scored", None, {})
    random = np.random.default_rng(0)
    tail, drawn, tasks = (1 - recipe.level) / 2, np.zeros(SAMPLES), {}
    for task, values in sorted(pairs.items()):
        both = np.asarray(values)
        gains = both[:, 1] - both[:, 0]
        means = gains[random.integers(0, len(gains), (SAMPLES, len(gains)))].mean(axis=1)
        drawn += means / len(pairs)
        tasks[task] = _change(both[:, 0].mean(), both[:, 1].mean(), means, tail, len(gains))
    old_mean = float(np.mean([change.old for change in tasks.values()]))
    new_mean = float(np.mean([change.new for change in tasks.values()]))
    overall = _change(old_mean, new_mean, drawn, tail, sum(change.records for change in tasks.values()))
    fallen = [task for task, change in tasks.items() if change.difference < -recipe.tolerance]
    figures = f"{overall.difference:+.4f} ({overall.low:+.4f} to {overall.high:+.4f}) on {overall.records} records"
    if fallen:
        worst = min(fallen, key=lambda task: tasks[task].difference)
        change = tasks[worst]
        why = f"{worst} falls from {change.old:.4f} to {change.new:.4f}; the mean changes by {figures}"
    elif overall.low <= 0:
        why = f"the mean rises by no more than noise: {figures}"
    else:
        return Decision(True, f"the mean rises by {figures} and no task falls", overall, tasks)
    return Decision(False, why, overall, tasks)


def _change(old: float, new: float, drawn: np.ndarray, tail: float, records: int) -> Change:
    low, high = np.quantile(drawn, [tail, 1 - tail])
    old, new, low, high = (round(float(value), DIGITS) for value in (old, new, low, high))
    return Change(old, new, low, high, records)
