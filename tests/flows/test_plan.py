from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.flows import plan
from proofpress.flows.config import BuildRecipe
from proofpress.flows.plan import cut_shards, digest_of, drawn_split, list_items
from proofpress.pages.errors import RequestError


def recipe_of(pages: int, **keys) -> BuildRecipe:
    return BuildRecipe(**{"name": "x", "press": {"pages": pages}, "splits": {"validation": 0.3}} | keys)


@settings(max_examples=60)
@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 3))
def test_every_page_stands_in_one_shard_of_its_split(pages: int, rows: int, seed: int):
    recipe = recipe_of(pages, rows_per_shard=rows, seed=seed)
    items = list_items(recipe)
    shards = cut_shards(recipe, items)
    assert sorted(item.content_id for shard in shards for item in shard.items) == sorted(i.content_id for i in items)
    for shard in shards:
        assert 1 <= len(shard.items) <= rows
        assert {item.split for item in shard.items} == {shard.split}
        assert shard.name.startswith(f"{shard.split}-")
        assert shard.name.endswith(f"-of-{sum(s.split == shard.split for s in shards):05d}")
    assert len({shard.name for shard in shards}) == len(shards)


def test_more_pages_move_none_of_the_others_to_another_split():
    few, many = list_items(recipe_of(50)), list_items(recipe_of(200))
    assert many[:50] == few


def test_shares_of_splits_are_what_the_recipe_says():
    recipe = recipe_of(1, splits={"validation": 0.2, "test": 0.1})
    drawn = [drawn_split(recipe, str(number)) for number in range(3000)]
    assert drawn.count("validation") / 3000 == pytest.approx(0.2, abs=0.03)
    assert drawn.count("test") / 3000 == pytest.approx(0.1, abs=0.03)


def test_the_digest_tells_work_lists_apart_but_not_their_order():
    items = list_items(recipe_of(20))
    assert digest_of(items) == digest_of(items[::-1]) != digest_of(items[:-1])


class TinyCorpus:
    """Rows 0 to 9: even ones for training, odd ones to test on."""

    name, licence, benchmark = "tiny", "MIT", False

    def items(self, path: Path) -> Iterator[str]:
        yield from map(str, range(10))

    def source_id(self, ref: str) -> str:
        return f"row-{ref}"

    def split(self, ref: str) -> str:
        return "test" if int(ref) % 2 else "train"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(plan.CORPORA, "tiny", TinyCorpus())


def corpus_recipe(**keys) -> BuildRecipe:
    return BuildRecipe(name="x", corpora=[{"name": "tiny", "path": "."} | keys])


def test_rows_of_a_corpus_keep_its_splits(tiny):
    splits = {item.ref: item.split for item in list_items(corpus_recipe())}
    assert splits == {str(n): "test" if n % 2 else "train" for n in range(10)}


def test_rows_of_a_benchmark_never_stand_where_models_learn(tiny, monkeypatch):
    monkeypatch.setattr(TinyCorpus, "benchmark", True)
    assert {item.split for item in list_items(corpus_recipe())} == {"test"}


def test_a_restricted_licence_is_refused_with_its_reason_unless_it_is_named(tiny, monkeypatch):
    monkeypatch.setattr(TinyCorpus, "licence", "CC-BY-NC-SA-4.0")
    with pytest.raises(RequestError, match="forbids commercial use"):
        list_items(corpus_recipe())
    named = corpus_recipe().model_copy(update={"licences": ("CC-BY-NC-SA-4.0",)})
    assert len(list_items(named)) == 10


def test_a_limit_takes_rows_from_all_over_the_corpus(tiny):
    recipe = corpus_recipe(limit=4)
    refs = [item.ref for item in list_items(recipe)]
    assert len(refs) == 4 and refs == [item.ref for item in list_items(recipe)]
    assert set(refs) != {"0", "1", "2", "3"}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"press": {"pages": 0}}, "nothing to make"),
        ({"press": None, "corpora": [{"name": "nope", "path": "."}]}, "corpora.0.name: 'nope' is not a known corpus"),
        ({"licences": ["MIT"]}, "press: its pages are under CC0-1.0, which `licences` does not accept (MIT)"),
        ({"press": None, "corpora": [{"name": "tiny", "path": "."}], "licences": ["CC0-1.0"]}, "under MIT"),
    ],
)
def test_what_cannot_be_made_is_refused_before_any_work(tiny, keys, message):
    with pytest.raises(RequestError) as raised:
        list_items(recipe_of(5, **keys))
    assert message in str(raised.value)
