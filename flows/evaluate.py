"""Score a model, or what one has read, on a dataset's held-out records; and what every evaluation has in common.

    evaluate_dataset(Path("out/demo"), "validation", Subject(model="nano")).overall

A ``Subject`` is predictions that lie in a folder *or* a model that reads now. ``benchmarks`` has the public ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image

from proofpress.flows.page_readings import OnPage, StoredReadings, check_complete, with_model
from proofpress.model.bench import dataset
from proofpress.pages.errors import RequestError
from proofpress.pages.image import open_image
from proofpress.pages.record import PageRecord
from proofpress.pages.shards import read_manifest, read_records

DIGITS = 6

Picture = Callable[[], Image.Image]


@dataclass(frozen=True, slots=True)
class PageView:
    """One page of a report. score: strict, by which pages are ranked. fields: what its row of the table shows.

    compared: (what, gold, predicted) to show side by side. notes: what went wrong, in words.
    """

    name: str
    score: float | None
    fields: Mapping[str, float | None]
    picture: Picture | None
    compared: Sequence[tuple[str, str, str]]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured. summary: JSON values, the scores under ``scores``. pages: in the benchmark's order."""

    benchmark: str
    subject: str
    summary: Mapping[str, Any]
    pages: Sequence[PageView]


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is scored: stored predictions or a model, exactly one of them. out: where readings of a model are kept."""

    predictions: Path | None = None
    model: str | None = None
    out: Path | None = None
    allow_missing: bool = False
    progress: OnPage = lambda done, total: None

    def __post_init__(self) -> None:
        if (self.predictions is None) == (self.model is None):
            raise RequestError("evaluate: give --predictions DIR or --model M, one of them")

    @property
    def name(self) -> str:
        """What the scores are of."""
        return str(self.predictions) if self.model is None else self.model

    def readings(self, images: Mapping[str, Picture]) -> dict[str, str]:
        """The Markdown of each file name that there is; names without one are left out."""
        if self.model is not None:
            return with_model(images, self.model, self.out and self.out / "predictions", self.progress)
        assert self.predictions is not None
        stored = StoredReadings(self.predictions)
        missing = [name for name in images if not stored.has(name)]
        check_complete(missing, len(images), self.predictions, self.allow_missing)
        return {name: stored.read(name) for name in images.keys() - set(missing)}


def evaluate_dataset(path: Path, split: str, subject: Subject, limit: int | None = None) -> dataset.DatasetResult:
    """The rewards of a split of a dataset folder, by task and kind. limit: only so many records, the first.

    Predictions are ``<record's id>.md``. The same records, weights and limit give the same result.
    """
    records = _split(path, split, limit)
    readings = _readings(records, subject)
    return dataset.evaluate(records, lambda record: readings.get(_record_name(record), ""))


def dataset_evaluation(path: Path, split: str, subject: Subject, limit: int | None = None) -> Evaluation:
    """``evaluate_dataset`` with pages to look at."""
    records = _split(path, split, limit)
    readings = _readings(records, subject)
    result = dataset.evaluate(records, lambda record: readings.get(_record_name(record), ""))
    summary = {
        "benchmark": "dataset",
        "dataset": str(path),
        "split": split,
        "subject": subject.name,
        "pages": len(records),
        "unread": len(records) - len(readings),
        "scores": result.to_json(),
        "by_page": {one.id: {"value": one.value, "status": one.status} for one in result.records},
    }
    views = [
        PageView(
            name=f"{one.id} · {one.task} · {one.kind}",
            score=one.value,
            fields={"value": one.value, "tests": one.tests},
            picture=_record_image(record),
            compared=[(one.status, record.text, readings.get(_record_name(record), ""))],
            notes=[one.evidence] if one.evidence else [],
        )
        for record, one in zip(records, result.records, strict=True)
    ]
    return Evaluation(f"{path.name} ({split})", subject.name, summary, views)


def _readings(records: Sequence[PageRecord], subject: Subject) -> dict[str, str]:
    return subject.readings({_record_name(record): _record_image(record) for record in records})


def _split(path: Path, split: str, limit: int | None) -> list[PageRecord]:
    splits = read_manifest(path)["splits"]
    if not splits.get(split):
        raise RequestError(f"{path}: has no records in split {split!r}; it has {', '.join(sorted(splits)) or 'none'}")
    return list(islice(read_records(path, split), limit))


def _record_name(record: PageRecord) -> str:
    return f"{record.id}.md"


def _record_image(record: PageRecord) -> Picture:
    return lambda: open_image(record.image)
