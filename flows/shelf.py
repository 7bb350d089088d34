"""A dataset to leaf through: what each row is, from small columns; a whole row only when it is looked at.

shelf = Shelf.open(Path("out/demo"))
shelf.find({"task": "table", "kept": "rejects"})      # [17, 203 ...], places of rows
shelf.row(17)["text"]
"""

import contextlib
import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import read_manifest
from proofpress.pages.storage import Place, at, opened, patiently

Array = np.ndarray[Any, Any]

COLUMNS = ["id", "task", "split", "source.name", "features", "checks.list.element.reason", "scores.verdict"]
REJECT_COLUMNS = ["id", "stage", "reason", "source.name"]
GROUPS = 4  # row groups kept in memory: one looks at neighbours

#: What rows can be chosen by: fields of ``Entry``.
FILTERS = ("kept", "split", "task", "kind", "source", "reason", "verdict")


@dataclass(frozen=True, slots=True)
class Entry:
    """What one row is. kept: ``kept`` or ``rejects``. kind: of page or crop. reason: of checks, or of a reject."""

    shard: str
    row: int
    id: str
    kept: str
    split: str
    task: str
    kind: str
    source: str
    reason: tuple[str, ...]
    verdict: str


class Shelf:
    """The rows of a complete dataset, kept ones first. Safe to use from several threads."""

    def __init__(self, folder: Place, manifest: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        self.folder, self.manifest, self.entries = folder, manifest, entries
        self._places = _places_by_value(entries)
        self._groups: OrderedDict[tuple[str, int], pa.Table] = OrderedDict()
        self._lock = Lock()

    @classmethod
    def open(cls, folder: Place) -> "Shelf":
        """Look through a dataset, at a path or a URL. Raises ``RequestError`` where there is none."""
        manifest = read_manifest(folder)
        kept = sorted(name for name in manifest["files"] if name.startswith("data/"))
        rejects = sorted(name for name in manifest["files"] if name.startswith("rejects/"))
        entries = [entry for name in kept for entry in _records(folder, name)]
        entries += [entry for name in rejects for entry in _rejects(folder, name)]
        return cls(folder, manifest, entries)

    def find(self, wanted: Mapping[str, str]) -> list[int]:
        """Places of the rows that are all that is wanted, by the names in ``FILTERS``; an empty value asks nothing."""
        asked = {name: value for name, value in wanted.items() if value}
        if unknown := asked.keys() - set(FILTERS):
            raise RequestError(f"{min(unknown)}: rows are not chosen by it; choose by {', '.join(FILTERS)}")
        places = [self._places[name].get(value, np.empty(0, np.int64)) for name, value in asked.items()]
        if not places:
            return list(range(len(self.entries)))
        return reduce(partial(np.intersect1d, assume_unique=True), places).tolist()

    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """The values of each filter that some row has, the most frequent first, with their rows."""
        counts = {name: {value: len(places) for value, places in self._places[name].items()} for name in FILTERS}
        return {name: sorted(found.items(), key=lambda one: (-one[1], one[0])) for name, found in counts.items()}

    def row(self, place: int) -> dict[str, Any]:
        """A whole row, as it stands in its shard. Raises ``IndexError`` where there is no such row."""
        if not 0 <= place < len(self.entries):
            raise IndexError(f"there is no row {place}")
        entry = self.entries[place]
        with self._lock, _parquet(at(self.folder, entry.shard)) as file:
            before = 0
            for group in range(file.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if entry.row < before + rows:
                    return self._group(file, entry.shard, group).slice(entry.row - before, 1).to_pylist()[0]
                before += rows
        raise WorkError(f"{at(self.folder, entry.shard)}: has no row {entry.row} any more; open the dataset again")

    def _group(self, file: pq.ParquetFile, shard: str, group: int) -> pa.Table:
        if (shard, group) not in self._groups:
            read = partial(file.read_row_group, group)
            self._groups[shard, group] = patiently(at(self.folder, shard), read)
            while len(self._groups) > GROUPS:
                self._groups.popitem(last=False)
        return self._groups[shard, group]


def _places_by_value(entries: Sequence[Entry]) -> dict[str, dict[str, Array]]:
    """Of each filter and value the rows that have it, ascending; an empty value is none."""
    found: dict[str, dict[str, list[int]]] = {name: defaultdict(list) for name in FILTERS}
    for name, places in found.items():
        for place, entry in enumerate(entries):
            value = getattr(entry, name)
            for one in value if isinstance(value, tuple) else (value,):
                places[one].append(place)
        places.pop("", None)
    return {name: {value: np.array(rows) for value, rows in places.items()} for name, places in found.items()}


def _records(folder: Place, shard: str) -> Iterator[Entry]:
    for first, batch in _batches(folder, shard, COLUMNS):
        reasons = _reasons(batch["checks"])
        for row, facts in enumerate(batch.drop_columns(["checks"]).to_pylist()):
            features = json.loads(facts["features"])
            yield Entry(
                shard=shard,
                row=first + row,
                id=facts["id"],
                kept="kept",
                split=facts["split"],
                task=facts["task"],
                kind=str(features.get("kind") or features.get("crop") or ""),
                source=facts["source"]["name"],
                reason=reasons.get(row, ()),
                verdict=facts["scores"]["verdict"] if facts["scores"] else "",
            )


def _rejects(folder: Place, shard: str) -> Iterator[Entry]:
    split = shard.removeprefix("rejects/").partition("-")[0]
    for first, batch in _batches(folder, shard, REJECT_COLUMNS):
        for row, facts in enumerate(batch.to_pylist()):
            reason = (f"{facts['stage']}: {facts['reason']}",)
            yield Entry(shard, first + row, facts["id"], "rejects", split, "", "", facts["source"]["name"], reason, "")


def _reasons(checks: pa.ListArray) -> dict[int, tuple[str, ...]]:
    """The reasons that checks give, by row; most checks pass and give none, so only the others become objects."""
    codes = pc.struct_field(checks.flatten(), "reason")
    given = pc.not_equal(codes, "")
    found: dict[int, dict[str, None]] = {}
    rows = pc.list_parent_indices(checks).filter(given).to_pylist()
    for row, code in zip(rows, codes.filter(given).to_pylist(), strict=True):
        found.setdefault(row, {})[code] = None
    return {row: tuple(codes) for row, codes in found.items()}


def _batches(folder: Place, shard: str, columns: list[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
    with _parquet(at(folder, shard)) as file:
        first = 0
        for batch in file.iter_batches(columns=columns):
            yield first, batch
            first += batch.num_rows


@contextlib.contextmanager
def _parquet(place: Place) -> Iterator[pq.ParquetFile]:
    """A shard to read within; ``WorkError`` where it is damaged or gone."""
    try:
        with opened(place) as source, patiently(place, lambda: pq.ParquetFile(source)) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise WorkError(f"{place}: cannot be read as Parquet: {error}") from error
