"""What cleaning found in a dataset, for its report: what the rules did, what was a duplicate of what, what went where.

rules_of(folder)[0]                  # RuleUse("formula.label", "latex.label", "fixed", 57, ...)
duplicate_pairs(folder, 4)           # [(the record that stayed, the reject that is like it), ...]
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofpress.cleaners.duplicates.report import CLUSTERS
from proofpress.cleaners.licences import restriction
from proofpress.flows.survey import Location, locations, read_row
from proofpress.pages.record import Check, PageRecord, Reject

EXAMPLES = 2  # of each rule and reason
MAX_RULES = 60

RULE_COLUMNS = ["checks.list.element.rule", "checks.list.element.outcome", "checks.list.element.reason"]


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What one rule did to kept rows for one reason. examples: records with the check that says so."""

    rule: str
    reason: str
    outcome: str
    count: int
    examples: tuple[tuple[PageRecord, Check], ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """How many rows of a source went at a stage, by reason."""

    source: str
    stage: str
    count: int
    reasons: Mapping[str, int]


def rules_of(folder: Path) -> list[RuleUse]:
    """What the rules changed or noted in kept rows, the most frequent first; checks that merely passed are not told."""
    counts: Counter[tuple[str, str, str]] = Counter()
    places: dict[tuple[str, str, str], list[Location]] = defaultdict(list)
    for place, row in locations(folder, "data", RULE_COLUMNS):
        for key in {(c["rule"], c["reason"], c["outcome"]) for c in row["checks"] if _tells(c)}:
            counts[key] += 1
            if len(places[key]) < EXAMPLES:
                places[key].append(place)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:MAX_RULES]
    return [RuleUse(*key, count, tuple(_example(place, key) for place in places[key])) for key, count in ranked]


def licence_mix(folder: Path) -> list[tuple[str, str, dict[str, int]]]:
    """(licence, what it restricts, split -> rows) of kept rows, by licence."""
    mix: dict[str, Counter[str]] = defaultdict(Counter)
    for _, row in locations(folder, "data", ["source.licence", "split"]):
        mix[row["source"]["licence"]][row["split"]] += 1
    return [(licence, restriction(licence), dict(splits)) for licence, splits in sorted(mix.items())]


def duplicate_pairs(folder: Path, count: int) -> list[tuple[PageRecord, Reject]]:
    """Some pairs of a record that stayed and a reject of its cluster, of as many kinds of evidence as there are."""
    path = folder / CLUSTERS
    if not path.is_file():
        return []
    clusters: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in pq.read_table(path).to_pylist():
        clusters[row["cluster_id"]].append(row)
    by_evidence: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for rows in clusters.values():
        stayed = next((row["id"] for row in rows if row["kept"]), None)
        gone = next((row for row in rows if not row["kept"]), None)
        if stayed and gone:
            kind = gone["evidence"] or next((row["evidence"] for row in rows if row["evidence"]), "")
            by_evidence[kind].append((stayed, gone["id"]))
    turns = [
        pair for turn in range(count) for _, pairs in sorted(by_evidence.items()) for pair in pairs[turn : turn + 1]
    ]
    wanted = turns[:count]
    kept = _by_id(folder, "data", {stayed for stayed, _ in wanted})
    rejected = _by_id(folder, "rejects", {gone for _, gone in wanted})
    return [
        (PageRecord.from_row(read_row(kept[stayed])), Reject.from_row(read_row(rejected[gone])))
        for stayed, gone in wanted
        if stayed in kept and gone in rejected
    ]


def stages_of(manifest: Mapping[str, Any]) -> list[Stage]:
    """What each source lost at each stage, in the order of the stages."""
    found = []
    for source, counts in sorted(manifest["sources"].items()):
        by_stage: dict[str, Counter[str]] = defaultdict(Counter)
        for reason, count in counts["rejected"].items():
            stage, _, why = reason.partition(": ")
            by_stage[stage][why] += count
        found += [Stage(source, stage, sum(reasons.values()), dict(reasons)) for stage, reasons in by_stage.items()]
    return sorted(found, key=lambda stage: (_ORDER.get(stage.stage, len(_ORDER)), stage.source))


def contamination(manifest: Mapping[str, Any]) -> dict[str, int]:
    """How many rows were found in benchmarks, by the kind of evidence."""
    prefix = "screen: contaminated."
    return {key.removeprefix(prefix): count for key, count in manifest["rejected"].items() if key.startswith(prefix)}


_ORDER = {stage: place for place, stage in enumerate(("press", "proof", "clean", "screen", "judge", "duplicates"))}


def _tells(check: Mapping[str, str]) -> bool:
    return check["outcome"] != "passed" or bool(check["reason"])


def _example(place: Location, key: tuple[str, str, str]) -> tuple[PageRecord, Check]:
    record = PageRecord.from_row(read_row(place))
    return record, next(check for check in record.checks if (check.rule, check.reason, check.outcome) == key)


def _by_id(folder: Path, kind: str, ids: set[str]) -> dict[str, Location]:
    return {row["id"]: place for place, row in locations(folder, kind, ["id"]) if row["id"] in ids}
