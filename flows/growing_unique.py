"""A dataset that grows and has each content once: only shards are written again in which something became of a row.

Rows are printed and cleaned as in ``growing``, in shards that stay. Each of these is then parted from its duplicates by
itself: rows that go become its rejects, and rows whose cluster is held out elsewhere stand in a small shard of their
own. Fingerprints are kept, so that what is new meets what stands without that being read again.

    job = without_duplicates(job, recipe, ShardStore(Path("out/store")))
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from proofpress.flows.config import BuildRecipe, DuplicatesRecipe
from proofpress.flows.dataset import How, Job, Prepared, make_dataset
from proofpress.flows.duplicates import Entry, Place, SettledShard, rejects_of, settle_datasets, write_settled
from proofpress.flows.shard_store import KeyedShard, ShardStore, make_or_take
from proofpress.pages.record import to_json
from proofpress.pages.shards import write_whole

#: In a grown dataset: how its rows were dealt before they were parted, and the keys of its shards.
LAYOUT, SETTLED = "layout.json", "settled.json"


def without_duplicates(job: Job, recipe: BuildRecipe, duplicates: DuplicatesRecipe, store: ShardStore) -> Job:
    """The job that makes a grown dataset without its duplicates; ``job`` makes it with them, in the working folder."""

    def prepare(work: Path, how: How) -> Prepared:
        pages = work / "pages"
        manifest = make_dataset(job, pages, how.runner, how.workers, how.progress).manifest
        deal = partial(deal_in_place, recipe.seed, job.made_with(), manifest["files"])
        kept = store.folder.with_name("fingerprints")
        prepared = settle_datasets([pages], duplicates, deal, rejects_of(pages), work, kept, how)
        keys = [shard.key for shard in prepared.shards if isinstance(shard, KeyedShard)]
        notes = {LAYOUT: (pages / LAYOUT).read_bytes(), SETTLED: (to_json(keys) + "\n").encode()}
        for name, text in notes.items():
            write_whole(work.parent / name, text)
        described = {
            name: {"rows": text.count(b"\n"), "sha256": sha256(text).hexdigest()} for name, text in notes.items()
        }
        before = {key: manifest[key] for key in ("parent", "benchmarks") if key in manifest}
        return replace(prepared, facts={**before, **prepared.facts}, files={**prepared.files, **described})

    make = partial(make_or_take, partial(write_settled, recipe.seed), store)
    return replace(job, shards=(), make=make, prepare=prepare)


def deal_in_place(
    seed: int, made_with: Mapping[str, Any], files: Mapping[str, Any], entries: Sequence[Entry]
) -> list[KeyedShard[SettledShard]]:
    """The pages of each shard in a shard again, and those of them that go to another split in one of theirs."""
    groups: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        groups[entry.split][entry.place.path.stem].append(entry.place)
    shards = []
    for split, stems in sorted(groups.items(), key=lambda group: (group[0] != "train", group[0])):
        for number, (stem, places) in enumerate(sorted(stems.items())):
            shard = SettledShard(f"{split}-{number:05d}-of-{len(stems):05d}", split, tuple(places))
            contents = [files[f"{kind}/{stem}.parquet"]["sha256"] for kind in ("data", "rejects")]
            fates = [[p.path.parent.name, p.row, p.cluster_id, p.dropped, p.evidence] for p in places]
            key = blake2b(to_json([seed, made_with, split, contents, sorted(fates)]).encode(), digest_size=16)
            shards.append(KeyedShard(shard, key.hexdigest()))
    return shards
