"""Learning rate and curriculum."""

import pytest

from proofpress.model.train.recipe import Level
from proofpress.model.train.schedule import PATIENCE, Curriculum, learning_rate_factor


@pytest.mark.parametrize(
    ("step", "progress", "factor"),
    [(0, 0.0, 0.1), (9, 0.0, 1.0), (50, 0.5, 1.0), (75, 0.75, 1.0), (90, 0.9, 0.4), (100, 1.0, 0.0), (101, 1.1, 0.0)],
)
def test_the_rate_warms_up_stays_and_falls_over_the_last_quarter(step: int, progress: float, factor: float) -> None:
    assert learning_rate_factor(step, progress, warmup_steps=10, decay=0.25) == pytest.approx(factor)


def test_without_warm_up_and_decay_the_rate_is_constant() -> None:
    assert {learning_rate_factor(s, s / 10, warmup_steps=0, decay=0.0) for s in range(10)} == {1.0}


def levels() -> list[Level]:
    return [Level(mix={"word": 1}, below=1.0), Level(mix={"word": 0.1, "line": 1}, below=1.0), Level(mix={"line": 1})]


def test_the_next_level_opens_when_the_new_kinds_are_learned() -> None:
    curriculum = Curriculum(levels())
    assert not curriculum.observe({"word": 0.5}, step=PATIENCE - 1)
    assert curriculum.observe({"word": 0.5}, step=PATIENCE)
    assert curriculum.mix == {"word": 0.1, "line": 1}
    # The older kind is long learned; only the new one counts, and not before it has been seen.
    assert not curriculum.observe({"word": 0.1}, step=3 * PATIENCE)
    assert not curriculum.observe({"line": 2.0}, step=3 * PATIENCE)
    curriculum.losses["line"] = 0.9
    assert curriculum.observe({"line": 0.9}, step=3 * PATIENCE)
    assert not curriculum.observe({"line": 0.0}, step=9 * PATIENCE)


def test_a_restored_curriculum_goes_on_as_the_saved_one() -> None:
    saved = Curriculum(levels())
    for step in range(PATIENCE):
        saved.observe({"word": 1.1 - step / PATIENCE}, step)
    restored = Curriculum(levels())
    restored.restore(saved.state())
    for step in range(PATIENCE, 3 * PATIENCE):
        assert saved.observe({"word": 0.5}, step) == restored.observe({"word": 0.5}, step)
    assert saved.state() == restored.state()
