import random

import pytest

from proofpress.flows.loop_recipe import PromoteRecipe
from proofpress.flows.promotion import decide
from proofpress.model.bench.dataset import RecordScore


def scores(values: list[float | None], task: str = "text") -> list[RecordScore]:
    return [RecordScore(f"{task}{n}", task, "line", value, {}, "ok", "", None) for n, value in enumerate(values)]


def decided(old: list[RecordScore], new: list[RecordScore], **recipe: float) -> tuple[bool, str]:
    decision = decide(old, new, PromoteRecipe(**recipe))
    return decision.promoted, decision.why


def test_a_rise_of_all_records_is_promoted() -> None:
    old = [0.5 + n / 100 for n in range(40)]
    promoted, why = decided(scores(old), scores([value + 0.05 for value in old]))
    assert promoted and why.startswith("the mean rises by +0.0500")


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_not_a_rise(seed: int) -> None:
    rng = random.Random(seed)
    old, new = ([rng.random() for _ in range(60)] for _ in range(2))
    low, high = sorted((old, new), key=sum)
    promoted, why = decided(scores(low), scores(high))
    assert not promoted and "no more than noise" in why


def test_pairing_finds_a_small_rise_among_records_that_differ_much() -> None:
    rng = random.Random(0)
    old = [rng.random() * 0.9 for _ in range(60)]
    assert decided(scores(old), scores([value + 0.02 * rng.random() for value in old]))[0]


def test_a_task_that_falls_keeps_the_old_model_however_much_the_mean_rises() -> None:
    old = scores([0.5] * 30) + scores([0.8] * 30, "table")
    new = scores([0.9] * 30) + scores([0.79] * 30, "table")
    promoted, why = decided(old, new)
    assert not promoted and why.startswith("table falls from 0.8000 to 0.7900")
    assert decided(old, new, tolerance=0.02)[0]


def test_tasks_count_alike_however_many_records_they_have() -> None:
    decision = decide(
        scores([0.5] * 90) + scores([0.5] * 10, "table"),
        scores([0.6] * 90) + scores([0.9] * 10, "table"),
        PromoteRecipe(),
    )
    assert decision.overall is not None and decision.overall.difference == 0.25


def test_records_that_cannot_be_scored_are_left_out_and_none_at_all_promotes_nothing() -> None:
    assert decided(scores([None, 0.5, 0.5]), scores([1.0, 0.7, 0.7]))[0]
    assert decided(scores([None]), scores([None])) == (False, "no record of the benchmarks can be scored")
    assert not decided(scores([0.5] * 9), scores([0.5] * 9))[0], "the same model is no better"
