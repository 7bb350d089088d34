"""What a dataset folder holds, counted from its small columns, and a few of its rows to look at.

survey(folder).tasks                # Counter({"page": 188, "formula": 420})
sample_records(folder, 12)          # some of each source and task; the same ones every time
"""

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofpress.pages.errors import WorkError
from proofpress.pages.record import PageRecord, Reject

SAMPLES = 10
REJECT_SAMPLES = 2  # of each reason

COLUMNS = ["task", "features", "language", "scores.likelihood", "scores.reward", "elements.list.element.type"]


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts over kept rows. features: name -> value -> rows. elements: type -> elements. scores: name -> values."""

    tasks: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    elements: Counter[str] = field(default_factory=Counter)
    features: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    scores: dict[str, list[float]] = field(default_factory=lambda: {"likelihood": [], "reward": []})


@dataclass(frozen=True, slots=True)
class Location:
    """Where a row stands."""

    path: Path
    row: int


def survey(folder: Path) -> Survey:
    """Count a dataset's kept rows without reading an image."""
    result = Survey()
    for path in _files(folder, "data"):
        with _open(path) as file:
            for batch in file.iter_batches(columns=COLUMNS):
                result.tasks.update(batch["task"].to_pylist())
                result.languages.update(language for language in batch["language"].to_pylist() if language)
                result.elements.update(pc.struct_field(batch["elements"].flatten(), "type").to_pylist())
                for features in batch["features"].to_pylist():
                    for name, value in json.loads(features).items():
                        result.features[name][value] += 1
                for scores in filter(None, batch["scores"].to_pylist()):
                    for name, value in scores.items():
                        if value is not None:
                            result.scores[name].append(value)
    return result


def sample_records(folder: Path, count: int) -> list[PageRecord]:
    """Up to so many records, turn by turn of each source and task; first ones, as rows stand in a shuffled order."""
    groups: dict[tuple[str, str], list[Location]] = defaultdict(list)
    for place, row in locations(folder, "data", ["task", "source.name"]):
        group = groups[row["source"]["name"], row["task"]]
        if len(group) < count:
            group.append(place)
    turns = [place for turn in range(count) for _, group in sorted(groups.items()) for place in group[turn : turn + 1]]
    return [PageRecord.from_row(read_row(place)) for place in turns[:count]]


def sample_rejects(folder: Path, count: int) -> dict[str, list[Reject]]:
    """Up to so many rejects for each "stage: reason"."""
    groups: dict[str, list[Location]] = defaultdict(list)
    for place, row in locations(folder, "rejects", ["stage", "reason"]):
        group = groups[f"{row['stage']}: {row['reason']}"]
        if len(group) < count:
            group.append(place)
    return {reason: [Reject.from_row(read_row(place)) for place in group] for reason, group in groups.items()}


def _files(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / kind).glob("*.parquet"))


@contextlib.contextmanager
def _open(path: Path) -> Iterator[pq.ParquetFile]:
    """A shard, to be read within. Raises ``WorkError`` where it is damaged."""
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise WorkError(f"{path}: cannot be read as Parquet: {error}") from error


def locations(folder: Path, kind: str, columns: list[str]) -> Iterator[tuple[Location, dict[str, Any]]]:
    """Some columns of each row of ``data`` or ``rejects``, and where the row stands."""
    for path in _files(folder, kind):
        with _open(path) as file:
            number = 0
            for batch in file.iter_batches(columns=columns):
                for row in batch.to_pylist():
                    yield Location(path, number), row
                    number += 1


def read_row(place: Location) -> dict[str, Any]:
    """One whole row: only its row group is read."""
    with _open(place.path) as file:
        before = 0
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if place.row < before + rows:
                return file.read_row_group(group).slice(place.row - before, 1).to_pylist()[0]
            before += rows
    raise IndexError(f"{place.path} has no row {place.row}")
