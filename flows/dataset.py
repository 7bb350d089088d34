"""From a job to a complete dataset folder, once, whatever is killed when: shards, card, report, and the manifest last.

While a job runs, ``work/`` in the folder says whose it is and which shards are whole. The same job again makes only the
others; another job is refused. A dataset named by a URL (``s3://...``) is made in a folder of this machine and then
published. Neither runner, workers, time nor place goes into any file, so every way gives the same.

    made = make_dataset(job, Path("out"), runner="processes", workers=4)
    made.manifest["splits"]                                                    # {"train": 188, "validation": 11}
"""

import contextlib
import errno
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from proofpress.flows.lock import held
from proofpress.flows.publish import check_free, draft_of, publish
from proofpress.flows.report import write_report
from proofpress.flows.runners import Outcome, run
from proofpress.flows.shard import WORK, ShardReport, totals_of
from proofpress.pages.card import card
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import to_json
from proofpress.pages.shards import MANIFEST, read_manifest, write_manifest, write_whole
from proofpress.pages.storage import Place, place_of, sizes


class Shard(Protocol):
    """What a job is cut into; ``name`` is its file's, without the suffix."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Job:
    """What makes a dataset.

    recipe, recipe_hash: as the manifest shows them. items: digest of the work list. made_with: asks the machine for
    what else the bytes depend on. make: from the dataset folder and a shard to its report; must pickle. prepare: where
    shards are not known before something else is made: makes it in the working folder, which it may leave anything in.
    """

    name: str
    recipe: Mapping[str, Any]
    recipe_hash: str
    items: str
    made_with: Callable[[], dict[str, Any]]
    shards: Sequence[Shard]
    make: Callable[[Path, Any], ShardReport]
    prepare: "Callable[[Path, How], Prepared] | None" = None


@dataclass(frozen=True, slots=True)
class How:
    """How work is done, which changes no byte of it: ``runner``, ``workers`` and ``progress`` of ``make_dataset``."""

    runner: str
    workers: int | None
    progress: "Progress"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a job's ``prepare`` found. facts: for the manifest; the bytes of shards depend on them.

    files: further files of the dataset, written already, as a shard's report has them.
    """

    shards: Sequence[Shard]
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """A complete dataset. was_there: it was complete before, and nothing was touched."""

    folder: Place
    manifest: Mapping[str, Any]
    was_there: bool


class ShardsFailed(WorkError):
    """Some shards were not made. unexpected: what broke them other than a ``WorkError``: a fault of ours."""

    def __init__(self, failures: Sequence[Outcome[Any, Any]], shards: int) -> None:
        lines = [f"{len(failures)} of {shards} shards failed. Run the same command again to make only these."]
        same: dict[str, list[str]] = {}
        for failure in failures:
            kind = "" if isinstance(failure.error, WorkError) else f"{type(failure.error).__name__}: "
            same.setdefault(f"{kind}{failure.error}", []).append(failure.item.name)
        for message, (name, *others) in same.items():
            lines.append(f"{name}{f' and {len(others)} others' if others else ''}: {message}")
        super().__init__("\n".join(lines))
        self.unexpected = [failure.error for failure in failures if not isinstance(failure.error, WorkError)]


#: Called with the shards that are whole, all shards, and the name of the latest.
Progress = Callable[[int, int, str], None]


def make_dataset(
    job: Job,
    out: Place,
    runner: str = "inline",
    workers: int | None = None,
    progress: Progress = lambda done, total, name: None,
) -> Made:
    """Make a dataset, or what is left to make of it.

    Raises ``RequestError`` when the folder holds something else, ``WorkError`` when shards failed or the disk is full:
    then there is no manifest, and the same call again goes on with the shards that are missing.
    """
    if isinstance(out, str):
        out = place_of(out)
    if isinstance(out, str):
        return _make_and_publish(job, out, How(runner, workers, progress))
    if (out / MANIFEST).exists():
        return _already_made(job, out)
    with _disk_full_explained(out), _claimed(job, out):
        prepared = Prepared(job.shards)
        if job.prepare is not None:
            prepared = job.prepare(out / WORK, How(runner, workers, progress))
        made_with = {**job.made_with(), **prepared.facts}
        shards = prepared.shards
        fingerprint = blake2b(to_json([job.recipe, job.items, made_with]).encode(), digest_size=16).hexdigest()
        reports = {shard.name: report for shard in shards if (report := _whole(out, shard.name, fingerprint))}
        pending = [shard for shard in shards if shard.name not in reports]
        progress(len(reports), len(shards), "")
        work = partial(_make_and_mark, job.make, out, fingerprint)
        failures = []
        for outcome in run(work, pending, runner, workers):
            if outcome.result is not None:
                reports[outcome.item.name] = outcome.result
                progress(len(reports), len(shards), outcome.item.name)
            elif isinstance(outcome.error, RequestError) or (outcome.error and _is_disk_full(outcome.error)):
                raise outcome.error
            else:
                failures.append(outcome)
        if failures:
            raise ShardsFailed(failures, len(shards))
        return _complete(job, out, made_with, [reports[shard.name] for shard in shards], prepared.files)


def _make_and_publish(job: Job, url: str, how: How) -> Made:
    there = sizes(url)
    if MANIFEST in there:
        return _already_made(job, url)
    check_free(url, there, _claim(job))
    draft = draft_of(url)
    made = make_dataset(job, draft, how.runner, how.workers, how.progress)
    publish(draft, url, how.progress)
    shutil.rmtree(draft)
    return Made(url, made.manifest, was_there=False)


def _complete(
    job: Job, out: Path, made_with: Mapping[str, Any], reports: Sequence[ShardReport], files: Mapping[str, Any]
) -> Made:
    totals = totals_of(reports)
    facts = {
        "name": job.name,
        "recipe": job.recipe,
        "recipe_hash": job.recipe_hash,
        "items": job.items,
        **made_with,
        **totals,
        "files": {**totals["files"], **files},
    }
    manifest = json.loads(to_json(facts))  # as it will be read again: card and report see its keys in the same order
    write_whole(out / "README.md", card(manifest).encode())
    write_report(out, manifest)
    _sweep(out)
    write_manifest(out, manifest)
    shutil.rmtree(out / WORK, ignore_errors=True)
    return Made(out, manifest, was_there=False)


def _make_and_mark(make: Callable[[Path, Any], ShardReport], out: Path, fingerprint: str, shard: Shard) -> ShardReport:
    report = make(out, shard)
    write_whole(_marker(out, shard.name), to_json({"fingerprint": fingerprint, "report": report}).encode())
    return report


def _whole(out: Path, name: str, fingerprint: str) -> ShardReport | None:
    """The report of a shard made before by this very job, if its files are still what they were."""
    marker = _marker(out, name)
    if not marker.exists():
        return None
    mark = json.loads(marker.read_bytes())
    if mark["fingerprint"] != fingerprint:
        return None
    for path, file in mark["report"]["files"].items():
        if not (out / path).exists() or _sha256(out / path) != file["sha256"]:
            return None
    return mark["report"]


def _marker(out: Path, name: str) -> Path:
    return out / WORK / f"{name}.json"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _already_made(job: Job, out: Place) -> Made:
    manifest = read_manifest(out)
    if (manifest["recipe_hash"], manifest["items"]) != (job.recipe_hash, job.items):
        raise RequestError(
            f"{out}: already holds the complete dataset {manifest['name']} (recipe {manifest['recipe_hash']}, items "
            f"{manifest['items']}), not {job.name} (recipe {job.recipe_hash}, items {job.items}); "
            "choose another --out, or delete that folder first"
        )
    missing = sorted(manifest["files"].keys() - sizes(out).keys())
    if missing:
        raise WorkError(
            f"{out}: {missing[0]} is gone, though {MANIFEST} names it; delete the folder and build it again"
        )
    shutil.rmtree(draft_of(out) if isinstance(out, str) else out / WORK, ignore_errors=True)  # of a killed build
    return Made(out, manifest, was_there=True)


@contextlib.contextmanager
def _claimed(job: Job, out: Path) -> Iterator[None]:
    """The folder for this job alone: made, or found as an earlier try of the same job left it."""
    claim = _claim(job)
    owner = out / WORK / "job.json"
    if not owner.exists() and any(_is_foreign(path, out) for path in out.rglob("*")):
        raise RequestError(f"--out {out}: is not empty and holds no dataset; choose a new folder")
    try:
        owner.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"--out {out}: cannot be made: {error.strerror}") from error
    with held(owner.parent / "lock", f"{out}: another proofpress is making this dataset"):
        if (out / "data").exists() and (other := json.loads(owner.read_bytes())) != claim:
            raise RequestError(
                f"{out}: holds an unfinished build of {other['name']} (recipe {other['recipe_hash']}, items "
                f"{other['items']}), not of {job.name} (recipe {job.recipe_hash}, items {job.items}); "
                "finish that one, choose another --out, or delete the folder"
            )
        write_whole(owner, to_json(claim).encode())
        _sweep(out)
        yield


def _sweep(out: Path) -> None:
    """Remove what a killed command or worker was writing."""
    for left in out.rglob(".*.partial"):
        left.unlink()


def _claim(job: Job) -> dict[str, str]:
    return {"name": job.name, "recipe_hash": job.recipe_hash, "items": job.items}


def _is_foreign(path: Path, out: Path) -> bool:
    """Whether something in a folder is not what a job killed in its first moments leaves there."""
    ours = path == out / WORK or path == out / WORK / "lock"
    return not ours and not (path.parent == out / WORK and path.name.startswith(".job.json."))


@contextlib.contextmanager
def _disk_full_explained(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not _is_disk_full(error):
            raise
        raise WorkError(
            f"{out}: the disk is full; the dataset is not complete. Make room and run the same command again: "
            "the shards that are whole are kept"
        ) from error


def _is_disk_full(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
