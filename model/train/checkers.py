"""What a reading of a training row is worth: the reward against the row's truth, its unit tests among the terms.

    checked = check(text, sample)
    checked.reward, checked.parts["tests"]

A checker that fails gives no reward, never zero: the model is not to learn from our faults. An answer too long to be
checked (status ``timeout``) is the model's fault, and is paid what the checker says.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from proofpress.model.rewards import GoldError, RewardRecipe, score
from proofpress.model.rewards.unit_tests import UnitTest, parse_test, run
from proofpress.model.train.data import Sample

DEFAULT = RewardRecipe()

#: What a checker says where it has no verdict.
FAILED = "error"


@dataclass(frozen=True, slots=True)
class Checked:
    """reward: 0..1, None where a checker failed. parts: the terms, by name. trouble: why there is no reward."""

    reward: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    trouble: str = ""


def check(prediction: str, sample: Sample, recipe: RewardRecipe = DEFAULT) -> Checked:
    """The reward of a reading of a row."""
    try:
        tests = _share_passed(prediction, sample)
        result = score(prediction, sample.text, sample.task, recipe, tests)
    except GoldError as error:
        return Checked(None, trouble=f"the truth cannot be scored against: {error}")
    if result.status == FAILED:
        return Checked(None, trouble=f"{result.status}: {result.evidence}")
    return Checked(result.value, {**result.parts, **({} if tests is None else {"tests": tests})})


def _share_passed(prediction: str, sample: Sample) -> float | None:
    """The share of the row's unit tests that pass; None where there are none that give a verdict."""
    verdicts = [run(test, prediction) for test in _tests(sample.tests)]
    values = [verdict.value for verdict in verdicts if verdict.status != FAILED]
    return sum(values) / len(values) if values else None


@lru_cache(maxsize=256)
def _tests(tests: tuple[str, ...]) -> tuple[UnitTest, ...]:
    """Many readings are checked against one row's tests."""
    return tuple(parse_test(json.loads(test)) for test in tests)
