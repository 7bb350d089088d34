"""Labels that may be wrong, for a person to look at: ``review.jsonl``, and a page with the pictures.

files = write_review([Suspect(path, row, observation, "confident", "reads otherwise ...")], "demo")
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofpress.flows.report import MAX_TEXT, environment, picture
from proofpress.model.mining import Observation
from proofpress.pages.record import PageRecord, to_json
from proofpress.pages.shards import read_rows

SHOWN = 200  # pictures of the page; review.jsonl has all
JSONL, PAGE = "review.jsonl", "review.html"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A record whose label may be wrong, where it lies, and why that is thought."""

    path: Path
    row: int
    what: Observation
    reason: str
    evidence: str


def write_review(suspects: Sequence[Suspect], name: str) -> dict[str, str]:
    """The two files by name. Suspects known to be wrong come first, then those with the least likely labels."""
    ranked = sorted(suspects, key=lambda one: (one.reason != "known", one.what.likelihood or 0.0, one.what.id))
    labels, records = _texts(ranked), _records(ranked[:SHOWN])
    lines = [
        {
            "id": one.what.id,
            "shard": f"data/{one.path.name}",
            "row": one.row,
            "task": one.what.task,
            "reason": one.reason,
            "evidence": one.evidence,
            "reward": one.what.reward,
            "likelihood": one.what.likelihood,
            "confidence": one.what.confidence,
            "label": labels[one.what.id],
            "reading": one.what.reading,
        }
        for one in ranked
    ]
    shown = [(one, records[one.what.id], picture(records[one.what.id].image)) for one in ranked[:SHOWN]]
    page = environment().get_template("review.html.j2").render(name=name, shown=shown, total=len(ranked), most=MAX_TEXT)
    return {JSONL: "".join(to_json(line) + "\n" for line in lines), PAGE: page}


def _texts(suspects: Sequence[Suspect]) -> dict[str, str]:
    return {record.id: record.text for record in _read(suspects)}


def _records(suspects: Sequence[Suspect]) -> dict[str, PageRecord]:
    return {record.id: record for record in _read(suspects)}


def _read(suspects: Sequence[Suspect]) -> Iterator[PageRecord]:
    rows: dict[Path, list[int]] = {}
    for one in suspects:
        rows.setdefault(one.path, []).append(one.row)
    for path, wanted in rows.items():
        yield from read_rows(path, wanted)
