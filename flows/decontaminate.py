"""Decontaminate a finished dataset into a new one: what is part of a benchmark goes to the rejects, with its evidence.

made = decontaminate(Path("out/demo"), [Path("olmOCR-bench"), Path("OmniDocBench")], Path("out/demo-clean"))
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from proofpress.cleaners.decontaminate import Index
from proofpress.cleaners.screen import without_benchmarks
from proofpress.flows.dataset import How, Job, Made, Prepared, Shard, make_dataset
from proofpress.flows.provenance import PACKAGES, versions
from proofpress.flows.shard import BENCHMARKS, ShardReport, benchmarks_of, write_pages
from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json
from proofpress.pages.shards import read_manifest, read_shard
from proofpress.pages.storage import Place, is_same


@dataclass(frozen=True, slots=True)
class ScreenedShard:
    """A shard of the dataset that is screened, and of the one that is made."""

    name: str
    split: str


def decontaminate(dataset: Path, benchmarks: Sequence[Path], out: Place, **how: Any) -> Made:
    """Make the copy of a dataset that no benchmark is in. how: ``runner``, ``workers``, ``progress``."""
    manifest = read_manifest(dataset)
    if is_same(out, dataset):
        raise RequestError(f"--out {out}: is the dataset itself; choose a new folder")
    files = {path: file for path, file in manifest["files"].items() if path.startswith("data/")}
    names = [Path(path).stem for path in files]
    contents = {"decontaminate": [folder.name for folder in benchmarks], "of": manifest["recipe"]}
    shards = [ScreenedShard(name, name.split("-")[0]) for name in names]
    job = Job(
        name=f"{manifest['name']}-decontaminated",
        recipe=contents,
        recipe_hash=_digest(contents),
        items=_digest(files),
        made_with=partial(_made_with, manifest),
        shards=shards,
        make=partial(screen_shard, dataset),
        prepare=partial(index_first, benchmarks, shards),
    )
    return make_dataset(job, out, **how)


def index_first(benchmarks: Sequence[Path], shards: Sequence[Shard], work: Path, how: How) -> Prepared:
    """The shards as they are, with the index of benchmarks where ``benchmarks_of`` finds it."""
    index = Index.build(benchmarks)
    index.save(work / BENCHMARKS)
    pages = {folder.name: index.pages_of(folder.name) for folder in benchmarks}
    return Prepared(shards, {"benchmarks": {"pages": pages, "digest": index.digest()}})


def screen_shard(dataset: Path, out: Path, shard: ScreenedShard) -> ShardReport:
    """Screen one shard of a dataset into the folder of another."""
    index = benchmarks_of(out)
    records = read_shard(dataset / "data" / f"{shard.name}.parquet")
    return write_pages(out, shard.name, shard.split, [without_benchmarks(record, index) for record in records])


def _made_with(manifest: Mapping[str, Any]) -> dict[str, Any]:
    before = {key: manifest[key] for key in ("browser", "fonts", "model", "duplicates") if key in manifest}
    return {**before, "versions": manifest["versions"] | versions(PACKAGES)}


def _digest(value: Any) -> str:
    return blake2b(to_json(value).encode(), digest_size=8).hexdigest()
