"""Supervised training from a dataset folder to a model folder."""

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.reader import Reader
from proofpress.model.train import supervised
from proofpress.model.train.recipe import Kind, SFTRecipe
from proofpress.model.train.sft import train_sft
from proofpress.pages.errors import RequestError, WorkError

WORDS = {"word": Kind(crops=["word"], one_line=True)}
RECIPE = SFTRecipe(
    init="scratch", steps=6, kinds=WORDS, levels=[{"mix": {"word": 1.0}}], batch_pixels=32 * 64 * 4, warmup_steps=2,
    optimizer="muon", learning_rate=2e-3, ctc=1.0, threads=1, log_every=1, evaluation_rows=2,
)  # fmt: skip


def weights(out: Path) -> dict[str, torch.Tensor]:
    (last,) = sorted((out / "checkpoints").glob("step-*"))[-1:]
    return load_file(last / "tensors.safetensors")


def steps(out: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    return [line for line in lines if "loss" in line]


def stop_after_three(line: dict[str, Any]) -> None:
    if line["step"] == 3 and "loss" in line:
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_stopped_and_resumed_run_equals_a_whole_one_bit_for_bit(
    word_dataset: Path, tmp_path: Path, optimizer: str
) -> None:
    recipe = RECIPE.model_copy(update={"optimizer": optimizer, "evaluation_rows": 0})
    train_sft(recipe, [word_dataset], tmp_path / "whole")
    stopped = train_sft(recipe, [word_dataset], tmp_path / "parts", progress=stop_after_three)
    assert (stopped["finished"], stopped["steps"]) == (False, 3)
    resumed = train_sft(recipe, [word_dataset], tmp_path / "parts", resume=True)
    assert (resumed["finished"], resumed["steps"]) == (True, 6)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_two_processes_equal_one_that_reads_as_much_in_two_parts(
    word_dataset: Path, tmp_path: Path, optimizer: str
) -> None:
    recipe = RECIPE.model_copy(
        update={"optimizer": optimizer, "evaluation_rows": 0, "steps": 3, "batch_pixels": 32 * 64 * 8}
    )
    alone = train_sft(recipe.model_copy(update={"accumulate": 2}), [word_dataset], tmp_path / "alone")
    together = train_sft(recipe.model_copy(update={"processes": 2}), [word_dataset], tmp_path / "together")
    assert alone["losses"] == together["losses"]
    assert all(torch.equal(weights(tmp_path / "alone")[n], w) for n, w in weights(tmp_path / "together").items())


def test_a_network_shared_out_over_two_processes_learns_what_a_whole_one_does(
    word_dataset: Path, tiny_model: Path, tmp_path: Path
) -> None:
    recipe = RECIPE.model_copy(
        update={"init": str(tiny_model), "processes": 2, "accumulate": 2, "optimizer": "adamw", "precision": "float32"}
    )
    shared = recipe.model_copy(update={"sharded": True, "evaluate_every": 3})
    train_sft(recipe, [word_dataset], tmp_path / "whole")
    stopped = train_sft(shared, [word_dataset], tmp_path / "shared", progress=stop_after_three)
    resumed = train_sft(shared, [word_dataset], tmp_path / "shared", resume=True)
    assert (stopped["steps"], resumed["steps"]) == (3, 6)
    assert resumed["after"]["kinds"]["word"]["rows"] == 2
    # Not the weights: where a gradient is nothing but noise, AdamW makes whole steps of it.
    for one, other in zip(steps(tmp_path / "whole"), steps(tmp_path / "shared"), strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-4)
        assert one["gradient_norm"] == pytest.approx(other["gradient_norm"], rel=1e-3)
    for folder in ("model", "best"):
        assert Reader.load(str(tmp_path / "shared" / folder)).network.config.decoder.width == 32


@pytest.mark.parametrize("update", [{"accumulate": 8}, {"accumulate": 4, "processes": 2}])
def test_a_step_in_eight_parts_equals_a_step_in_one(word_dataset: Path, tmp_path: Path, update: dict[str, int]) -> None:
    recipe = RECIPE.model_copy(
        # The balance is of one pass, so it is not part of the equality.
        update={
            "optimizer": "adamw", "precision": "float32", "router_balance": 0.0, "learning_rate": 1e-4,
            "evaluation_rows": 0, "steps": 2, "batch_pixels": 32 * 64 * 8,
        }
    )  # fmt: skip
    lines: dict[str, list[dict[str, Any]]] = {"one": [], "eight": []}
    train_sft(recipe, [word_dataset], tmp_path / "one", progress=lines["one"].append)
    train_sft(recipe.model_copy(update=update), [word_dataset], tmp_path / "eight", progress=lines["eight"].append)
    for one, eight in zip(lines["one"][:2], lines["eight"][:2], strict=True):
        assert one["loss"] == pytest.approx(eight["loss"], rel=1e-6)
        assert one["gradient_norm"] == pytest.approx(eight["gradient_norm"], rel=1e-5)


@pytest.mark.slow
def test_a_stop_reaches_all_processes_and_is_saved(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(
        update={"init": str(tiny_model), "processes": 2, "evaluation_rows": 0, "tensorboard": False}
    )

    def stop_after_three(line: dict[str, Any]) -> None:
        if line["step"] == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    stopped = train_sft(recipe, [word_dataset], tmp_path / "run", progress=stop_after_three)
    assert (stopped["finished"], stopped["steps"]) == (False, 3)
    assert (tmp_path / "run/checkpoints/step-00000003").is_dir()


@pytest.mark.slow
def test_a_lost_process_is_told_and_the_checkpoint_is_whole(word_dataset: Path, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"processes": 2, "checkpoint_every": 2, "evaluation_rows": 0})

    def kill_the_follower(line: dict[str, Any]) -> None:
        if line["step"] == 3:
            (follower,) = multiprocessing.active_children()
            follower.kill()

    with pytest.raises(WorkError, match=r"a process of the run was lost .* go on with --resume"):
        train_sft(recipe, [word_dataset], tmp_path / "run", progress=kill_the_follower)
    assert train_sft(recipe, [word_dataset], tmp_path / "run", resume=True)["steps"] == 6


def test_loss_falls_and_the_model_folder_can_be_read_with(word_dataset: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    recipe = RECIPE.model_copy(update={"steps": 25, "log_every": 5})
    summary = train_sft(recipe, [word_dataset], tmp_path / "run", progress=lines.append)
    losses = [line["loss"] for line in lines if "loss" in line]
    assert losses[-1] < 0.6 * losses[0]
    assert summary["after"]["kinds"]["word"]["loss"] < losses[0]
    assert set(summary["after"]["tasks"]) == {"text"}
    assert summary == json.loads((tmp_path / "run/summary.json").read_text())
    assert [json.loads(line) for line in (tmp_path / "run/log.jsonl").read_text().splitlines()] == lines
    Reader.load(summary["model"])


def test_a_run_is_not_overwritten_and_not_mixed_with_another(word_dataset: Path, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"steps": 1, "evaluation_rows": 0})
    train_sft(recipe, [word_dataset], tmp_path / "run")
    with pytest.raises(RequestError, match="holds a run already; go on with --resume"):
        train_sft(recipe, [word_dataset], tmp_path / "run")
    with pytest.raises(RequestError, match=r"optimizer: adamw is not what the run in .* began with: muon"):
        train_sft(recipe.model_copy(update={"optimizer": "adamw"}), [word_dataset], tmp_path / "run", resume=True)


def test_a_loss_that_is_no_number_names_the_step_and_the_last_good_checkpoint(
    word_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = RECIPE.model_copy(update={"checkpoint_every": 2, "evaluation_rows": 0})
    cross_entropy, calls = supervised.functional.cross_entropy, []

    def spoiled(*args: torch.Tensor, **options: Any) -> torch.Tensor:
        calls.append(1)
        return cross_entropy(*args, **options) * (float("nan") if len(calls) == 4 else 1.0)

    monkeypatch.setattr(supervised.functional, "cross_entropy", spoiled)
    with pytest.raises(WorkError, match=r"step 3: loss nan.*last good checkpoint: .*step-00000002"):
        train_sft(recipe, [word_dataset], tmp_path / "run")


def test_a_killed_process_leaves_a_run_that_goes_on_bit_for_bit(
    word_dataset: Path, tiny_model: Path, tmp_path: Path
) -> None:
    recipe = RECIPE.model_copy(
        update={"init": str(tiny_model), "evaluation_rows": 0, "checkpoint_every": 1, "tensorboard": False}
    )
    train_sft(recipe, [word_dataset], tmp_path / "whole")
    arguments = [recipe.model_dump_json(), str(word_dataset), str(tmp_path / "parts")]
    killed = subprocess.run([sys.executable, "-c", TRAIN_AND_DIE, *arguments], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in (tmp_path / "parts/checkpoints").glob("step-*3")] == ["step-00000003"]
    # What a kill in the middle of a write leaves behind: half a draft of the next checkpoint.
    draft = tmp_path / "parts/checkpoints/.step-00000004"
    draft.mkdir()
    (draft / "tensors.safetensors").write_bytes(b"half")
    train_sft(recipe, [word_dataset], tmp_path / "parts", resume=True)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert whole.keys() == parts.keys() and all(torch.equal(whole[name], parts[name]) for name in whole)


TRAIN_AND_DIE = """
import os, signal, sys
from pathlib import Path
from proofpress.model.train.recipe import SFTRecipe
from proofpress.model.train.sft import train_sft

def die(line):
    if line["step"] == 4:
        os.kill(os.getpid(), signal.SIGKILL)

train_sft(SFTRecipe.model_validate_json(sys.argv[1]), [Path(sys.argv[2])], Path(sys.argv[3]), progress=die)
"""


def test_a_state_of_another_kind_is_told_and_the_checkpoint_before_can_be_gone_on_from(
    word_dataset: Path, tiny_model: Path, tmp_path: Path
) -> None:
    recipe = RECIPE.model_copy(
        update={"init": str(tiny_model), "evaluation_rows": 0, "checkpoint_every": 3, "tensorboard": False}
    )
    train_sft(recipe, [word_dataset], tmp_path / "run")
    last = tmp_path / "run/checkpoints/step-00000006"
    for text in ("{}", '{"step": 6}'):
        (last / "state.json").write_text(text)
        with pytest.raises(WorkError, match=r"step-00000006.*delete the folder"):
            train_sft(recipe, [word_dataset], tmp_path / "run", resume=True)
    shutil.rmtree(last)
    assert train_sft(recipe, [word_dataset], tmp_path / "run", resume=True)["steps"] == 6


def test_a_run_describes_itself_and_keeps_its_best_model(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"init": str(tiny_model), "evaluate_every": 3, "freeze": ["sam_model"]})
    train_sft(recipe, [word_dataset], tmp_path / "run")
    described = json.loads((tmp_path / "run/run.json").read_text())
    assert described["data"] == [{"name": "drawn", "files": 2}] and described["versions"]["torch"] == torch.__version__
    for name in ("model", "best"):
        Reader.load(str(tmp_path / "run" / name))
    card = (tmp_path / "run/model/README.md").read_text()
    assert "## After, on held-out rows" in card and "freeze:" in card
    assert any((tmp_path / "run/tensorboard").iterdir())
    before, after = (load_file(folder / "model.safetensors") for folder in (tiny_model, tmp_path / "run/model"))
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved and not any("sam_model" in name for name in moved)


def test_a_draft_head_stays_as_it_is(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    network, processor = checkpoint.load(tiny_model)
    network.add_draft_head()
    checkpoint.save(network, processor.tokenizer, tmp_path / "drafting")
    recipe = RECIPE.model_copy(update={"init": str(tmp_path / "drafting"), "steps": 2, "evaluation_rows": 0})
    train_sft(recipe, [word_dataset], tmp_path / "run")
    before, after = (load_file(tmp_path / name / "model.safetensors") for name in ("drafting", "run/model"))
    heads = [name for name in before if name.startswith("mtp_module.")]
    assert heads and all(torch.equal(before[name], after[name]) for name in heads)


def test_a_pattern_that_freezes_nothing_is_told(word_dataset: Path, tiny_model: Path, tmp_path: Path) -> None:
    recipe = RECIPE.model_copy(update={"init": str(tiny_model), "freeze": ["same_model"]})
    with pytest.raises(RequestError, match="freeze: 'same_model' is found in no parameter's name"):
        train_sft(recipe, [word_dataset], tmp_path / "run")


@pytest.mark.parametrize("device", ["toaster", "mtia:99"])
def test_a_device_that_is_not_there_is_named(word_dataset: Path, tmp_path: Path, device: str) -> None:
    with pytest.raises(RequestError, match=f"device: {device}: cannot be used"):
        train_sft(RECIPE.model_copy(update={"device": device}), [word_dataset], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_file_in_the_place_of_the_folder_is_named(word_dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(RequestError, match="run: cannot be made"):
        train_sft(RECIPE, [word_dataset], tmp_path / "run")
