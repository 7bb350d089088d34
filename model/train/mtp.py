"""Training of the multi-token head on the frozen network (FastMTP, arXiv 2509.18362): drafts the network will accept.

    summary = train_mtp(recipe, [Path("data/crops")], Path("runs/mtp"))
    summary["after"]["drafts"]["tokens_per_pass"]

The head is unrolled over as many steps as it will draft, each step on its own outputs, with one set of weights. What it
is taught is by default what the network itself reads, for drafts are kept where the network would have said the same.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED, Processor
from proofpress.model.train.batches import Batches, Drawn
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.evaluation import held_out as held_out_rows
from proofpress.model.train.loop import Watch, Whole, train
from proofpress.model.train.parallel import Team, gathered
from proofpress.model.train.recipe import MTPRecipe, RunRecipe
from proofpress.model.train.run import Report, Run, prepare_folder, settled, starting_point, stop_signal
from proofpress.model.train.schedule import Curriculum
from proofpress.pages.shards import write_whole


class Drafting(nn.Module):
    """The network with its head, of which only the head is trained; see ``loop.Objective``.

    Figures: ``nats`` of the first drafted token, and of ``accepted_1`` ... the share of the places where the drafts up
    to this one are all right.
    """

    def __init__(self, network: JinaOCR, step_weights: Sequence[float]) -> None:
        super().__init__()
        if not network.config.draft_heads:
            network.add_draft_head()
        network.requires_grad_(False)
        network.mtp_module.requires_grad_(True)
        self.network, self._weights = network, step_weights

    def train(self, mode: bool = True) -> "Drafting":
        """The frozen network always computes as it does when it reads."""
        super().train(mode)
        self.network.model.eval()
        return self

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """Label tokens that are drafted 1, 2 ... tokens ahead; ``tokens`` are those of the first."""
        counts = {
            f"tokens_{ahead}": int((target != IGNORED).sum())
            for ahead, target in enumerate(self._targets(drawn.batch.labels), start=1)
        }
        return {"tokens": counts["tokens_1"], **counts}

    def forward(self, drawn: Drawn, whole: Whole) -> tuple[Tensor, dict[str, Tensor]]:
        batch = drawn.batch
        with torch.no_grad():
            embedded, _ = self.network.embed(batch)
            hidden, _ = self.network.model.think(embedded)
        loss = hidden.new_zeros((), dtype=torch.float32)
        figures: dict[str, Tensor] = {}
        right: Tensor | None = None
        steps = self.network.unroll(embedded, hidden, len(self._weights), start=batch.prompt_length - 1)
        for ahead, (logits, target) in enumerate(zip(steps, self._targets(batch.labels), strict=True), start=1):
            nats = functional.cross_entropy(
                logits.float().flatten(0, 1), target.flatten(), ignore_index=IGNORED, reduction="sum"
            )
            tokens = max(1, whole.counts[f"tokens_{ahead}"])
            loss = loss + self._weights[ahead - 1] * nats / tokens
            hit = (logits.argmax(-1) == target) & (target != IGNORED)
            right = hit if right is None else right & hit
            figures.setdefault("nats", nats)
            figures[f"accepted_{ahead}"] = right.sum() / tokens
        return loss, figures

    def _targets(self, labels: Tensor) -> Iterator[Tensor]:
        """For each step the labels it is to say: those of the decoder, one place further to the left each time."""
        for ahead in range(1, len(self._weights) + 1):
            yield functional.pad(labels[:, ahead:], (0, ahead), value=IGNORED)


def train_mtp(
    recipe: MTPRecipe, datasets: list[Path], out: Path, resume: bool = False, progress: Report | None = None
) -> dict[str, Any]:
    """Train the head as the recipe says; ``train_sft``'s summary, whose figures hold ``drafts`` too.

    ``drafts``: ``tokens_per_pass`` of held-out rows read with drafts, 1.0 without any; ``same``: whether the text is
    that of reading without, as it must be. Raises as ``train_sft`` does.
    """
    prepare_folder(recipe, datasets, out, resume)
    with gathered(recipe.processes, _train, (recipe, datasets, out), recipe.device) as team:
        return _train(team, recipe, datasets, out, progress)


def _train(
    team: Team, recipe: MTPRecipe, datasets: list[Path], out: Path, progress: Report | None = None
) -> dict[str, Any]:
    with settled(recipe):
        network, processor = starting_point(recipe)
        objective = Drafting(network, recipe.step_weights).to(recipe.device)
        rows = TrainingRows(datasets, "train", recipe, processor)
        held_out = TrainingRows(datasets, "validation", recipe, processor)
        if recipe.self_distilled:
            if team.leads:
                _write_readings(network, processor, rows, recipe, out / "readings.jsonl")
            team.total(0.0)  # the others wait
            rows = rows.relabelled(_read_readings(out / "readings.jsonl", processor), processor)
        run = _DraftRun(
            recipe, out, objective, network, processor, held_out, team, progress or (lambda _: None),
            Curriculum(recipe.levels),
        )  # fmt: skip
        run.begin()
        with Batches(rows, recipe, processor, team) as batches, stop_signal() as stopped:
            watch = Watch(log=run.log, save=run.save, evaluate=run.evaluate, stopped=stopped, saved=run.saved)
            train(objective, run.optimizers, batches, recipe, run.progress, watch, team)
        return run.summary(rows)


class _DraftRun(Run):
    """A run whose held-out figures are of drafts: what the network reads does not change."""

    def evaluate(self) -> dict[str, Any]:
        if not (self.team.leads and self.recipe.evaluation_rows):
            return {}
        figures = {"drafts": drafting_figures(self.network, self.processor, self.held_out, self.recipe)}
        self.log({"step": self.progress.step, "held_out": figures})
        return {**figures, "tasks": {}}


def drafting_figures(
    network: JinaOCR, processor: Processor, rows: TrainingRows, recipe: RunRecipe
) -> dict[str, float | bool]:
    """How far drafts carry on held-out rows: ``tokens_per_pass`` (those over prompts apart), ``same``, ``rows``."""
    numbers = sorted(row for _, chosen in held_out_rows(rows, recipe) for row in chosen)
    images = [sample.picture() for sample in rows.read(numbers)]
    assert isinstance(recipe, MTPRecipe)
    network.eval()
    limit = min(recipe.max_label, 512)
    drafts = len(recipe.step_weights)
    plain = dict(decode(network, processor, images, rows=recipe.rows, max_tokens=limit))
    drafted = dict(decode(network, processor, images, rows=recipe.rows, max_tokens=limit, drafts=drafts))
    passes = sum(one.steps - 1 for one in drafted.values())
    tokens = sum(len(one.chosen) - 1 for one in drafted.values())
    return {
        "tokens_per_pass": tokens / passes if passes else 1.0,
        "same": all(plain[i].chosen == drafted[i].chosen for i in plain),
        "rows": len(images),
    }


def _write_readings(network: JinaOCR, processor: Processor, rows: TrainingRows, recipe: MTPRecipe, path: Path) -> None:
    """Read the first rows of the kinds that are trained on and keep what was read to its end; a finished file stays."""
    if path.exists():
        return
    kinds = {kind for level in recipe.levels for kind in level.mix}
    numbers = sorted(int(row) for bucket in rows.buckets if bucket.key.kind in kinds for row in bucket.rows)
    chosen = numbers[: recipe.distilled_rows]
    images = [sample.picture() for sample in rows.read(chosen)]
    network.eval()
    found = decode(network, processor, images, rows=recipe.rows, max_tokens=recipe.max_label)
    # What runs on without an end or in a loop would teach just that.
    texts = {chosen[i]: processor.tokenizer.decode(one.ids) for i, one in found if one.finish == "eos" and one.ids}
    lines = (json.dumps({"row": row, "text": texts[row]}, ensure_ascii=False) + "\n" for row in sorted(texts))
    write_whole(path, "".join(lines).encode())


def _read_readings(path: Path, processor: Processor) -> dict[int, str]:
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {line["row"]: line["text"] for line in lines}
