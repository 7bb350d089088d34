"""Find the duplicates among datasets, across their corpora, and make one dataset in which each content stands once.

Three steps, each resumed where it was left: fingerprints of every shard, in parallel; clusters over all fingerprints,
in this process and out of core; shards of what stays, in parallel. ``clusters.parquet`` tells of each row of each
cluster why it is there and whether it stayed; what went is among the rejects.

    made = deduplicate([Path("out/tables"), Path("out/pages")], Path("out/all"), DuplicatesRecipe(keep="one"))
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b, sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofpress.cleaners.duplicates.clusters import find_clusters
from proofpress.cleaners.duplicates.fingerprint import Fingerprints, write_fingerprints
from proofpress.cleaners.duplicates.report import CLUSTERS, Account
from proofpress.cleaners.duplicates.resolve import settle
from proofpress.cleaners.screen import reject_of
from proofpress.flows.config import DuplicatesRecipe
from proofpress.flows.dataset import How, Job, Made, Prepared, Shard, ShardsFailed, make_dataset
from proofpress.flows.provenance import PACKAGES, versions
from proofpress.flows.runners import run
from proofpress.flows.shard import Page, ShardReport, write_pages
from proofpress.pages import storage
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord, Reject, to_json
from proofpress.pages.shards import order_key, raw_rows, read_manifest, read_shard, write_whole

STAGE = "duplicates"


@dataclass(frozen=True, slots=True)
class PrintedShard:
    """A shard whose fingerprints are wanted. name: of the file they go to, which the shard's contents decide."""

    name: str
    path: Path
    rows: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page lies, and what becomes of it. dropped: the reason why it is a reject now; empty where it is not."""

    path: Path
    row: int
    cluster_id: str = ""
    dropped: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to be dealt into shards. key: what the order of the dataset is decided by."""

    split: str
    key: str
    place: Place


@dataclass(frozen=True, slots=True)
class SettledShard:
    """A shard to be written, its pages in the order they are cut in."""

    name: str
    split: str
    places: tuple[Place, ...]


def deduplicate(
    datasets: Sequence[Path], out: storage.Place, recipe: DuplicatesRecipe, seed: int = 0, **how: Any
) -> Made:
    """Make one dataset of some, without their duplicates. how: ``runner``, ``workers``, ``progress``.

    Rejects of the datasets stay where they are; the rows that go are the new dataset's rejects.
    """
    manifests = [read_manifest(dataset) for dataset in datasets]
    if any(storage.is_same(out, dataset) for dataset in datasets):
        raise RequestError(f"--out {out}: is one of the datasets itself; choose a new folder")
    contents = {"duplicates": recipe.model_dump(mode="json"), "seed": seed, "of": [m["recipe"] for m in manifests]}

    def prepare(work: Path, how: How) -> Prepared:
        rows = max((shard.rows for dataset in datasets for shard in _shards(dataset)), default=1)
        deal = partial(cut, seed=seed, rows_per_shard=rows)
        return settle_datasets(datasets, recipe, deal, (), work, work / "fingerprints", how)

    job = Job(
        name="-".join([*(manifest["name"] for manifest in manifests), "unique"]),
        recipe=contents,
        recipe_hash=_digest(contents),
        items=_digest([manifest["files"] for manifest in manifests]),
        made_with=partial(_made_with, manifests),
        shards=(),
        make=partial(write_settled, seed),
        prepare=prepare,
    )
    return make_dataset(job, out, **how)


def without_duplicates(job: Job, recipe: DuplicatesRecipe, seed: int, rows_per_shard: int) -> Job:
    """The job that makes another job's dataset without its duplicates; that one is made in the working folder first."""

    def prepare(work: Path, how: How) -> Prepared:
        pages = work / "pages"
        made = make_dataset(job, pages, how.runner, how.workers, how.progress)
        facts = {"benchmarks": made.manifest["benchmarks"]} if "benchmarks" in made.manifest else {}
        deal = partial(cut, seed=seed, rows_per_shard=rows_per_shard)
        prepared = settle_datasets([pages], recipe, deal, rejects_of(pages), work, work / "fingerprints", how)
        return replace(prepared, facts={**facts, **prepared.facts})

    return replace(job, shards=(), make=partial(write_settled, seed), prepare=prepare)


def settle_datasets(
    datasets: Sequence[Path],
    recipe: DuplicatesRecipe,
    deal: Callable[[Sequence[Entry]], Sequence[Shard]],
    rejects: Sequence[Entry],
    work: Path,
    folder: Path,
    how: How,
) -> Prepared:
    """The shards that datasets come to, and the table of clusters, written.

    deal: from all pages to the shards they stand in. rejects: earlier ones, to go with them. folder: of fingerprints,
    by the digest of the shard they are of; those that are there are not made again.
    """
    shards = [shard for dataset in datasets for shard in _shards(dataset)]
    folder.mkdir(parents=True, exist_ok=True)
    missing = {shard.name: shard for shard in shards if not (folder / shard.name).exists()}
    outcomes = run(partial(_fingerprint, folder), list(missing.values()), how.runner, how.workers)
    if failures := [outcome for outcome in outcomes if outcome.error is not None]:
        raise ShardsFailed(failures, len(shards))
    prints = Fingerprints.read([folder / shard.name for shard in shards], work / "signatures")
    found = find_clusters(prints)
    settled = settle(prints, found, recipe.keep)
    account = Account(prints, found, settled)

    contents, before = prints.strings("content_id"), prints.strings("split")
    entries = list(rejects)
    lying = ((shard.path, row) for shard in shards for row in range(shard.rows))
    for row, (path, place) in enumerate(lying):
        gone = account.dropped.get(row)
        split = before[row] if gone else settled.splits[row]
        entries.append(Entry(split, contents[row], Place(path, place, account.cluster_ids[row], *(gone or ()))))
    table = BytesIO()
    pq.write_table(account.table(), table, compression="zstd")
    write_whole(work.parent / CLUSTERS, table.getvalue())
    return Prepared(
        shards=deal(entries),
        facts={"duplicates": account.facts()},
        files={CLUSTERS: {"rows": account.table().num_rows, "sha256": sha256(table.getvalue()).hexdigest()}},
    )


def cut(entries: Sequence[Entry], seed: int, rows_per_shard: int) -> list[SettledShard]:
    """The pages in the seeded order of their contents, cut into shards."""
    by_split: dict[str, list[Place]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: order_key(seed, entry.key)):
        by_split[entry.split].append(entry.place)
    shards = []
    for split, places in sorted(by_split.items(), key=lambda item: (item[0] != "train", item[0])):
        cuts = range(0, len(places), rows_per_shard)
        for number, start in enumerate(cuts):
            name = f"{split}-{number:05d}-of-{len(cuts):05d}"
            shards.append(SettledShard(name, split, tuple(places[start : start + rows_per_shard])))
    return shards


def write_settled(seed: int, out: Path, shard: SettledShard) -> ShardReport:
    """Write one shard of what stays, and its rejects, in the seeded order of their ids."""
    pages = sorted(_read(shard.places), key=lambda page: order_key(seed, page.id))
    return write_pages(out, shard.name, shard.split, pages)


def _shards(dataset: Path) -> list[PrintedShard]:
    files = read_manifest(dataset)["files"].items()
    return [
        PrintedShard(f"{file['sha256']}.arrow", dataset / path, file["rows"])
        for path, file in files
        if path.startswith("data/")
    ]


def _fingerprint(folder: Path, shard: PrintedShard) -> bool:
    """Write a shard's fingerprints whole."""
    unfinished = folder / f".{shard.name}.partial"
    write_fingerprints(unfinished, read_shard(shard.path))
    unfinished.replace(folder / shard.name)
    return True


def rejects_of(dataset: Path) -> list[Entry]:
    """The rejects of a dataset, each in the split of its shard."""
    return [
        Entry(path.name.split("-")[0], identity, Place(path, row))
        for path in sorted((dataset / "rejects").glob("*.parquet"))
        for row, identity in enumerate(pq.read_table(path, columns=["id"]).column("id").to_pylist())
    ]


def _read(places: Sequence[Place]) -> Iterator[Page]:
    """The pages at their places, in no promised order."""
    files: dict[Path, dict[int, Place]] = defaultdict(dict)
    for place in places:
        files[place.path][place.row] = place
    for path, wanted in files.items():
        for row, content in zip(sorted(wanted), raw_rows(path, wanted), strict=True):
            yield _settled_page(wanted[row], content)


def _settled_page(place: Place, row: Mapping[str, Any]) -> Page:
    if place.path.parent.name == "rejects":
        return Reject.from_row(row)
    page = replace(PageRecord.from_row(row), cluster_id=place.cluster_id)
    return reject_of(page, STAGE, place.dropped, place.evidence) if place.dropped else page


def _made_with(manifests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the datasets were made with, as far as they agree, and what their duplicates are found with."""
    first = manifests[0]
    shared = {
        key: first[key]
        for key in ("browser", "fonts", "model")
        if key in first and all(manifest.get(key) == first[key] for manifest in manifests)
    }
    known = {name: value for manifest in manifests for name, value in manifest["versions"].items()}
    return {**shared, "versions": known | versions(PACKAGES)}


def _digest(value: Any) -> str:
    return blake2b(to_json(value).encode(), digest_size=8).hexdigest()
