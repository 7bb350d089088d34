"""Checkpoints of a run: weights, optimizers, random state and step, whole or not there at all.

A checkpoint is a folder ``step-00000500`` of two files, ``tensors.safetensors`` (float32 weights, the optimizers'
moments by parameter name, torch's random state) and ``state.json``. It is written under a temporary name, synced and
renamed, so a kill at any point leaves the older one. Nothing in it is ever executed on loading.

    write_checkpoint(out / "checkpoints", step, snapshot(network, optimizers), {"level": 2})
    state = read_checkpoint(last_checkpoint(out / "checkpoints"), network, optimizers)
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from proofpress.model.train.parallel import share_as, whole
from proofpress.pages.errors import WorkError


def snapshot(network: nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> dict[str, Tensor]:
    """All tensors of a checkpoint, whole; where they are shared out over processes, every one of them has to ask."""
    named = list(network.named_parameters())
    tensors = {f"weight/{name}": parameter.detach() for name, parameter in named}
    for optimizer in optimizers:
        for name, parameter in named:
            for moment, tensor in optimizer.state.get(parameter, {}).items():
                tensors[f"moment/{name}/{moment}"] = tensor
    tensors["random"] = torch.get_rng_state()
    return {key: whole(tensor).contiguous() for key, tensor in tensors.items()}


def write_checkpoint(folder: Path, step: int, tensors: dict[str, Tensor], state: dict[str, Any], keep: int = 2) -> Path:
    """Write the checkpoint of ``step`` where there is none and delete all but the newest ``keep``; its path.

    tensors: of ``snapshot``. state: JSON values.
    """
    path = folder / f"step-{step:08d}"
    if path.exists():
        return path
    draft = folder / f".{path.name}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    save_file(tensors, draft / "tensors.safetensors")
    (draft / "state.json").write_text(json.dumps({"step": step, **state}, indent=1), encoding="utf-8")
    for file in draft.iterdir():
        _sync(file)
    draft.rename(path)
    _sync(folder)
    for old in checkpoints(folder)[:-keep]:
        shutil.rmtree(old)
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The whole checkpoints of a run, oldest first."""
    return sorted(folder.glob("step-*"))


def last_checkpoint(folder: Path) -> Path | None:
    """The newest whole checkpoint, or None."""
    return next(reversed(checkpoints(folder)), None)


def read_checkpoint(path: Path, network: nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> dict[str, Any]:
    """Put weights, moments and random state back in place; the saved state with its ``step``.

    Raises ``WorkError`` where a file is damaged or is of another network or optimizer.
    """
    try:
        saved = load_file(path / "tensors.safetensors")
        state: dict[str, Any] = json.loads((path / "state.json").read_text(encoding="utf-8"))
        _check_state(state)
        torch.set_rng_state(saved.pop("random"))
    except (OSError, SafetensorError, ValueError, KeyError) as error:
        raise WorkError(
            f"{path}: damaged checkpoint ({error}); delete the folder to go on from the one before"
        ) from error
    owner = {parameter: optimizer for optimizer in optimizers for parameter in _parameters(optimizer)}
    try:
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                parameter.copy_(share_as(saved.pop(f"weight/{name}").to(parameter.device), parameter))
        named = dict(network.named_parameters())
        for key, tensor in saved.items():
            _, name, moment = key.split("/")
            parameter = named[name]
            # AdamW keeps its step count on the CPU, whatever the device of the parameter.
            placed = share_as(tensor.to(parameter.device), parameter) if tensor.dim() else tensor
            owner[parameter].state[parameter][moment] = placed
    except (KeyError, RuntimeError) as error:
        raise WorkError(f"{path}: checkpoint of another network or optimizer ({error})") from error
    return state


def _check_state(state: Any) -> None:
    if not isinstance(state, dict) or not isinstance(state.get("step"), int):
        raise ValueError("state.json says no step")


def _parameters(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
