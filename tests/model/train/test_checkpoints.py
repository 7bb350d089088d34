"""Checkpoints of a run."""

from pathlib import Path

import pytest
import torch
from torch import nn

from proofpress.model.train.checkpoints import checkpoints, last_checkpoint, read_checkpoint, snapshot, write_checkpoint
from proofpress.model.train.muon import build_optimizers
from proofpress.pages.errors import WorkError


class Trained:
    """A linear map with its optimizers, some steps on."""

    def __init__(self, steps: int, kind: str = "muon", width: int = 4) -> None:
        torch.manual_seed(0)
        self.network = nn.Linear(width, width)
        self.optimizers = build_optimizers(self.network.named_parameters(), kind, 1e-2, 0.01)
        self.take(steps)

    def take(self, steps: int) -> None:
        for _ in range(steps):
            self.network(torch.randn(3, self.network.in_features)).square().sum().backward()
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad()


@pytest.mark.parametrize("kind", ["muon", "adamw"])
def test_training_goes_on_from_a_checkpoint_bit_for_bit(tmp_path: Path, kind: str) -> None:
    whole = Trained(3, kind)
    path = write_checkpoint(tmp_path, 3, snapshot(whole.network, whole.optimizers), {"level": 2})
    whole.take(3)
    resumed = Trained(0, kind)
    assert read_checkpoint(path, resumed.network, resumed.optimizers) == {"step": 3, "level": 2}
    resumed.take(3)
    for there, here in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(there, here)


def test_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    trained = Trained(0)
    for step in (5, 10, 100):
        write_checkpoint(tmp_path, step, snapshot(trained.network, trained.optimizers), {}, keep=2)
    assert [path.name for path in checkpoints(tmp_path)] == ["step-00000010", "step-00000100"]
    assert last_checkpoint(tmp_path) == tmp_path / "step-00000100"


def test_a_write_that_was_killed_is_no_checkpoint(tmp_path: Path) -> None:
    trained = Trained(1)
    (tmp_path / ".step-00000005").mkdir()
    (tmp_path / ".step-00000005/tensors.safetensors").write_bytes(b"half")
    assert last_checkpoint(tmp_path) is None
    path = write_checkpoint(tmp_path, 5, snapshot(trained.network, trained.optimizers), {})
    assert read_checkpoint(path, trained.network, trained.optimizers) == {"step": 5}


@pytest.mark.parametrize("file", ["tensors.safetensors", "state.json"])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, file: str) -> None:
    trained = Trained(1)
    path = write_checkpoint(tmp_path, 5, snapshot(trained.network, trained.optimizers), {})
    (path / file).write_bytes((path / file).read_bytes()[:-9])
    with pytest.raises(WorkError, match="step-00000005: damaged checkpoint"):
        read_checkpoint(path, trained.network, trained.optimizers)


@pytest.mark.parametrize("text", ["{}", "[]", '{"step": "5"}'])
def test_a_state_without_a_step_is_a_damaged_checkpoint(tmp_path: Path, text: str) -> None:
    trained = Trained(1)
    path = write_checkpoint(tmp_path, 5, snapshot(trained.network, trained.optimizers), {})
    (path / "state.json").write_text(text)
    with pytest.raises(WorkError, match=r"step-00000005: damaged checkpoint .*no step"):
        read_checkpoint(path, trained.network, trained.optimizers)


@pytest.mark.parametrize("other", [{"width": 5}, {"kind": "adamw", "width": 3}])
def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path, other: dict[str, int]) -> None:
    trained, another = Trained(1), Trained(0, **other)  # type: ignore[arg-type]
    path = write_checkpoint(tmp_path, 5, snapshot(trained.network, trained.optimizers), {})
    with pytest.raises(WorkError, match="another network"):
        read_checkpoint(path, another.network, another.optimizers)
