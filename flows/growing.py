"""A dataset that grows: its next version has every shard of the one before that nothing has happened to.

``build`` deals rows into shards by the order of their hashes, so that one more row moves all after it. Here a row stays
in the shard it was dealt to, rows that are new get shards of their own, and a shard is made only where its key, the
digest of all that its bytes depend on, is in no earlier version. What a corpus's row is made of counts, not where it
stands: a row whose file was changed is a new one, and a row that only moved is not.

    inventory = take_inventory(recipe, Path("out/cache"))
    grow(recipe, Path("out/v2"), ShardStore(Path("out/store")), Path("out/v1"), inventory)
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from proofpress.flows.config import BuildRecipe
from proofpress.flows.corpus_rows import row_digests
from proofpress.flows.dataset import How, Job, Made, Prepared, make_dataset
from proofpress.flows.decontaminate import index_first
from proofpress.flows.growing_unique import LAYOUT, SETTLED, without_duplicates
from proofpress.flows.plan import Item, ShardPlan, list_items
from proofpress.flows.provenance import made_with
from proofpress.flows.shard import make_shard
from proofpress.flows.shard_store import KeyedShard, ShardStore, make_or_take
from proofpress.generators.press import STAGE, variants_of
from proofpress.pages.record import to_json
from proofpress.pages.shards import MANIFEST, order_key, write_whole

#: Keys of a recipe that decide which rows there are and how they are cut, and not what any of them looks like.
CUTTING = ("name", "corpora", "splits", "rows_per_shard", "licences")


@dataclass(frozen=True, slots=True)
class Inventory:
    """All rows a recipe asks for. digests: content id -> what it is made of: a row's digest, a content's pages."""

    items: Sequence[Item]
    digests: Mapping[str, str]

    @property
    def digest(self) -> str:
        """16 hex digits: equal for the same rows made of the same."""
        lines = sorted(f"{item.content_id} {item.split} {self.digests.get(item.content_id, '')}" for item in self.items)
        return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def take_inventory(recipe: BuildRecipe, cache: Path) -> Inventory:
    """List a recipe's rows. cache: a folder that remembers what corpora's rows are made of while no file changes.

    A process sees a corpus as it first saw it, so each turn of a loop should be a process of its own.
    """
    items = list_items(recipe)
    digests: dict[str, str] = {}
    if recipe.press is not None:
        printed = (item for item in items if item.source == STAGE)
        digests = {item.content_id: str(len(variants_of(recipe.press, int(item.ref)))) for item in printed}
    for corpus in recipe.corpora:
        refs = {item.ref: item.content_id for item in items if item.source == corpus.name}
        found = row_digests(corpus, list(refs), cache)
        digests |= {identity: found[ref] for ref, identity in refs.items()}
    return Inventory(items, digests)


def grow(
    recipe: BuildRecipe, out: Path, store: ShardStore, before: Path | None, inventory: Inventory, **how: Any
) -> Made:
    """Make the next version of a dataset in ``out``. before: the folder of the version before.

    how: ``runner``, ``workers`` and ``progress`` of ``make_dataset``, whose errors it raises too.
    """
    made = made_with(recipe)
    parent = None if before is None else sha256((before / MANIFEST).read_bytes()).hexdigest()

    def prepare(work: Path, how: How) -> Prepared:
        facts: dict[str, Any] = {"parent": parent}
        if recipe.decontaminate:
            facts |= index_first(recipe.decontaminate, (), work, how).facts
        plans = cut_grown(recipe, inventory.items, [] if before is None else read_layout(before))
        common = [_looks(recipe), made, facts.get("benchmarks")]
        shards = [KeyedShard(plan, _key(common, plan, inventory)) for plan in plans]
        layout = [
            {"split": shard.plan.split, "key": shard.key, "rows": [item.content_id for item in shard.plan.items]}
            for shard in shards
        ]
        text = (to_json(layout) + "\n").encode()
        write_whole(work.parent / LAYOUT, text)
        return Prepared(shards, facts, {LAYOUT: {"rows": len(layout), "sha256": sha256(text).hexdigest()}})

    job = Job(
        name=recipe.name,
        recipe=recipe.contents(),
        recipe_hash=recipe.digest(),
        items=blake2b(f"{inventory.digest} {parent}".encode(), digest_size=8).hexdigest(),
        made_with=partial(dict, made),
        shards=(),
        make=partial(make_or_take, partial(make_shard, recipe), store),
        prepare=prepare,
    )
    if recipe.duplicates is not None:
        job = without_duplicates(job, recipe, recipe.duplicates, store)
    return make_dataset(job, out, **how)


def cut_grown(recipe: BuildRecipe, items: Sequence[Item], before: Sequence[Mapping[str, Any]]) -> list[ShardPlan]:
    """Shards of the rows: those of before without what is gone, then new ones with what is new, in seeded order.

    before: ``split`` and ``rows`` of each earlier shard, in order.
    """
    waiting = {item.content_id: item for item in items}
    groups: dict[str, list[tuple[Item, ...]]] = {}
    for shard in before:
        split = shard["split"]
        kept = [waiting[row] for row in shard["rows"] if row in waiting and waiting[row].split == split]
        for item in kept:
            del waiting[item.content_id]
        if kept:
            groups.setdefault(split, []).append(tuple(kept))
    new: dict[str, list[Item]] = {}
    for item in sorted(waiting.values(), key=lambda item: order_key(recipe.seed, item.content_id)):
        new.setdefault(item.split, []).append(item)
    for split, rows in new.items():
        cuts = range(0, len(rows), recipe.rows_per_shard)
        groups.setdefault(split, []).extend(tuple(rows[start : start + recipe.rows_per_shard]) for start in cuts)
    return [
        ShardPlan(f"{split}-{number:05d}-of-{len(shards):05d}", split, rows)
        for split, shards in sorted(groups.items(), key=lambda entry: (entry[0] != "train", entry[0]))
        for number, rows in enumerate(shards)
    ]


def read_layout(dataset: Path) -> list[dict[str, Any]]:
    """The shards of a grown dataset: ``split``, ``key``, ``rows`` (content ids)."""
    layout: list[dict[str, Any]] = json.loads((dataset / LAYOUT).read_bytes())
    return layout


def keys_of(dataset: Path) -> Iterator[str]:
    """The keys of the stored shards that a grown dataset is made of."""
    yield from (shard["key"] for shard in read_layout(dataset))
    if (dataset / SETTLED).is_file():
        yield from json.loads((dataset / SETTLED).read_bytes())


def _looks(recipe: BuildRecipe) -> dict[str, Any]:
    """What of a recipe decides how a row comes out."""
    contents = {key: value for key, value in recipe.contents().items() if key not in CUTTING}
    contents["duplicates"] = contents["duplicates"] is not None  # rows are then hashed; parted they are later
    if contents["press"] is not None:
        contents["press"] = {key: value for key, value in contents["press"].items() if key != "pages"}
    return contents


def _key(common: Sequence[Any], plan: ShardPlan, inventory: Inventory) -> str:
    rows = [
        [item.source, item.content_id, item.repeated, inventory.digests.get(item.content_id, "")] for item in plan.items
    ]
    return blake2b(to_json([common, plan.split, rows]).encode(), digest_size=16).hexdigest()
