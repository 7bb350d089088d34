"""Shards kept by what they are made of, so that no version of a dataset makes one again that another has made.

A shard's key is the digest of all its bytes depend on. In the store, ``<key>/`` holds its files and its report, whole
or not there at all; a dataset's folder gets hard links to them, or copies, which nobody writes into.

    report = make_or_take(make, ShardStore(Path("out/store")), Path("out/v2"), KeyedShard(plan, key))
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from proofpress.flows.dataset import Shard
from proofpress.flows.shard import ShardReport
from proofpress.pages.record import to_json
from proofpress.pages.shards import write_whole

REPORT = "report.json"

Plan = TypeVar("Plan", bound=Shard)


@dataclass(frozen=True, slots=True)
class KeyedShard(Generic[Plan]):
    """A shard to be made, with the digest of all that its bytes depend on."""

    plan: Plan
    key: str

    @property
    def name(self) -> str:
        return self.plan.name


@dataclass(frozen=True, slots=True)
class ShardStore:
    """A folder of shards by key."""

    folder: Path

    def take(self, key: str, out: Path, name: str) -> ShardReport | None:
        """Put the shard into a dataset's folder under this name; its report there, or None where it is not kept."""
        kept = self.folder / key
        try:
            report = json.loads((kept / REPORT).read_bytes())
        except FileNotFoundError:
            return None
        files = {}
        for path, facts in report["files"].items():
            place = f"{path.partition('/')[0]}/{name}.parquet"
            _link(kept / _kept_name(path), out / place)
            files[place] = facts
        return {**report, "files": files}

    def keep(self, key: str, out: Path, report: ShardReport) -> None:
        """Keep a shard that a dataset's folder has."""
        draft = self.folder / f".{key}.{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for path in report["files"]:
            _link(out / path, draft / _kept_name(path))
        files = {f"{path.partition('/')[0]}/shard.parquet": facts for path, facts in report["files"].items()}
        write_whole(draft / REPORT, to_json({**report, "files": files}).encode())
        try:
            draft.rename(self.folder / key)
        except OSError:  # another process kept the same shard first
            shutil.rmtree(draft)

    def tidy(self, used: Iterable[str]) -> None:
        """Forget what was left half-written, and shards that no version uses any more."""
        wanted = set(used)
        for kept in self.folder.iterdir() if self.folder.is_dir() else ():
            if kept.name not in wanted:
                shutil.rmtree(kept)


def make_or_take(
    make: Callable[[Path, Plan], ShardReport], store: ShardStore, out: Path, shard: KeyedShard[Plan]
) -> ShardReport:
    """One shard, from the store where it is there."""
    if (report := store.take(shard.key, out, shard.name)) is not None:
        return report
    report = make(out, shard.plan)
    store.keep(shard.key, out, report)
    return report


def _kept_name(path: str) -> str:
    return f"{path.partition('/')[0]}-shard.parquet"


def _link(source: Path, place: Path) -> None:
    """The same file under another name, which appears at once or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source, partial)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise
        shutil.copyfile(source, partial)
    partial.replace(place)
