"""The work list of a build: every page known by its content before any is made, dealt into splits and shards.

A printed page's split depends on the seed and its own content id alone, so more pages move none of the others between
train and validation. A corpus's row keeps the split its corpus gave it: what others test on is never trained on.

    items = list_items(recipe)
    for shard in cut_shards(recipe, items): make_shard(recipe, folder, shard)
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from proofpress.cleaners.clean import CLEANER_VERSION, repeat_id
from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import Corpus
from proofpress.cleaners.licences import may_train, refusal
from proofpress.flows.config import BuildRecipe, CorpusRecipe
from proofpress.generators import press
from proofpress.pages.errors import RequestError
from proofpress.pages.record import record_id
from proofpress.pages.shards import order_key


@dataclass(frozen=True, slots=True)
class Item:
    """One content to print or corpus row to clean. ref: the index of its first page, or the adapter's own reference.

    repeated: an earlier row of the corpus has the same id, so that this one can only be a reject.
    """

    source: str
    ref: str
    content_id: str
    split: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The items of one shard, in order. name: its file's, without the suffix."""

    name: str
    split: str
    items: tuple[Item, ...]

    def refs(self, source: str, repeated: bool = False) -> list[str]:
        """The refs of one source's items: of those that are the first of their id, or of the others."""
        return [item.ref for item in self.items if item.source == source and item.repeated == repeated]


def list_items(recipe: BuildRecipe) -> list[Item]:
    """All items of a recipe. Raises ``RequestError`` for a corpus that is unknown, absent or not acceptable."""
    items: list[Item] = []
    if recipe.press is not None:
        _check_licence(recipe, "press", press.LICENCE)
        for index in press.contents(recipe.press):
            identity = press.page_id(recipe.seed, index)
            items.append(Item(press.STAGE, str(index), identity, drawn_split(recipe, identity)))
    for position, wanted in enumerate(recipe.corpora):
        key = f"corpora.{position}"
        corpus = find_corpus(wanted.name, key)
        _check_licence(recipe, key, corpus.licence)
        items += _corpus_items(recipe, corpus, wanted)
    if not items:
        raise RequestError(f"{recipe.name}: nothing to make: press.pages is 0 and the corpora have no rows")
    return items


def cut_shards(recipe: BuildRecipe, items: Iterable[Item]) -> list[ShardPlan]:
    """The items in seeded order, cut into shards of ``rows_per_shard``; a split that gets none has no shard."""
    by_split: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: order_key(recipe.seed, item.content_id)):
        by_split[item.split].append(item)
    shards = []
    for split, rows in sorted(by_split.items(), key=lambda entry: (entry[0] != "train", entry[0])):
        cuts = range(0, len(rows), recipe.rows_per_shard)
        for number, start in enumerate(cuts):
            name = f"{split}-{number:05d}-of-{len(cuts):05d}"
            shards.append(ShardPlan(name, split, tuple(rows[start : start + recipe.rows_per_shard])))
    return shards


def drawn_split(recipe: BuildRecipe, content_id: str) -> str:
    """The split that a content falls into: its seeded hash laid on the shares of the splits."""
    place = int(order_key(recipe.seed, f"split/{content_id}")[:13], 16) / 16**13
    for split, share in sorted(recipe.splits.items()):
        if place < share:
            return split
        place -= share
    return "train"


def digest_of(items: Sequence[Item]) -> str:
    """16 hex digits that name a work list: equal for the same contents, in whatever order they were listed."""
    digest = blake2b(digest_size=8)
    for line in sorted(f"{item.content_id} {item.split} " for item in items):
        digest.update(line.encode())
    return digest.hexdigest()


def find_corpus(name: str, key: str) -> Corpus:
    """The adapter of a corpus. key: the part of the recipe to name when there is none."""
    if name not in CORPORA:
        raise RequestError(f"{key}.name: {name!r} is not a known corpus; known are {', '.join(sorted(CORPORA))}")
    return CORPORA[name]


def _corpus_items(recipe: BuildRecipe, corpus: Corpus, wanted: CorpusRecipe) -> Iterator[Item]:
    refs = [(record_id(corpus.name, corpus.source_id(ref), CLEANER_VERSION), ref) for ref in corpus.items(wanted.path)]
    if wanted.limit is not None:
        refs = sorted(refs, key=lambda pair: order_key(recipe.seed, pair[0]))[: wanted.limit]
    seen: set[str] = set()
    for content_id, ref in refs:
        repeated = content_id in seen
        seen.add(content_id)
        identity = repeat_id(corpus, ref) if repeated else content_id
        split = corpus.split(ref)
        yield Item(corpus.name, ref, identity, split if may_train(corpus.benchmark, split) else "test", repeated)


def _check_licence(recipe: BuildRecipe, key: str, licence: str) -> None:
    if why := refusal(licence, recipe.licences):
        raise RequestError(
            f"{key}: its pages are under {licence}, which `licences` does not accept ({', '.join(recipe.licences)}): "
            f"{why}; add {licence} to it, or leave {key} out"
        )
