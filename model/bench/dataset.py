"""A dataset's held-out records, read by a model and scored by the rewards of their tasks: the refresh loop's yardstick.

    result = evaluate(records, lambda record: predictions[record.id])
    result.scores["all"].value, result.tasks["table"].low

A record whose gold cannot be scored against is not in any mean, and is counted. The same records and predictions give
the same result, to the last digit.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from proofpress.model.bench.intervals import Mean, bootstrap, mean_of
from proofpress.model.rewards import GoldError, score
from proofpress.model.rewards.scoring import mean
from proofpress.model.rewards.unit_tests import parse_test, run
from proofpress.pages.record import PageRecord

DIGITS = 6


@dataclass(frozen=True, slots=True)
class RecordScore:
    """One record. kind: what it is of its task (a line, a paragraph, a whole page). value: its reward; None where the
    gold is wrong (status ``gold``). tests: the share of its unit tests that pass, strictly; None where it has none."""

    id: str
    task: str
    kind: str
    value: float | None
    parts: Mapping[str, float]
    status: str
    evidence: str
    tests: float | None


@dataclass(frozen=True, slots=True)
class DatasetResult:
    """All records, in the dataset's order, and their means.

    overall: the mean of the tasks' means, so that a task counts alike however many records it has, with its interval.
    """

    records: tuple[RecordScore, ...]
    overall: Mean | None
    tasks: Mapping[str, Mean]
    kinds: Mapping[str, Mean]
    tests: Mean | None
    unscored: int

    def to_json(self, records: bool = False) -> dict[str, Any]:
        """Plain values. records: each record too."""
        found: dict[str, Any] = {
            "overall": _mean_json(self.overall),
            "tasks": {name: _mean_json(value) for name, value in self.tasks.items()},
            "kinds": {name: _mean_json(value) for name, value in self.kinds.items()},
            "tests": _mean_json(self.tests),
            "unscored": self.unscored,
        }
        if records:
            found["records"] = [
                {
                    "id": one.id,
                    "task": one.task,
                    "kind": one.kind,
                    "value": one.value,
                    "parts": dict(one.parts),
                    "status": one.status,
                    "evidence": one.evidence,
                    "tests": one.tests,
                }
                for one in self.records
            ]
        return found


def evaluate(records: Iterable[PageRecord], prediction: Callable[[PageRecord], str]) -> DatasetResult:
    """Score what a model read from each record."""
    scored = tuple(_score(record, prediction(record)) for record in records)
    by_task: dict[str, list[float]] = {}
    by_kind: dict[str, list[float]] = {}
    for one in scored:
        if one.value is not None:
            by_task.setdefault(one.task, []).append(one.value)
            by_kind.setdefault(f"{one.task}/{one.kind}", []).append(one.value)
    overall = None
    if by_task:
        groups = [by_task[task] for task in sorted(by_task)]
        low, high = bootstrap(groups)
        overall = Mean(mean(map(mean, groups)), low, high, sum(map(len, groups)))
    tests = [one.tests for one in scored if one.tests is not None]
    return DatasetResult(
        records=scored,
        overall=overall,
        tasks={task: mean_of(by_task[task]) for task in sorted(by_task)},
        kinds={kind: mean_of(by_kind[kind]) for kind in sorted(by_kind)},
        tests=mean_of(tests) if tests else None,
        unscored=sum(one.value is None for one in scored),
    )


def kind_of(record: PageRecord) -> str:
    """What a record is of its task: what it was cut out as, else the kind of page it is."""
    return str(record.features.get("crop") or record.features.get("kind") or "whole")


def _score(record: PageRecord, prediction: str) -> RecordScore:
    kind = kind_of(record)
    tests = _passed(record, prediction)
    try:
        found = score(prediction, record.text, record.task)
    except GoldError as error:
        return RecordScore(record.id, record.task, kind, None, {}, "gold", str(error), tests)
    parts = {name: round(value, DIGITS) for name, value in found.parts.items()}
    return RecordScore(
        record.id, record.task, kind, round(found.value, DIGITS), parts, found.status, found.evidence, tests
    )


def _passed(record: PageRecord, prediction: str) -> float | None:
    verdicts = []
    for row in record.tests:
        try:
            result = run(parse_test(row), prediction, "strict")
        except GoldError:
            continue
        if result.status != "error":
            verdicts.append(result.value)
    return mean(verdicts) if verdicts else None


def _mean_json(value: Mean | None) -> dict[str, float] | None:
    if value is None:
        return None
    return {
        "value": round(value.value, DIGITS),
        "low": round(value.low, DIGITS),
        "high": round(value.high, DIGITS),
        "count": value.count,
    }
