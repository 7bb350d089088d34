"""How fast the SFT loop learns, beside transformers' Trainer on the same network, batches and optimizer in one run.

    python benchmarks/training.py [--steps 30] [--rounds 3] [--data DATASET]

Both get the very same prepared batches, in turns, and the figure is label tokens a second of processor time, which
other work on the machine disturbs least. Then our loop reads and decodes for itself, and says how long it waited.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED, Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.train.batches import Batches, Drawn
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.loop import Progress, Watch, train
from proofpress.model.train.muon import build_optimizers
from proofpress.model.train.recipe import Kind, Level, SFTRecipe
from proofpress.model.train.run import settled
from proofpress.model.train.schedule import Curriculum
from proofpress.model.train.supervised import Supervised
from proofpress.model.train.typeset import Typeset


def recipe_of(steps: int, from_data: bool) -> SFTRecipe:
    """Typeset lines, or all rows of a dataset."""
    kind = Kind() if from_data else Kind(typeset=Typeset(width=256))
    return SFTRecipe(
        init="scratch", steps=steps, kinds={"all": kind}, levels=[Level(mix={"all": 1.0})], batch_pixels=131_072,
        batch_tokens=4_096, min_scale=0.5, learning_rate=1e-4, weight_decay=0.0, warmup_steps=1, decay=0.0, threads=1,
        router_balance=0.0, checkpoint_every=10**9, log_every=10**9,
    )  # fmt: skip


class Prepared:
    """Batches that are there already."""

    def __init__(self, drawn: Sequence[list[Drawn]]) -> None:
        self._drawn = drawn

    def take(self, step: int, mix: object) -> list[Drawn]:
        """Those of a step."""
        return self._drawn[step % len(self._drawn)]


def fresh() -> tuple[JinaOCR, Processor]:
    """A network of the bundled size, the same each time."""
    torch.manual_seed(0)
    return JinaOCR(named("nano")), Processor(named("nano"), nano_tokenizer())


def ours(recipe: SFTRecipe, batches: Any) -> dict[str, float]:
    """Train with our loop; the seconds of processor and clock, and the share of the clock spent without data."""
    network, _ = fresh()
    aid = LineAid(1, 1, 0).requires_grad_(False)
    objective = Supervised(network, aid, recipe)
    optimizers = build_optimizers(network.named_parameters(), "adamw", recipe.learning_rate, 0.0)
    waited = _Waits(batches)
    watch = Watch(lambda _: None, lambda: None, lambda: None, lambda: False, lambda: "none")
    begun, wall = time.process_time(), time.perf_counter()
    train(objective, optimizers, waited, recipe, Progress(Curriculum(recipe.levels)), watch)  # type: ignore[arg-type]
    wall = time.perf_counter() - wall
    return {"cpu": time.process_time() - begun, "wall": wall, "waited": waited.seconds / wall}


class _Waits:
    """Batches, and how long they were waited for after the first."""

    def __init__(self, batches: Any) -> None:
        self._batches, self.seconds = batches, 0.0

    def take(self, step: int, mix: Any) -> list[Drawn]:
        begun = time.perf_counter()
        drawn = self._batches.take(step, mix)
        self.seconds += time.perf_counter() - begun if step else 0.0
        return drawn


class _ForTrainer(nn.Module):
    """The network as Trainer wants it: a dictionary with the loss."""

    def __init__(self, network: JinaOCR) -> None:
        super().__init__()
        self.network = network

    def forward(self, drawn: Drawn) -> dict[str, Tensor]:
        logits = self.network(drawn.batch).logits.float()
        labels = drawn.batch.labels.flatten()
        return {"loss": functional.cross_entropy(logits.flatten(0, 1), labels, ignore_index=IGNORED)}


def theirs(recipe: SFTRecipe, drawn: Sequence[list[Drawn]]) -> dict[str, float]:
    """Train with transformers' Trainer: the same precision, fused AdamW, clipping and constant rate."""
    from transformers import Trainer, TrainingArguments

    network, _ = fresh()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, max_steps=recipe.steps, per_device_train_batch_size=1, learning_rate=recipe.learning_rate,
            lr_scheduler_type="constant", max_grad_norm=recipe.clip, optim="adamw_torch_fused", adam_beta2=0.98,
            bf16=True, use_cpu=True, report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True,
            remove_unused_columns=False, label_names=[],
        )  # fmt: skip
        data = [one for (one,) in drawn] * (recipe.steps // len(drawn) + 1)
        trainer = Trainer(
            model=_ForTrainer(network),
            args=arguments,
            train_dataset=data,
            data_collator=lambda rows: {"drawn": rows[0]},
        )
        begun, wall = time.process_time(), time.perf_counter()
        trainer.train()
    return {"cpu": time.process_time() - begun, "wall": time.perf_counter() - wall}


def main() -> None:
    """Take turns, and say the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="a dataset folder; without one, lines are typeset")
    given = parser.parse_args()
    recipe = recipe_of(given.steps, given.data is not None)
    processor = fresh()[1]
    with settled(recipe), tempfile.TemporaryDirectory() as empty:
        Path(empty, "data").mkdir()
        rows = TrainingRows([given.data] if given.data else [], "train", recipe, processor)
        with Batches(rows, recipe, processor) as batches:
            drawn = [batches.take(step, {"all": 1.0}) for step in range(min(given.steps, 8))]
        tokens = sum(int((drawn[n % len(drawn)][0].batch.labels != IGNORED).sum()) for n in range(given.steps))
        runs: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
        timed: list[tuple[str, Callable[[], dict[str, float]]]] = [
            ("ours", lambda: ours(recipe, Prepared(drawn))),
            ("theirs", lambda: theirs(recipe, drawn)),
        ]
        for _ in range(given.rounds):
            for name, run in timed:
                runs[name].append(run())
        with Batches(rows, recipe, processor) as batches:
            alone = ours(recipe, batches)
    speed = {name: tokens / min(run["cpu"] for run in found) for name, found in runs.items()}
    print(f"our loop             {speed['ours']:7.0f} label tokens a second of processor time")
    print(f"transformers Trainer {speed['theirs']:7.0f}")
    print(f"ratio                {speed['ours'] / speed['theirs']:7.2f}")
    print(f"waiting for data     {alone['waited']:7.1%} of the time, reading and decoding for itself")


if __name__ == "__main__":
    main()
