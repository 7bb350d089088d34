import random
from dataclasses import replace

import pytest

from proofpress.model.mining import Observation, choose, hardness, suspects


def observed(number: int, reward: float | None = 1.0, **more: object) -> Observation:
    values = {"id": f"{number:04d}", "task": "text", "group": f"g{number}", "features": {}, "reward": reward, **more}
    return Observation(**values)  # type: ignore[arg-type]


def measured(count: int, seed: int = 0) -> list[Observation]:
    """Two thirds read right, one third hard: unsure, and the label as unlikely as the reading."""
    rng, found = random.Random(seed), []
    for number in range(count):
        if number % 3:
            likelihood = -0.05 - 0.1 * rng.random()
            found.append(observed(number, 1.0, likelihood=likelihood, confidence=likelihood, disagreement=0.0))
        else:
            unsure = -0.8 - rng.random()
            found.append(
                observed(
                    number, 0.7 * rng.random(), likelihood=unsure - 1, confidence=unsure, disagreement=rng.random()
                )
            )
    return found


def test_the_mix_is_the_one_asked_for_in_each_task() -> None:
    rows = measured(300) + [replace(one, id=f"t{one.id}", group=f"t{one.group}", task="table") for one in measured(150)]
    choice = choose(rows, rows=60, hard=0.5)
    assert len(choice.hard) == len(choice.ordinary) == 30
    assert [sum(rows[p].task == "table" for p in part) for part in (choice.hard, choice.ordinary)] == [10, 10]
    assert all(rows[p].reward < 0.95 for p in choice.hard) and all(rows[p].reward == 1 for p in choice.ordinary)
    assert choice.candidates == {"text": 100, "table": 50}


def test_the_hardest_come_first_and_few_hard_ones_have_few_ordinary_beside_them() -> None:
    rows = [observed(0, 0.2), observed(1, 0.9), observed(2, 0.5), *(observed(n) for n in range(3, 50))]
    choice = choose(rows, rows=20, hard=0.25)
    assert [rows[p].id for p in choice.hard] == ["0000", "0002", "0001"]
    assert len(choice.ordinary) == 9


def test_a_content_is_chosen_once() -> None:
    rows = [observed(n, 0.1, group="same") for n in range(5)] + [observed(n, 1.0, group="same") for n in range(5, 9)]
    rows += [observed(n, 1.0) for n in range(10, 20)]
    choice = choose(rows, rows=8, hard=0.5)
    assert len(choice.hard) == 1 and "same" not in {rows[p].group for p in choice.ordinary}
    assert len(choose(rows, rows=8, hard=0.5, per_group=2).hard) == 2


def test_where_all_is_read_right_nothing_is_chosen() -> None:
    choice = choose([observed(n) for n in range(10)], rows=6, hard=0.5)
    assert choice.hard == () and choice.ordinary == ()


@pytest.mark.parametrize("measure", ["reward", "likelihood", "disagreement"])
def test_each_measure_tells_which_of_two_is_harder(measure: str) -> None:
    easy = observed(0, 0.5, likelihood=-0.5, disagreement=0.2)
    worse = {"reward": 0.4, "likelihood": -0.9, "disagreement": 0.6}[measure]
    scores = hardness([easy, replace(easy, **{measure: worse})], {"reward": 2, "likelihood": 1, "disagreement": 1})
    assert scores[1] > scores[0]


def test_planted_label_faults_are_found_and_hard_pages_are_not_taken_for_them() -> None:
    rows = measured(300)
    faulty = {4, 100, 202}
    for place in faulty:  # read as surely as ever, not what the label says, which nobody would believe
        rows[place] = replace(rows[place], reward=0.4, likelihood=-3.0)
    found = suspects(rows)
    assert found.keys() == faulty and {reason for reason, _ in found.values()} == {"confident"}
    choice = choose(rows, rows=200, hard=0.5)
    assert not faulty & {*choice.hard, *choice.ordinary}


def test_a_failed_proof_and_readers_that_agree_against_the_label_are_suspect() -> None:
    rows = [
        observed(0, 1.0, faults=("proof.text: differs",)),
        observed(1, None, faults=("gold: does not parse",)),
        observed(2, 0.3, disagreement=0.0),
        observed(3, 0.3, disagreement=0.5),
        observed(4, 0.3),
    ]
    assert {place: reason for place, (reason, _) in suspects(rows).items()} == {0: "known", 1: "known", 2: "agreed"}


def test_a_model_that_repeats_its_own_mistake_is_no_witness_against_the_label() -> None:
    rows = [replace(one, disagreement=0.0, reward=min(one.reward, 0.5)) for one in measured(60)]
    assert suspects(rows) == {}  # nothing was read right: there is no measure of sure


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_choice_does_not_depend_on_the_order_of_records(order: int) -> None:
    rows = measured(200)
    shuffled = random.Random(order).sample(rows, len(rows))
    ids = lambda found, source: ({source[p].id for p in found.hard}, {source[p].id for p in found.ordinary})  # noqa: E731
    assert ids(choose(rows, 50, 0.6, seed=7), rows) == ids(choose(shuffled, 50, 0.6, seed=7), shuffled)
