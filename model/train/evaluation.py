"""How well a network reads rows it has not learned: the loss with the label given, and the character error rate of its
own reading. Kinds and tasks are counted apart, for a good mean can hide that tables are not read at all.

    figures = evaluate(network, processor, TrainingRows(folders, "validation", recipe, processor), recipe)
    figures["kinds"]["line"]["cer"]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.reader import Reader
from proofpress.model.train.data import BucketKey, TrainingRows
from proofpress.model.train.recipe import RunRecipe
from proofpress.pages.image import open_image


@dataclass(frozen=True, slots=True)
class RowFigures:
    """One held-out row: characters of its label, edits between reading and label, nats of the label."""

    kind: str
    task: str
    characters: int
    edits: int
    nats: float


def evaluate(network: JinaOCR, processor: Processor, rows: TrainingRows, recipe: RunRecipe) -> dict[str, Any]:
    """Figures of the first ``recipe.evaluation_rows`` rows of each kind, by kind and by task.

    Each is ``{"rows", "cer", "loss"}``: character error rate of greedy readings (edits per label character, which may
    exceed 1) and teacher-forced loss in nats per character.
    """
    reader = Reader(network, processor)
    figures = [row for key, chosen in held_out(rows, recipe) for row in _read(reader, rows, key, chosen)]
    return {
        "kinds": {kind: _summary([r for r in figures if r.kind == kind]) for kind in sorted({r.kind for r in figures})},
        "tasks": {task: _summary([r for r in figures if r.task == task]) for task in sorted({r.task for r in figures})},
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
    images = [open_image(sample.image) for sample in samples]
    # A network that has learned nothing yet never ends: what is longer than its label is wrong anyway.
    readings = reader.read(images, max_tokens=key.length + 16)
    likelihoods = reader.likelihood(images, [sample.text for sample in samples])
    for sample, reading, likelihood in zip(samples, readings, likelihoods, strict=True):
        tokens = len(reader.processor.tokenizer.encode(sample.text)) + 1
        edits = Levenshtein.distance(reading.text, sample.text)
        yield RowFigures(key.kind, sample.task, len(sample.text), edits, -likelihood * tokens)


def _summary(figures: list[RowFigures]) -> dict[str, float]:
    characters = sum(row.characters for row in figures)
    return {
        "rows": len(figures),
        "cer": sum(row.edits for row in figures) / characters,
        "loss": sum(row.nats for row in figures) / characters,
    }
