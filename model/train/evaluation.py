"""How well a network reads rows it has not learned: the loss with the label given, and of its own reading the character
error rate and the reward. Kinds and tasks are counted apart, for a good mean can hide that tables are not read at all.

    figures = evaluate(network, processor, TrainingRows(folders, "validation", recipe, processor), recipe)
    figures["kinds"]["line"]["cer"]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from rapidfuzz.distance import Levenshtein

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.reader import Reader
from proofpress.model.train.checkers import check
from proofpress.model.train.data import BucketKey, TrainingRows
from proofpress.model.train.recipe import RunRecipe


@dataclass(frozen=True, slots=True)
class RowFigures:
    """One held-out row: characters of its label, edits between reading and label, nats of the label, and the reward.

    reward: None where the label cannot be scored against. parts: the reward's, such as ``teds`` of a table.
    """

    kind: str
    task: str
    characters: int
    edits: int
    nats: float
    reward: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)


def evaluate(network: JinaOCR, processor: Processor, rows: TrainingRows, recipe: RunRecipe) -> dict[str, Any]:
    """Figures of the first ``recipe.evaluation_rows`` rows of each kind, by kind and by task.

    Each is ``{"rows", "cer", "loss", "reward", "parts"}``: character error rate of greedy readings (edits per label
    character, which may exceed 1), teacher-forced loss in nats per character, mean reward and means of its parts.
    Beside them ``reward``: the mean over the tasks; None where there is nothing to score.
    """
    reader = Reader(network, processor)
    figures = [row for key, chosen in held_out(rows, recipe) for row in _read(reader, rows, key, chosen)]
    tasks = {task: _summary([r for r in figures if r.task == task]) for task in sorted({r.task for r in figures})}
    rewards = [found["reward"] for found in tasks.values() if found["reward"] is not None]
    return {
        "kinds": {kind: _summary([r for r in figures if r.kind == kind]) for kind in sorted({r.kind for r in figures})},
        "tasks": tasks,
        "reward": sum(rewards) / len(rewards) if rewards else None,
    }


def held_out(rows: TrainingRows, recipe: RunRecipe) -> Iterator[tuple[BucketKey, list[int]]]:
    """The rows that are read, bucket by bucket: of each kind the first in the datasets' own seeded order."""
    for kind in recipe.kinds:
        buckets = [bucket for bucket in rows.buckets if bucket.key.kind == kind]
        first = set(sorted(int(row) for bucket in buckets for row in bucket.rows)[: recipe.evaluation_rows])
        for bucket in buckets:
            chosen = [int(row) for row in bucket.rows if int(row) in first]
            if chosen:
                yield bucket.key, chosen


def _read(reader: Reader, rows: TrainingRows, key: BucketKey, chosen: list[int]) -> Iterator[RowFigures]:
    samples = rows.read(chosen)
    images = [sample.picture() for sample in samples]
    # A network that has learned nothing yet never ends: what is longer than its label is wrong anyway.
    readings = reader.read(images, max_tokens=key.length + 16)
    beliefs = reader.believe(images, [sample.text for sample in samples])
    for sample, reading, belief in zip(samples, readings, beliefs, strict=True):
        tokens = len(reader.processor.tokenizer.encode(sample.text)) + 1
        edits = Levenshtein.distance(reading.text, sample.text)
        scored = check(reading.text, sample)
        yield RowFigures(
            key.kind, sample.task, len(sample.text), edits, -belief.likelihood * tokens, scored.reward, scored.parts
        )  # fmt: skip


def _summary(figures: list[RowFigures]) -> dict[str, Any]:
    characters = sum(row.characters for row in figures)
    rewards = [row.reward for row in figures if row.reward is not None]
    parts = sorted({name for row in figures for name in row.parts})
    return {
        "rows": len(figures),
        "cer": sum(row.edits for row in figures) / characters,
        "loss": sum(row.nats for row in figures) / characters,
        "reward": mean(rewards) if rewards else None,
        "parts": {name: mean(row.parts[name] for row in figures if name in row.parts) for name in parts},
    }
