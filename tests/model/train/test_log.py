"""The log of a run."""

import json
import sys
import types
from pathlib import Path

import pytest

from proofpress.model.train.log import RunLog
from proofpress.pages.errors import RequestError


def test_lines_after_a_step_are_taken_back(tmp_path: Path) -> None:
    log = RunLog(tmp_path, tensorboard=False)
    for step in (20, 40, 60):
        log.write({"step": step, "loss": 1.0})
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"step": 8')  # a full disk cut the write
    log.take_back(40)
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [20, 40]


def test_a_log_that_was_never_written_has_nothing_to_take_back(tmp_path: Path) -> None:
    RunLog(tmp_path, tensorboard=False).take_back(10)
    assert (tmp_path / "log.jsonl").read_text() == ""


def test_tensorboard_gets_every_number_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, float, int]] = []
    board = types.SimpleNamespace(add_scalar=lambda *scalar: written.append(scalar))
    module = types.ModuleType("torch.utils.tensorboard")
    monkeypatch.setattr(module, "SummaryWriter", lambda folder: board, raising=False)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    RunLog(tmp_path, tensorboard=True).write({"step": 5, "held_out": {"kinds": {"word": {"cer": 0.5}}}, "kind": "word"})
    assert written == [("step", 5, 5), ("held_out/kinds/word/cer", 0.5, 5)]


def test_a_missing_tensorboard_is_said_before_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(RequestError, match="pip install tensorboard"):
        RunLog(tmp_path, tensorboard=True)


def test_a_tracker_gets_every_number_and_a_missing_one_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[tuple[dict[str, float], int]] = []
    module = types.ModuleType("trackio")
    run = types.SimpleNamespace(log=lambda numbers, step: logged.append((numbers, step)))
    monkeypatch.setattr(module, "init", lambda project, name: run, raising=False)
    monkeypatch.setitem(sys.modules, "trackio", module)
    RunLog(tmp_path, tensorboard=False, trackers=["trackio"]).write({"step": 5, "rewards": {"table": 0.5}})
    assert logged == [({"step": 5, "rewards/table": 0.5}, 5)]
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(RequestError, match="trackers: wandb is not installed"):
        RunLog(tmp_path, tensorboard=False, trackers=["wandb"])
