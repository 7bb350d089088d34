"""What OmniDocBench measures: pairs of blocks, pages, and the benchmark's table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from proofpress.model.bench.normal_forms import Edition
from proofpress.model.rewards.scoring import mean

#: The metrics of a page in the order they are shown; ``strict`` is ours.
SCORES = ("text_edit", "teds", "teds_s", "cdm", "reading_order_edit", "strict", "formula_edit", "table_edit")


@dataclass(frozen=True, slots=True)
class Pair:
    """Gold and prediction that were matched, or one of them alone.

    kind: ``text``, ``formula`` or ``table``. gold_at: reading orders of the gold blocks; predicted_at: character of the
    first prediction. edit: how far apart they were when they were matched. edits, length: edit distance of the normal
    forms and the longer length. scores: by metric.
    """

    kind: str
    gold: str
    predicted: str
    norm_gold: str
    norm_predicted: str
    gold_category: str
    predicted_category: str
    gold_at: tuple[float, ...]
    predicted_at: float | None
    edit: float = 1.0
    edits: int = 0
    length: int = 0
    scores: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page. attributes: of the page, from the gold. order: gold and predicted reading order. strict: our own page
    reward; None where the gold is not one to score against. matcher: ``quick``, or the way out that was taken."""

    image: str
    attributes: Mapping[str, Any]
    pairs: tuple[Pair, ...]
    order: tuple[tuple[float, ...], tuple[float, ...]] | None
    strict: float | None
    matcher: str

    @property
    def scores(self) -> dict[str, float]:
        """The page's metrics; a kind that is not in the gold has none."""
        found: dict[str, float] = {}
        for kind in ("text", "formula", "table"):
            pairs = [pair for pair in self.pairs if pair.kind == kind]
            length = sum(pair.length for pair in pairs)
            if length:
                found[f"{kind}_edit"] = sum(pair.edits for pair in pairs) / length
            for name in ("teds", "teds_s", "cdm"):
                if values := [pair.scores[name] for pair in pairs if pair.scores and name in pair.scores]:
                    found[name] = mean(values)
        if self.order:
            found["reading_order_edit"] = _order_edit(*self.order)
        if self.strict is not None:
            found["strict"] = self.strict
        return {name: found[name] for name in SCORES if name in found}


@dataclass(frozen=True, slots=True)
class BenchResult:
    """All pages. scores: means over the pages that have the metric; ``overall`` where its three parts are there."""

    edition: Edition
    pages: tuple[PageResult, ...]

    @property
    def scores(self) -> dict[str, float]:
        """The benchmark's table: edits, 0 best; the others 0..1, and ``overall`` in percent."""
        by_name: dict[str, list[float]] = {}
        for page in self.pages:
            for name, value in page.scores.items():
                by_name.setdefault(name, []).append(value)
        found = {name: mean(by_name[name]) for name in SCORES if name in by_name}
        if {"text_edit", "teds", "cdm"} <= found.keys():
            found = {"overall": ((1 - found["text_edit"]) + found["teds"] + found["cdm"]) / 3 * 100, **found}
        return found


def _order_edit(gold: Sequence[float], predicted: Sequence[float]) -> float:
    return Levenshtein.distance(gold, predicted) / max(len(gold), len(predicted))
