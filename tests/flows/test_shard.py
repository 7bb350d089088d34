import pytest

from proofpress.flows.config import BuildRecipe, JudgeRecipe
from proofpress.flows.plan import cut_shards, list_items
from proofpress.flows.shard import judge_pages, make_shard, write_pages
from proofpress.pages.record import PageRecord, Reject
from proofpress.pages.shards import order_key, read_records, read_rejects


def test_a_shard_holds_its_items_in_seeded_order(tmp_path, quick_press, recipe: BuildRecipe):
    plan = cut_shards(recipe, list_items(recipe))[-1]
    report = make_shard(recipe, tmp_path, plan)
    kept, rejects = list(read_records(tmp_path)), list(read_rejects(tmp_path))
    assert {page.id for page in [*kept, *rejects]} == {item.content_id for item in plan.items}
    keys = [order_key(recipe.seed, record.id) for record in kept]
    assert keys == sorted(keys)
    assert {record.split for record in kept} == {plan.split} == {report["split"]}


def test_the_report_counts_what_was_written(tmp_path, quick_press, recipe: BuildRecipe):
    plan = cut_shards(recipe, list_items(recipe))[0]
    report = make_shard(recipe, tmp_path, plan)
    counts = report["sources"]["press"]
    assert counts["made"] == len(plan.items) == counts["kept"] + sum(counts["rejected"].values())
    assert report["rows"] == counts["kept"] == report["files"][f"data/{plan.name}.parquet"]["rows"]
    assert counts["licence"] == "CC0-1.0"


def test_a_shard_of_which_nothing_was_kept_is_a_file_without_rows(tmp_path, quick_page):
    report = write_pages(tmp_path, "train-00000-of-00001", "train", [quick_page(0, 3)])
    assert report["rows"] == 0 and list(read_records(tmp_path)) == []
    assert report["sources"]["press"]["rejected"] == {"proof: text.differs": 1}


@pytest.fixture
def pages(quick_page) -> list[PageRecord | Reject]:
    return [quick_page(0, index) for index in range(12)]


def test_what_the_judge_drops_becomes_a_reject_that_can_be_looked_at(strict_judge, pages):
    judged = judge_pages(JudgeRecipe(), pages)
    assert [page.id for page in judged] == [page.id for page in pages]
    dropped = [page for page in judged if isinstance(page, Reject) and page.stage == "judge"]
    assert dropped and all(page.image and "formula" in page.text and "likelihood" in page.evidence for page in dropped)
    kept = [page for page in judged if isinstance(page, PageRecord)]
    assert kept and all(page.scores and page.scores.verdict == "keep" for page in kept)


def test_a_judge_that_may_not_drop_only_scores(strict_judge, pages):
    judged = judge_pages(JudgeRecipe(drop=False), pages)
    assert [type(page) for page in judged] == [type(page) for page in pages]
    assert "drop" in {page.scores.verdict for page in judged if isinstance(page, PageRecord) and page.scores}


def test_earlier_rejects_are_not_judged(strict_judge, pages):
    judged = judge_pages(JudgeRecipe(), pages)
    assert [page for page in judged if page in pages] == [page for page in pages if isinstance(page, Reject)]
