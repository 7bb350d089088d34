"""A run and its folder: what every trainer needs around its loop.

    with settled(recipe):
        run = Run(recipe, out, objective, network, processor, held_out, team, report, curriculum)
        run.restore(last_checkpoint(out / "checkpoints"))

The folder: ``recipe.json``, ``run.json`` (versions, data), ``log.jsonl`` (a line of figures every few steps) and
TensorBoard events, ``checkpoints/`` (the newest), ``model/`` (what ``Reader.load`` opens, with its card, renewed with
every checkpoint), ``best/`` (the model whose held-out reward was highest), ``summary.json``. Killed at any point, a run
goes on from the last checkpoint; on SIGTERM it writes one first.
"""

import ctypes
import hashlib
import json
import os
import platform
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.train.card import card
from proofpress.model.train.checkpoints import last_checkpoint, read_checkpoint, snapshot, write_checkpoint
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.evaluation import evaluate
from proofpress.model.train.log import RunLog
from proofpress.model.train.loop import Progress
from proofpress.model.train.muon import build_optimizers
from proofpress.model.train.parallel import Team, whole
from proofpress.model.train.recipe import RunRecipe
from proofpress.model.train.schedule import Curriculum
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import MANIFEST, write_whole

# Fields that decide what the saved moments and numbers mean; all others may change when a run goes on.
FIXED = ("init", "seed", "optimizer")

# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4

#: Kernels of oneDNN that a run keeps.
KERNELS = 1 << 11

Report = Callable[[dict[str, Any]], None]


def prepare_folder(recipe: RunRecipe, datasets: Sequence[Path], out: Path, resume: bool) -> None:
    """Check all that can be checked at once, and write down what the run is; ``RequestError`` naming what is wrong."""
    if last_checkpoint(out / "checkpoints"):
        if not resume:
            raise RequestError(f"{out}: holds a run already; go on with --resume, or choose another folder")
        _check_continuation(recipe, out / "recipe.json")
    _check_device(recipe.device)
    _check_folder(out)
    write_whole(out / "recipe.json", recipe.model_dump_json(indent=1).encode() + b"\n")
    write_whole(out / "run.json", json.dumps(description(datasets), indent=1).encode() + b"\n")


def description(datasets: Sequence[Path]) -> dict[str, Any]:
    """What a run was made with, apart from its recipe: ``versions``, and of each dataset its name and manifest."""
    packages = ("proofpress", "torch", "numpy", "pillow", "safetensors", "tokenizers")
    data = []
    for folder in datasets:
        manifest = folder / MANIFEST
        known = {"manifest": hashlib.sha256(manifest.read_bytes()).hexdigest()} if manifest.is_file() else {}
        data.append({"name": folder.name, "files": len(list(folder.glob("data/*.parquet"))), **known})
    versions = {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}}
    return {"versions": versions, "data": data}


@contextmanager
def settled(recipe: RunRecipe) -> Iterator[None]:
    """Within it torch has the recipe's threads and seed, and what a step gives back or builds stays in memory."""
    threads = torch.get_num_threads()
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    keep_memory()
    keep_kernels()
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def keep_memory() -> None:
    """Have the C library keep freed memory instead of returning it to the system, where it is GNU's.

    Every step asks for the same large blocks again: having them mapped and cleared each time takes a tenth of a step.
    """
    if platform.libc_ver()[0] == "glibc":
        tune = ctypes.CDLL(None).mallopt
        tune(M_MMAP_MAX, 0)
        tune(M_TRIM_THRESHOLD, 2**31 - 1)


def keep_kernels() -> None:
    """Have oneDNN keep the kernels it builds for each shape, unless it has been told how many.

    It keeps 1,024, and the shapes of a run's buckets need several times that: building them again takes a quarter of a
    step and more. It asks once, at its first kernel; each holds nearly a megabyte.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(KERNELS))


def starting_point(recipe: RunRecipe) -> tuple[JinaOCR, Processor]:
    """The network (float32, on the recipe's device) and its processor that training starts from."""
    if recipe.init == "scratch":
        config = named("nano")
        return JinaOCR(config).to(recipe.device), Processor(config, nano_tokenizer())
    network, processor = checkpoint.load(recipe.init, device=recipe.device, dtype=torch.float32)
    if network.config.draft_heads:
        # It is taught last and by its own trainer; other objectives do not pass through it.
        network.mtp_module.requires_grad_(False)
    return network.to(recipe.device), processor


@contextmanager
def stop_signal() -> Iterator[Callable[[], bool]]:
    """Within it SIGTERM only makes the yielded function true. Signals reach a process's main thread alone."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    previous = signal.signal(signal.SIGTERM, lambda *_: asked.set())
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGTERM, previous)


class Run:
    """What the loop trains, how far it is, and where all of it is written. Only a team's leader writes and reports.

    before: figures of the start weights, empty where there were none. best: the highest held-out reward so far.
    """

    def __init__(
        self,
        recipe: RunRecipe,
        out: Path,
        objective: nn.Module,
        network: JinaOCR,
        processor: Processor,
        held_out: TrainingRows,
        team: Team,
        report: Report,
        curriculum: Curriculum,
    ) -> None:
        self.recipe, self.out, self.objective, self.network = recipe, out, objective, network
        self.processor, self.held_out, self.team, self.report = processor, held_out, team, report
        self.before: dict[str, Any] = {}
        self.best: float | None = None
        self.progress = Progress(curriculum)
        freeze(network, recipe.freeze)
        self.optimizers = build_optimizers(
            objective.named_parameters(), recipe.optimizer, recipe.learning_rate, recipe.weight_decay, team
        )
        if team.leads:
            self.lines = RunLog(out, recipe.tensorboard, recipe.trackers)

    def begin(self) -> None:
        """Go on from the last checkpoint; where there is none, read the held-out rows with weights worth it."""
        if last := last_checkpoint(self.out / "checkpoints"):
            self.restore(last)
        elif self.recipe.init != "scratch":
            self.before = self.evaluate()

    def log(self, line: dict[str, Any]) -> None:
        """Write one line of the log and report it."""
        if self.team.leads:
            self.lines.write(line)
            self.report(line)

    def save(self) -> None:
        """Write a checkpoint, and the weights as a model folder."""
        tensors, network = snapshot(self.objective, self.optimizers), self._whole_network()
        if self.team.leads:
            state = {**self.progress.state(), "before": self.before, "best": self.best}
            write_checkpoint(self.out / "checkpoints", self.progress.step, tensors, state, self.recipe.keep)
            self._write_model("model", network, {})

    def saved(self) -> str:
        """The last good checkpoint, for a message."""
        return str(last_checkpoint(self.out / "checkpoints") or "none")

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint."""
        state = read_checkpoint(path, self.objective, self.optimizers)
        try:
            self.before, self.best = state["before"], state.get("best")
            self.progress.restore(state)
        except (KeyError, TypeError) as error:
            raise WorkError(
                f"{path / 'state.json'}: not the state of such a run ({error!r}); delete the folder to go on from the "
                f"checkpoint before"
            ) from error
        if self.team.leads:
            self.lines.take_back(self.progress.step)

    def evaluate(self) -> dict[str, Any]:
        """Read the held-out rows, log the figures and keep the model if it is the best."""
        if not self.recipe.evaluation_rows:
            return {}
        network = self._whole_network()
        if not self.team.leads:
            return {}
        figures = evaluate(network, self.processor, self.held_out, self.recipe)
        self.log({"step": self.progress.step, "held_out": figures})
        reward = figures.get("reward")
        if reward is not None and (self.best is None or reward > self.best):
            self.best = reward
            self._write_model("best", network, figures)
        return figures

    def summary(self, rows: TrainingRows) -> dict[str, Any]:
        """Write and return what the run has come to; a run that was stopped early is not read again."""
        finished = self.progress.share(self.recipe) >= 1
        summary: dict[str, Any] = {
            "finished": finished,
            "steps": self.progress.step,
            "seconds": self.progress.seconds,
            "characters": self.progress.characters,
            "losses": self.progress.curriculum.losses,
            "before": self.before,
            "after": self.evaluate() if finished else {},
            "rows": len(rows),
            "refused": dict(rows.refused),
            "model": str(self.out / "model"),
        }
        network = self._whole_network()
        if self.team.leads:
            if finished:
                self._write_model("model", network, summary["after"])
            write_whole(self.out / "summary.json", json.dumps(summary, indent=1).encode() + b"\n")
        return summary

    def _whole_network(self) -> JinaOCR:
        """The network as the leader can use it alone: a copy where it is shared out, for which every process asks."""
        if not isinstance(self.objective, FSDPModule):
            return self.network
        with torch.device("meta"):
            copy = JinaOCR(self.network.config)
        copy.to_empty(device=self.recipe.device)
        with torch.no_grad():
            for own, shared in (
                (copy.parameters(), self.network.parameters()),
                (copy.buffers(), self.network.buffers()),
            ):
                for tensor, share in zip(own, shared, strict=True):
                    tensor.copy_(whole(share))
        return copy

    def _write_model(self, name: str, network: JinaOCR, figures: dict[str, Any]) -> None:
        checkpoint.save(network, self.processor.tokenizer, self.out / name)
        text = card(network, self.recipe, self.progress.step, self.progress.characters, self.before, figures)
        write_whole(self.out / name / "README.md", text.encode())


def _check_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch without CUDA only asserts
        raise RequestError(f"device: {device}: cannot be used: {str(error).splitlines()[0]}") from error


def _check_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise RequestError(f"{out}: cannot be made: a file stands there; choose another folder") from error


def freeze(network: nn.Module, patterns: Sequence[str]) -> None:
    """Take the parameters whose name a pattern is found in out of training; ``RequestError`` where one finds none."""
    for pattern in patterns:
        found = [parameter for name, parameter in network.named_parameters() if re.search(pattern, name)]
        if not found:
            some = next(name for name, _ in network.named_parameters() if name.startswith("model.layers."))
            raise RequestError(f"freeze: {pattern!r} is found in no parameter's name, such as {some}")
        for parameter in found:
            parameter.requires_grad_(False)


def _check_continuation(recipe: RunRecipe, path: Path) -> None:
    try:
        began = {name: json.loads(path.read_bytes())[name] for name in FIXED}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RequestError(
            f"{path}: not the recipe that a run began with ({error!r}); choose another folder"
        ) from error
    now = recipe.model_dump(mode="json")
    for name in FIXED:
        if began[name] != now[name]:
            raise RequestError(f"{name}: {now[name]} is not what the run in {path.parent} began with: {began[name]}")
