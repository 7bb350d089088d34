"""Training by reward, from readings to a model folder."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.rewards import score
from proofpress.model.train import grpo, rollouts
from proofpress.model.train.checkers import Checked, check
from proofpress.model.train.data import Sample, TrainingRows
from proofpress.model.train.grpo import token_log_probabilities, train_grpo
from proofpress.model.train.parallel import ALONE
from proofpress.model.train.recipe import GRPORecipe
from proofpress.pages.errors import WorkError


def recipe(model: Path, **fields: Any) -> GRPORecipe:
    settings: dict[str, Any] = {
        "init": str(model), "steps": 2, "pages": 2, "completions": 2, "max_tokens": 8, "learning_rate": 1e-3,
        "warmup_steps": 0, "precision": "float32", "threads": 1, "log_every": 1, "evaluation_rows": 1,
        "checkpoint_every": 1, "show_every": 1, "mask_truncated": False, "tensorboard": False,
    }  # fmt: skip
    return GRPORecipe(**{**settings, **fields})


@pytest.fixture(autouse=True)
def lengths_are_worth_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights read nonsense that is worth nothing: here a reading is worth its share of letters below m."""

    def worth(prediction: str, sample: Sample, *_: object) -> Checked:
        value = sum(letter < "m" for letter in prediction) / max(1, len(prediction))
        return Checked(value, {"letters": value})

    monkeypatch.setattr(rollouts, "check", worth)


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_file(sorted((out / "checkpoints").glob("step-*"))[-1] / "tensors.safetensors")


@pytest.mark.parametrize(
    "fields",
    [
        {"loss": "grpo", "kl": 0.1, "baseline": "remax"},
        {"loss": "bnpo", "iterations": 2, "baseline": "batch", "part_completions": 1},
        {"loss": "dr_grpo", "importance": "sequence", "baseline": "none", "iterations": 2, "kl": 0.1},
    ],
    ids=["grpo", "bnpo", "dr_grpo"],
)
def test_a_run_logs_each_term_and_shows_its_readings(
    word_dataset: Path, tiny_model: Path, tmp_path: Path, fields: dict[str, Any]
) -> None:
    lines: list[dict[str, Any]] = []
    summary = train_grpo(recipe(tiny_model, **fields), [word_dataset], tmp_path / "run", progress=lines.append)
    assert (summary["finished"], summary["steps"]) == (True, 2)
    steps = [line for line in lines if "policy" in line]
    assert len(steps) == 2
    for line in steps:
        assert set(line["policy"]) == {"kl", "clip_low", "clip_high", "entropy"}
        assert 0 < line["policy"]["entropy"] <= math.log(1264)
        assert line["reward"] == pytest.approx(line["terms"]["letters"])
        assert {"reward_deviation", "zero_spread", "no_reward", "truncated", "length", "gradient_norm"} <= line.keys()
    if "kl" in fields:
        assert steps[0]["policy"]["kl"] == pytest.approx(0, abs=1e-6) if "iterations" not in fields else True
    page = (tmp_path / "run/rollouts/step-00000001.html").read_text()
    assert page.count("<h2>row") == 2 and page.count("<td><pre>") == 4 and "data:image/png;base64" in page
    checkpoint.load(summary["model"])


def test_the_pages_of_a_step_follow_the_mix_and_the_seed(word_dataset: Path, tiny_model: Path) -> None:
    settings = recipe(tiny_model, pages=6)
    _, processor = checkpoint.load(tiny_model)
    rows = TrainingRows([word_dataset], "train", settings, processor)
    pages = [rollouts.pages_of(rows, settings, step) for step in range(4)]
    assert pages == [rollouts.pages_of(rows, settings, step) for step in range(4)]
    assert all(len(set(chosen)) == 6 for chosen in pages) and pages[0] != pages[1]


def test_readings_stand_in_the_order_of_trls_sampler(word_dataset: Path, tiny_model: Path) -> None:
    sampler = pytest.importorskip("trl.trainer.utils").RepeatSampler
    settings = recipe(tiny_model, pages=3, completions=4, iterations=2)
    network, processor = checkpoint.load(tiny_model)
    rows = TrainingRows([word_dataset], "train", settings, processor)
    drawn = rollouts.draw(network, processor, rows, settings, 0, ALONE)
    pages = rollouts.pages_of(rows, settings, 0)
    theirs = sampler(pages, mini_repeat_count=4, batch_size=3, repeat_count=settings.iterations, shuffle=False)
    ours = [rollout.row for rollout in drawn for _ in rollout.readings] * settings.iterations
    assert ours == [pages[place] for place in theirs]


def test_a_killed_and_resumed_run_equals_a_whole_one_bit_for_bit(
    word_dataset: Path, tiny_model: Path, tmp_path: Path
) -> None:
    whole = recipe(tiny_model, steps=4, iterations=2, kl=0.1, evaluation_rows=0)
    train_grpo(whole, [word_dataset], tmp_path / "whole")

    class Killed(BaseException):
        pass

    def kill(line: dict[str, Any]) -> None:
        if line["step"] == 3:
            raise Killed

    with pytest.raises(Killed):
        train_grpo(whole, [word_dataset], tmp_path / "parts", progress=kill)
    train_grpo(whole, [word_dataset], tmp_path / "parts", resume=True)
    there, here = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert there.keys() == here.keys() and all(torch.equal(there[name], here[name]) for name in there)


def test_two_processes_draw_and_learn_what_one_does(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    lines: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    for processes, found in lines.items():
        # A process of its own has the real checkers, for which all this is nonsense: of it one learns by the KL alone.
        settings = recipe(
            tiny_model, steps=2, processes=processes, evaluation_rows=0, max_tokens=6, kl=1.0, baseline="none"
        )  # fmt: skip
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rollouts, "check", check)
            train_grpo(settings, [word_dataset], tmp_path / str(processes), progress=found.append)
    one, two = lines[1][1], lines[2][1]  # of the second step, for which weights have changed
    assert one["reward"] == pytest.approx(two["reward"])
    assert one["gradient_norm"] == pytest.approx(two["gradient_norm"], rel=1e-4)
    assert one["policy"] == pytest.approx(two["policy"], rel=1e-4, abs=1e-6)


def test_readings_that_are_better_become_likelier(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    learned = recipe(
        tiny_model, steps=12, pages=2, completions=8, learning_rate=5e-3, evaluation_rows=0, baseline="none",
        show_every=100, checkpoint_every=100,
    )  # fmt: skip
    train_grpo(learned, [word_dataset], tmp_path / "run", progress=lines.append)
    rewards = [line["reward"] for line in lines if "policy" in line]
    assert sum(rewards[-4:]) / 4 > sum(rewards[:4]) / 4 + 0.1


def test_log_probabilities_are_those_of_reading_the_answers_one_by_one(tiny_model: Path) -> None:
    network, processor = checkpoint.load(tiny_model)
    images = [Image.new("L", (40, 28), 200)] * 2
    together = processor.batch(images, ["abc", "defgh"])
    alone = processor.batch(images[:1], ["x"])
    once = replace(together, views=alone.views)
    found, entropy = token_log_probabilities(network, once, temperature=0.5)
    logits = network(together).logits.float() / 0.5
    expected = logits.log_softmax(-1).gather(-1, together.labels.clamp(min=0)[..., None])[..., 0]
    real = together.labels >= 0
    torch.testing.assert_close(found[real], expected[real], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(
        entropy[real], torch.distributions.Categorical(logits=logits).entropy()[real], atol=1e-5, rtol=1e-5
    )


def test_a_loss_that_is_no_number_keeps_the_last_checkpoint(
    word_dataset: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy_loss, calls = grpo.policy_loss, []

    def spoiled(*args: Any) -> Any:
        calls.append(1)
        loss, figures = policy_loss(*args)
        return loss * (float("nan") if len(calls) == 3 else 1.0), figures

    monkeypatch.setattr(grpo, "policy_loss", spoiled)
    with pytest.raises(WorkError, match=r"step 1: loss nan.*step-00000001"):
        train_grpo(recipe(tiny_model, evaluation_rows=0), [word_dataset], tmp_path / "run")
    assert weights(tmp_path / "run")


SAMPLE = Sample(b"", "The quick brown fox", "text")


def test_a_reading_is_worth_its_reward_and_the_tests_it_passes() -> None:
    tests = ('{"type": "present", "text": "quick brown"}', '{"type": "absent", "text": "brown fox"}')
    checked = check("The quick brown fox", SAMPLE._replace(tests=tests))
    assert checked.parts["tests"] == 0.5
    assert check("The quick brown fox", SAMPLE).reward == 1.0
    assert checked.reward == pytest.approx(score("The quick brown fox", SAMPLE.text, "text", tests=0.5).value)


def test_a_truth_that_cannot_be_scored_against_gives_no_reward() -> None:
    checked = check("x", Sample(b"", " ", "text"))
    assert checked.reward is None and "truth" in checked.trouble
