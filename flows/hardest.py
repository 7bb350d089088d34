"""The rows of a dataset that its model found hardest, for its report; with what was read, where a mining knows it.

for row in hardest(Path("out/hard"), 6):
    print(row.record.scores, row.changes)
"""

import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofpress.flows.survey import Location, locations, read_row
from proofpress.flows.text_changes import Change, changes
from proofpress.pages.record import PageRecord

#: What a mining read of each record, in its folder.
OBSERVED = "observations.jsonl"


@dataclass(frozen=True, slots=True)
class HardRow:
    """A record, and what of its label was read otherwise; None where nobody wrote down what was read."""

    record: PageRecord
    changes: Sequence[Change] | None


def hardest(folder: Path, count: int) -> list[HardRow]:
    """Up to so many kept rows with the least reward; where none has one, with the least likely labels."""
    scored = [
        (row["scores"]["reward"], row["scores"]["likelihood"], row["id"], place)
        for place, row in locations(folder, "data", ["id", "scores.reward", "scores.likelihood"])
        if row["scores"]
    ]
    chosen = _least([(reward, identity, place) for reward, _, identity, place in scored], count)
    chosen = chosen or _least([(likelihood, identity, place) for _, likelihood, identity, place in scored], count)
    readings = _readings(folder, {identity for _, identity, _ in chosen})
    return [_row(place, readings.get(identity)) for _, identity, place in chosen]


def _least(rows: Sequence[tuple[float | None, str, Location]], count: int) -> list[tuple[float, str, Location]]:
    known = [(score, identity, place) for score, identity, place in rows if score is not None]
    return heapq.nsmallest(count, known, key=lambda row: row[:2])


def _row(place: Location, reading: str | None) -> HardRow:
    record = PageRecord.from_row(read_row(place))
    return HardRow(record, None if reading is None else changes(record.text, reading))


def _readings(folder: Path, wanted: set[str]) -> dict[str, str]:
    path = folder / OBSERVED
    if not wanted or not path.is_file():
        return {}
    with path.open(encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return {row["id"]: row["reading"] for row in rows if row["id"] in wanted}
