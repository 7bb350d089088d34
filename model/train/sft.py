"""Supervised training on dataset folders: from the bundled weights, a model folder or nothing, to a model folder.

The run lives in its folder: ``recipe.json``, ``log.jsonl`` (one line of figures every few steps), ``checkpoints/``
(the last two), ``model/`` (what ``Reader.load`` opens, renewed with every checkpoint), ``summary.json``. Killed at any
point, it goes on from the last checkpoint; on SIGTERM it writes one first.

    summary = train_sft(recipe, [Path("data/crops")], Path("runs/nano"), resume=True)
    summary["after"]["kinds"]["line"]["cer"]
"""

import ctypes
import json
import platform
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.train.batches import Batches
from proofpress.model.train.checkpoints import last_checkpoint, read_checkpoint, write_checkpoint
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.evaluation import evaluate
from proofpress.model.train.log import RunLog
from proofpress.model.train.loop import Progress, Watch, train
from proofpress.model.train.muon import build_optimizers
from proofpress.model.train.parallel import Team, gathered
from proofpress.model.train.recipe import RunRecipe, SFTRecipe
from proofpress.model.train.schedule import Curriculum
from proofpress.model.train.supervised import Supervised
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import write_whole

# Fields that decide what the saved moments and numbers mean; all others may change when a run goes on.
FIXED = ("init", "seed", "optimizer")

# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4

Report = Callable[[dict[str, Any]], None]


def train_sft(
    recipe: SFTRecipe, datasets: list[Path], out: Path, resume: bool = False, progress: Report | None = None
) -> dict[str, Any]:
    """Train as the recipe says; the summary that also stands in ``out/summary.json``.

    datasets: dataset folders, of which split ``train`` is learned and ``validation`` read before and after. resume: go
    on from the last checkpoint in ``out``, or start where there is none. progress: called with each line of the log.

    The summary: ``finished``, ``steps``, ``seconds``, ``characters``, ``losses`` (smoothed, by kind, in nats per
    character), ``before`` and ``after`` (figures of ``evaluate``; before is empty for ``scratch``), ``rows``,
    ``refused``, ``model`` (the folder's path).
    Raises ``RequestError`` for a wrong recipe, data or folder, ``WorkError`` when the loss is no longer a number or a
    process is lost.
    """
    prepare_folder(recipe, out, resume)
    with gathered(recipe.processes, _train, (recipe, datasets, out), recipe.device) as team:
        return _train(team, recipe, datasets, out, progress)


def _train(
    team: Team, recipe: SFTRecipe, datasets: list[Path], out: Path, progress: Report | None = None
) -> dict[str, Any]:
    with settled(recipe):
        network, processor = starting_point(recipe)
        rows = TrainingRows(datasets, "train", recipe, processor)
        held_out = TrainingRows(datasets, "validation", recipe, processor)
        run = Run(recipe, out, network, processor, held_out, team, progress or (lambda _: None))
        if last := last_checkpoint(out / "checkpoints"):
            run.restore(last)
        elif recipe.init != "scratch":
            run.before = run.evaluate()
        with Batches(rows, recipe, processor, team) as batches, stop_signal() as stopped:
            watch = Watch(log=run.log, save=run.save, evaluate=run.evaluate, stopped=stopped, saved=run.saved)
            train(run.objective, run.optimizers, batches, recipe, run.progress, watch, team)
        return run.summary(rows)


def prepare_folder(recipe: RunRecipe, out: Path, resume: bool) -> None:
    """Check all that can be checked at once, and write down the recipe; ``RequestError`` naming what is wrong."""
    if last_checkpoint(out / "checkpoints"):
        if not resume:
            raise RequestError(f"{out}: holds a run already; go on with --resume, or choose another folder")
        _check_continuation(recipe, out / "recipe.json")
    _check_device(recipe.device)
    _check_folder(out)
    write_whole(out / "recipe.json", recipe.model_dump_json(indent=1).encode() + b"\n")


@contextmanager
def settled(recipe: RunRecipe) -> Iterator[None]:
    """Within it torch has the recipe's threads and seed, and memory that a step gives back stays with the process."""
    threads = torch.get_num_threads()
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    keep_memory()
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


def starting_point(recipe: RunRecipe) -> tuple[JinaOCR, Processor]:
    """The network (float32, on the recipe's device) and its processor that training starts from."""
    if recipe.init == "scratch":
        config = named("nano")
        return JinaOCR(config).to(recipe.device), Processor(config, nano_tokenizer())
    return checkpoint.load(recipe.init, device=recipe.device, dtype=torch.float32)


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


@dataclass(slots=True)
class Run:
    """A run and its folder: what the loop trains, how far it is, and where all of it is written."""

    recipe: SFTRecipe
    out: Path
    network: JinaOCR
    processor: Processor
    held_out: TrainingRows
    team: Team
    report: Report
    before: dict[str, Any] = field(default_factory=dict)
    objective: Supervised = field(init=False)
    optimizers: list[torch.optim.Optimizer] = field(init=False)
    progress: Progress = field(init=False)
    lines: RunLog = field(init=False)

    def __post_init__(self) -> None:
        if self.team.leads:
            self.lines = RunLog(self.out, self.recipe.tensorboard, self.recipe.trackers)
        width, tokenizer = self.processor.config.decoder.width, self.processor.tokenizer
        aid = LineAid(width, len(tokenizer), tokenizer.pad_id).to(self.recipe.device)
        self.objective = Supervised(self.network, aid, self.recipe)
        freeze(self.network, self.recipe.freeze)
        self.optimizers = build_optimizers(
            self.objective.named_parameters(), self.recipe.optimizer, self.recipe.learning_rate,
            self.recipe.weight_decay, self.team,
        )  # fmt: skip
        self.progress = Progress(Curriculum(self.recipe.levels))

    def log(self, line: dict[str, Any]) -> None:
        """Write one line of the log and report it."""
        if self.team.leads:
            self.lines.write(line)
            self.report(line)

    def save(self) -> None:
        """Write a checkpoint, and the weights as a model folder."""
        if self.team.leads:
            state = {**self.progress.state(), "before": self.before}
            folder, step = self.out / "checkpoints", self.progress.step
            write_checkpoint(folder, step, self.objective, self.optimizers, state, self.recipe.keep)
            checkpoint.save(self.network, self.processor.tokenizer, self.out / "model")

    def saved(self) -> str:
        """The last good checkpoint, for a message."""
        return str(last_checkpoint(self.out / "checkpoints") or "none")

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint."""
        state = read_checkpoint(path, self.objective, self.optimizers)
        try:
            self.before = state["before"]
            self.progress.restore(state)
        except (KeyError, TypeError) as error:
            raise WorkError(
                f"{path / 'state.json'}: not the state of such a run ({error!r}); delete the folder to go on from the "
                f"checkpoint before"
            ) from error
        if self.team.leads:
            self.lines.take_back(self.progress.step)

    def evaluate(self) -> dict[str, Any]:
        """Read the held-out rows and log the figures; only the leader does."""
        if not self.team.leads:
            return {}
        figures = evaluate(self.network, self.processor, self.held_out, self.recipe)
        self.log({"step": self.progress.step, "held_out": figures})
        return figures

    def summary(self, rows: TrainingRows) -> dict[str, Any]:
        """Write and return what the run has come to; a run that was stopped early is not read again."""
        finished = self.progress.share(self.recipe) >= 1
        summary = {
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
        if self.team.leads:
            write_whole(self.out / "summary.json", json.dumps(summary, indent=1).encode() + b"\n")
        return summary


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
            raise RequestError(f"freeze: {pattern!r} is found in no parameter's name; see `proofpress model nano`")
        for parameter in found:
            parameter.requires_grad_(False)


def _check_continuation(recipe: RunRecipe, path: Path) -> None:
    began, now = json.loads(path.read_bytes()), recipe.model_dump(mode="json")
    for name in FIXED:
        if began[name] != now[name]:
            raise RequestError(f"{name}: {now[name]} is not what the run in {path.parent} began with: {began[name]}")
