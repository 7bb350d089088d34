"""How a dataset grows: rows stay where they were dealt to, and shards are kept by what they are made of."""

import json
import random
from pathlib import Path

import pytest

from proofpress.flows.config import BuildRecipe, CorpusRecipe
from proofpress.flows.corpus_rows import row_digests
from proofpress.flows.growing import cut_grown
from proofpress.flows.plan import Item
from proofpress.flows.shard_store import ShardStore
from proofpress.flows.standing import bring_up_to_date

RECIPE = BuildRecipe(name="grown", press={"pages": 1}, rows_per_shard=5)
IM2LATEX = Path(__file__).parents[1] / "fixtures/im2latex"


def items(*numbers: int) -> list[Item]:
    return [Item("press", str(n), f"id{n}", "validation" if n % 4 == 0 else "train") for n in numbers]


def layout(plans: list) -> list[dict]:
    return [{"split": plan.split, "rows": [item.content_id for item in plan.items]} for plan in plans]


@pytest.mark.parametrize("seed", range(20))
def test_however_rows_come_and_go_each_stands_once_and_shards_that_lost_none_stay(seed: int) -> None:
    rng, before = random.Random(seed), []
    for _ in range(6):
        wanted = rng.sample(range(60), rng.randint(1, 40))
        plans = cut_grown(RECIPE, items(*wanted), before)
        rows = [item.content_id for plan in plans for item in plan.items]
        assert sorted(rows) == sorted(f"id{n}" for n in wanted) and all(len(plan.items) <= 5 for plan in plans)
        assert all(item.split == plan.split for plan in plans for item in plan.items)
        now = layout(plans)
        assert all(shard in now for shard in before if {*shard["rows"]} <= {*rows})
        names = [plan.name for plan in plans]
        assert len(set(names)) == len(names)
        before = now


def test_without_a_past_it_is_cut_in_seeded_order_whatever_order_rows_are_listed_in() -> None:
    assert cut_grown(RECIPE, items(*range(30)), []) == cut_grown(RECIPE, items(*reversed(range(30))), [])


def test_a_row_that_changed_its_split_moves() -> None:
    (first,) = cut_grown(RECIPE, [Item("c", "1", "a", "train"), Item("c", "2", "b", "train")], [])
    moved = cut_grown(RECIPE, [Item("c", "1", "a", "test"), Item("c", "2", "b", "train")], layout([first]))
    assert [(plan.split, len(plan.items)) for plan in moved] == [("train", 1), ("test", 1)]


def test_a_kept_shard_is_the_same_file_under_another_name(tmp_path: Path) -> None:
    store, out, later = ShardStore(tmp_path / "store"), tmp_path / "one", tmp_path / "two"
    for kind in ("data", "rejects"):
        (out / kind).mkdir(parents=True)
        (out / kind / "train-00000-of-00001.parquet").write_bytes(kind.encode())
    files = {f"{kind}/train-00000-of-00001.parquet": {"rows": 1} for kind in ("data", "rejects")}
    assert store.take("key", later, "train-00004-of-00009") is None
    store.keep("key", out, {"split": "train", "files": files})
    store.keep("key", out, {"split": "train", "files": files})  # twice is once
    report = store.take("key", later, "train-00004-of-00009")
    assert report is not None and report["files"].keys() == {
        "data/train-00004-of-00009.parquet",
        "rejects/train-00004-of-00009.parquet",
    }
    for kind in ("data", "rejects"):
        there = later / kind / "train-00004-of-00009.parquet"
        assert there.samefile(out / kind / "train-00000-of-00001.parquet") and there.read_bytes() == kind.encode()
    (store.folder / ".left.1").mkdir()
    store.tidy(["other"])
    assert list(store.folder.iterdir()) == []


def test_rows_are_read_again_only_when_a_file_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    from proofpress.cleaners.corpora import CORPORA

    shutil.copytree(IM2LATEX, tmp_path / "corpus")
    wanted, corpus = CorpusRecipe(name="im2latex", path=tmp_path / "corpus"), CORPORA["im2latex"]
    refs, loads = list(corpus.items(wanted.path)), []
    real = type(corpus).load
    monkeypatch.setattr(type(corpus), "load", lambda self, path, ref: (loads.append(ref), real(self, path, ref))[1])
    first = row_digests(wanted, refs, tmp_path / "cache")
    assert loads == refs
    assert row_digests(wanted, refs, tmp_path / "cache") == first and loads == refs
    picture = next((tmp_path / "corpus/data/sample/images").glob("*.png"))
    picture.write_bytes(picture.read_bytes() + b"\0")
    second = row_digests(wanted, refs, tmp_path / "cache")
    assert len(loads) == 2 * len(refs)
    assert [ref for ref in refs if first[ref] != second[ref]] == [ref for ref in refs if picture.stem in ref]


def test_a_dataset_is_brought_up_to_date_and_left_alone_when_it_is(tmp_path: Path) -> None:
    recipe = BuildRecipe(name="formulas", corpora=[{"name": "im2latex", "path": str(IM2LATEX)}], rows_per_shard=8)
    first = bring_up_to_date(recipe, tmp_path / "out")
    assert not first.was_there and bring_up_to_date(recipe, tmp_path / "out").was_there
    masked = recipe.model_copy(update={"personal": "mask"})  # how rows come out: nothing can stay
    second = bring_up_to_date(masked, tmp_path / "out")
    assert second.folder != first.folder and second.manifest["parent"] is not None
    pointer = json.loads((tmp_path / "out/current.json").read_text())
    assert tmp_path / "out" / pointer["dataset"] == second.folder
