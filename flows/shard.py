"""One shard, the unit of parallel work: its pages printed, its corpus rows cleaned, judged, and written.

A plain function of recipe, folder and plan, which gives the same bytes whoever calls it, wherever and how often.

    report = make_shard(recipe, folder, plan)     # {"split": "train", "rows": 180, "sources": {...}, "files": {...}}
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofpress.cleaners.clean import clean, reject_repeat
from proofpress.cleaners.decontaminate import Index
from proofpress.cleaners.duplicates.fingerprint import hashed
from proofpress.cleaners.licences import joined
from proofpress.cleaners.screen import Screen, reject_of
from proofpress.flows.config import BuildRecipe, JudgeRecipe
from proofpress.flows.plan import ShardPlan, find_corpus
from proofpress.flows.truth import held_to_its_tests
from proofpress.generators.press import STAGE, print_pages, variants_of
from proofpress.pages.record import Check, PageRecord, Reject, Scores
from proofpress.pages.shards import order_key, write_rejects, write_shard

if TYPE_CHECKING:
    from proofpress.model.judge import Judge

Page = PageRecord | Reject

#: Where a build works in its dataset's folder, and the index of benchmarks there.
WORK, BENCHMARKS = "work", "benchmarks.npz"

#: The rule that the judge is: model and label agree about what stands on the page.
AGREEMENT = "judge.agreement"

#: What one shard says of itself, in JSON: split, rows, sources, files (see ``write_pages``).
ShardReport = dict[str, Any]


def make_shard(recipe: BuildRecipe, folder: Path, shard: ShardPlan) -> ShardReport:
    """Make one shard of a build; its kept pages and its rejects are whole files in the folder when it returns."""
    screen = Screen(recipe.licences, recipe.personal, benchmarks_of(folder) if recipe.decontaminate else None)
    screened = [screen.pass_or_reject(page) for page in _print_and_clean(recipe, shard)]
    if recipe.duplicates is not None:
        screened = [hashed(page) if isinstance(page, PageRecord) else page for page in screened]
    pages = sorted(screened, key=lambda page: order_key(recipe.seed, page.id))
    if recipe.judge is not None:
        pages = judge_pages(recipe.judge, pages)
    return write_pages(folder, shard.name, shard.split, pages)


def judge_pages(recipe: JudgeRecipe, pages: Sequence[Page]) -> list[Page]:
    """The pages in their order: records with scores, or rejects where the judge drops them; earlier rejects."""
    records = [page for page in pages if isinstance(page, PageRecord)]
    scored = iter(_judge(recipe.model).judge(records, read=recipe.read))
    judged = (next(scored) if isinstance(page, PageRecord) else page for page in pages)
    return [_agreed(page, recipe.drop) for page in judged]


def write_pages(folder: Path, name: str, split: str, pages: Sequence[Page]) -> ShardReport:
    """Write one shard's pages in the order given: kept ones to ``data/``, the others to ``rejects/``.

    The report: split, rows (kept); sources, name -> {licence, made, kept, rejected: {"stage: reason": count}}; files,
    path in the dataset -> {rows, sha256}.
    """
    kept = [replace(page, split=split) for page in pages if isinstance(page, PageRecord)]
    rejects = [page for page in pages if isinstance(page, Reject)]
    written = {
        f"data/{name}.parquet": write_shard(folder / f"data/{name}.parquet", kept),
        f"rejects/{name}.parquet": write_rejects(folder / f"rejects/{name}.parquet", rejects),
    }
    return {
        "split": split,
        "rows": len(kept),
        "sources": _count(pages),
        "files": {path: {"rows": info.rows, "sha256": info.sha256} for path, info in written.items()},
    }


def totals_of(reports: Sequence[ShardReport]) -> dict[str, Any]:
    """What shards come to together, as a manifest has it: splits, rejected, sources, files."""
    splits: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    sources: dict[str, Any] = {}
    files: dict[str, Any] = {}
    for report in reports:
        splits[report["split"]] += report["rows"]
        files |= report["files"]
        for name, counts in report["sources"].items():
            total = sources.setdefault(
                name, {"licence": counts["licence"], "made": 0, "kept": 0, "rejected": Counter()}
            )
            total["licence"] = joined(total["licence"], counts["licence"])
            total["made"] += counts["made"]
            total["kept"] += counts["kept"]
            total["rejected"].update(counts["rejected"])
            rejected.update(counts["rejected"])
    return {"splits": dict(splits), "rejected": dict(rejected), "sources": sources, "files": files}


def _print_and_clean(recipe: BuildRecipe, shard: ShardPlan) -> Iterator[Page]:
    firsts = [int(ref) for ref in shard.refs(STAGE)]
    if recipe.press is not None and firsts:
        indices = [index for first in firsts for index in variants_of(recipe.press, first)]
        yield from map(held_to_its_tests, print_pages(recipe.press, recipe.seed, indices))
    for position, wanted in enumerate(recipe.corpora):
        corpus = find_corpus(wanted.name, f"corpora.{position}")
        yield from clean(corpus, wanted.path, shard.refs(wanted.name))
        yield from (reject_repeat(corpus, wanted.path, ref) for ref in shard.refs(wanted.name, repeated=True))


def benchmarks_of(folder: Path) -> Index:
    """What pages are decontaminated against while a dataset is made in a folder."""
    path = folder / WORK / BENCHMARKS
    return _index(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _index(path: Path, written: int) -> Index:
    """The index in a file, loaded once in a process as long as nobody writes another there."""
    return Index.load(path)


@lru_cache(maxsize=1)
def _judge(model: str) -> "Judge":
    """The judge, loaded once in a process; a build without one does not wait for torch."""
    from proofpress.model.judge import Judge

    return Judge.load(model)


def _agreed(page: Page, drop: bool) -> Page:
    """The page with the judge's word as one of its checks; a reject in its place where the judge says drop."""
    if isinstance(page, Reject) or page.scores is None:
        return page
    if page.scores.verdict == "unread":
        return page.with_checks(Check(AGREEMENT, "passed", "judge.unread"))
    if page.scores.verdict != "drop":
        return page.with_checks(Check(AGREEMENT, "passed", "", _why(page.scores)))
    reason = "unsound" if any("gold" in part for part in page.scores.parts.values()) else "unlikely"
    if not drop:
        return page.with_checks(Check(AGREEMENT, "failed", f"judge.{reason}", _why(page.scores)))
    return reject_of(page, "judge", reason, _why(page.scores))


def _why(scores: Scores) -> str:
    """What the judge measured, element by element; the same figures stand in the reject's original."""
    measured = [
        f"{name}: " + ", ".join(f"{what} {value}" for what, value in sorted(part.items()))
        for name, part in scores.parts.items()
    ]
    reward = "" if scores.reward is None else f", reward {scores.reward}"
    return f"{scores.model}: likelihood {scores.likelihood} a token{reward} ({'; '.join(measured)})"


def _count(pages: Sequence[Page]) -> dict[str, Any]:
    sources: dict[str, Any] = {}
    for page in pages:
        empty = {"licence": page.source.licence, "made": 0, "kept": 0, "rejected": Counter()}
        source = sources.setdefault(page.source.name, empty)
        source["licence"] = joined(source["licence"], page.source.licence)
        source["made"] += 1
        if isinstance(page, Reject):
            source["rejected"][f"{page.stage}: {page.reason}"] += 1
        else:
            source["kept"] += 1
    return {name: {**source, "rejected": dict(source["rejected"])} for name, source in sources.items()}
