"""Training of the multi-token head."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.processor import IGNORED
from proofpress.model.train.batches import Batches
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.loop import Whole
from proofpress.model.train.mtp import Drafting, train_mtp
from proofpress.model.train.recipe import MTPRecipe


def recipe(model: Path, **fields: Any) -> MTPRecipe:
    settings: dict[str, Any] = {
        "init": str(model), "steps": 4, "batch_pixels": 32 * 64 * 8, "learning_rate": 3e-3, "warmup_steps": 0,
        "precision": "float32", "threads": 1, "log_every": 1, "evaluation_rows": 2, "checkpoint_every": 1,
        "self_distilled": False, "tensorboard": False, "augment": 0.0,
    }  # fmt: skip
    return MTPRecipe(**{**settings, **fields})


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_file(sorted((out / "checkpoints").glob("step-*"))[-1] / "tensors.safetensors")


def test_only_the_head_is_trained_and_its_loss_falls(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    summary = train_mtp(recipe(tiny_model, steps=15), [word_dataset], tmp_path / "run", progress=lines.append)
    losses = [line["loss"] for line in lines if "loss" in line]
    assert losses[-1] < 0.8 * losses[0]
    before, _ = checkpoint.load(tiny_model)
    after, _ = checkpoint.load(summary["model"])
    assert after.config.draft_heads == 1
    for name, tensor in before.state_dict().items():
        assert torch.equal(after.state_dict()[name], tensor), name
    assert summary["after"]["drafts"]["same"] is True
    assert 1.0 <= summary["after"]["drafts"]["tokens_per_pass"] <= 4.0


def test_the_loss_is_the_weighted_cross_entropy_of_labels_rolled_to_the_left(
    word_dataset: Path, tiny_model: Path
) -> None:
    settings = recipe(tiny_model)
    network, processor = checkpoint.load(tiny_model)
    objective = Drafting(network, (0.5, 0.3, 0.2)).train()
    rows = TrainingRows([word_dataset], "train", settings, processor)
    with Batches(rows, settings, processor) as batches:
        (drawn,) = batches.take(0, {"all": 1.0})
    loss, figures = objective(drawn, Whole(objective.counts(drawn), 1, 0.0))
    batch, expected = drawn.batch, 0.0
    with torch.no_grad():
        embedded, _ = network.embed(batch)
        hidden, _ = network.model.think(embedded)
        logits = list(network.unroll(embedded, hidden, 3, start=batch.prompt_length - 1))
    for ahead, weight in enumerate((0.5, 0.3, 0.2), start=1):
        labels = batch.labels.roll(-ahead, 1)
        labels[:, -ahead:] = IGNORED
        expected += weight * functional.cross_entropy(logits[ahead - 1].flatten(0, 1), labels.flatten()).item()
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    assert 1.0 >= figures["accepted_1"] >= figures["accepted_2"] >= figures["accepted_3"] >= 0.0
    loss.backward()
    trained = {name for name, parameter in network.named_parameters() if parameter.grad is not None}
    assert trained == {name for name, _ in network.named_parameters() if name.startswith("mtp_module.")}


def test_the_networks_own_readings_are_taught(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    settings = recipe(tiny_model, self_distilled=True, distilled_rows=6, steps=1, max_label=64)
    run = tmp_path / "run"
    run.mkdir()
    # Random weights hardly ever end a reading, so what they read is written down here.
    readings = [{"row": row, "text": "zz" * (row + 1)} for row in range(4)]
    (run / "readings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in readings))
    summary = train_mtp(settings, [word_dataset], run)
    assert summary["characters"] % 2 == 0 and summary["characters"] <= 2 * (1 + 2 + 3 + 4)


def test_a_stopped_and_resumed_run_equals_a_whole_one_bit_for_bit(
    word_dataset: Path, tiny_model: Path, tmp_path: Path
) -> None:
    settings = recipe(tiny_model, evaluation_rows=0)

    class Killed(BaseException):
        pass

    def kill(line: dict[str, Any]) -> None:
        if line["step"] == 3:
            raise Killed

    train_mtp(settings, [word_dataset], tmp_path / "whole")
    with pytest.raises(Killed):
        train_mtp(settings, [word_dataset], tmp_path / "parts", progress=kill)
    train_mtp(settings, [word_dataset], tmp_path / "parts", resume=True)
    there, here = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert there.keys() == here.keys() and all(torch.equal(there[name], here[name]) for name in there)
    assert math.isfinite(sum(float(tensor.double().sum()) for tensor in there.values()))
