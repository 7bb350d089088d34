import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from proofpress.flows import duplicates
from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe, DuplicatesRecipe
from proofpress.flows.duplicates import deduplicate
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import PageRecord, Reject, Source, record_id
from proofpress.pages.shards import read_manifest, read_records, read_rejects, write_manifest, write_shard

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu")


def prose(number: int) -> str:
    """Eighty words that no other number has in this order."""
    return " ".join(f"{WORDS[(number * 7 + place * place) % len(WORDS)]}{number}{place}" for place in range(80))


def page(name: str, text: str, split: str = "train", corpus: str = "one", size: int = 200) -> PageRecord:
    image = Image.new("RGB", (size, 100), "white")
    ImageDraw.Draw(image).text((5, 5), name, fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    source = Source(corpus, name, "1", "MIT")
    identity = record_id(corpus, name, "1")
    return PageRecord(identity, data.getvalue(), size, 100, text, "text", source, split=split, content_id=identity)


@pytest.fixture
def dataset(tmp_path) -> Callable[..., Path]:
    """From a name and records to a dataset folder."""

    def make(name: str, records: list[PageRecord]) -> Path:
        files = {}
        splits = sorted({record.split for record in records})
        for split in splits:
            rows = [record for record in records if record.split == split]
            path = f"data/{split}-00000-of-00001.parquet"
            info = write_shard(tmp_path / name / path, rows)
            files[path] = {"rows": info.rows, "sha256": info.sha256}
        write_manifest(
            tmp_path / name,
            {
                "name": name, "recipe": {"name": name}, "recipe_hash": name, "items": name, "versions": {},
                "splits": {}, "sources": {}, "rejected": {}, "files": files,
            },
        )  # fmt: skip
        return tmp_path / name

    return make


def test_one_row_of_a_cluster_stays_and_the_others_say_why_they_went(tmp_path, dataset):
    records = [page(f"a{n}", prose(n)) for n in range(5)]
    again = page("larger scan", "A note. " + prose(2), size=400)
    made = deduplicate([dataset("one", [*records, again])], tmp_path / "out", DuplicatesRecipe())
    kept = {record.id for record in read_records(tmp_path / "out")}
    assert kept == {record.id for record in [*records, again]} - {records[2].id}
    (reject,) = read_rejects(tmp_path / "out")
    assert (reject.id, reject.stage, reject.reason) == (records[2].id, "duplicates", "duplicate.text")
    assert again.id in reject.evidence and reject.image == records[2].image and records[2].id in reject.original
    facts = {"clusters": 1, "rows": 2, "dropped": 1, "moved": 0, "sources": {"one": 1}, "evidence": {"text": 1}}
    assert made.manifest["duplicates"] | facts == made.manifest["duplicates"]
    assert made.manifest["duplicates"]["largest"] == [[min(again.id, records[2].id), 2]]


def test_duplicates_are_found_across_corpora_and_the_held_out_one_stays(tmp_path, dataset):
    trained = dataset("one", [page(f"a{n}", prose(n), size=300) for n in range(3)])
    tested = dataset("two", [page("b", prose(1), split="test", corpus="two"), page("c", prose(9), corpus="two")])
    made = deduplicate([trained, tested], tmp_path / "out", DuplicatesRecipe())
    assert made.manifest["splits"] == {"train": 3, "test": 1}
    assert made.manifest["duplicates"]["sources"] == {"one + two": 1}
    assert [record.source.id for record in read_records(tmp_path / "out", "test")] == ["b"]


def test_where_all_rows_stay_a_cluster_stands_in_its_most_held_out_split(tmp_path, dataset):
    records = [page(f"a{n}", prose(n)) for n in range(3)] + [page("b", prose(1), split="validation")]
    made = deduplicate([dataset("one", records)], tmp_path / "out", DuplicatesRecipe(keep="all"))
    assert made.manifest["splits"] == {"train": 2, "validation": 2}
    moved = list(read_records(tmp_path / "out", "validation"))
    assert {record.source.id for record in moved} == {"a1", "b"}
    assert {record.cluster_id for record in moved} == {min(record.id for record in moved)}
    assert made.manifest["duplicates"]["moved"] == 1 and not list(read_rejects(tmp_path / "out"))


def test_crops_go_with_the_page_that_moves(tmp_path, dataset):
    whole = page("a", prose(1))
    crop = replace(page("a crop", prose(2)), content_id=whole.content_id)
    records = [whole, crop, page("b", prose(2), split="validation"), page("c", prose(3))]
    deduplicate([dataset("one", records)], tmp_path / "out", DuplicatesRecipe(keep="all"))
    held_out = {record.source.id for record in read_records(tmp_path / "out", "validation")}
    assert held_out == {"a", "a crop", "b"}


def test_a_row_that_is_in_two_datasets_stands_once_whatever_is_kept(tmp_path, dataset):
    records = [page("a", prose(1)), page("b", "two words")]
    both = [dataset("one", records), dataset("two", records)]
    for keep in ("one", "all"):
        deduplicate(both, tmp_path / f"kept {keep}", DuplicatesRecipe(keep=keep))
        kept = [record.id for record in read_records(tmp_path / f"kept {keep}")]
        assert sorted(kept) == sorted(record.id for record in records)


def test_the_table_of_clusters_tells_of_every_row_of_every_cluster(tmp_path, dataset):
    records = [page(f"a{n}", prose(n // 2)) for n in range(6)] + [page("alone", prose(77))]
    made = deduplicate([dataset("one", records)], tmp_path / "out", DuplicatesRecipe())
    rows = pq.read_table(tmp_path / "out" / "clusters.parquet").to_pylist()
    assert {row["id"] for row in rows} == {record.id for record in records[:-1]}
    assert sum(row["kept"] for row in rows) == 3 == len({row["cluster_id"] for row in rows})
    assert made.manifest["files"]["clusters.parquet"]["rows"] == len(rows)
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert len(loaded["train"]) == 4


@pytest.mark.parametrize("broken", ["fingerprints", "shards"])
def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path, bytes_of, monkeypatch, dataset, broken):
    folder = dataset("one", [page(f"a{n}", prose(n % 4)) for n in range(12)])
    deduplicate([folder], tmp_path / "whole", DuplicatesRecipe())
    name = {"fingerprints": "find_clusters", "shards": "write_pages"}[broken]
    right = getattr(duplicates, name)

    def fail(*args):
        raise WorkError("killed")

    monkeypatch.setattr(duplicates, name, fail)
    with pytest.raises(WorkError, match="killed"):
        deduplicate([folder], tmp_path / "out", DuplicatesRecipe())
    assert not (tmp_path / "out" / "manifest.json").exists()
    monkeypatch.setattr(duplicates, name, right)
    deduplicate([folder], tmp_path / "out", DuplicatesRecipe())
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")
    assert deduplicate([folder], tmp_path / "out", DuplicatesRecipe()).was_there


def test_wrong_requests_are_refused(tmp_path, dataset):
    folder = dataset("one", [page("a", prose(1))])
    with pytest.raises(RequestError, match="is one of the datasets itself"):
        deduplicate([folder], folder, DuplicatesRecipe())
    with pytest.raises(RequestError, match="not a complete dataset"):
        deduplicate([tmp_path / "none"], tmp_path / "out", DuplicatesRecipe())


@pytest.fixture
def many(recipe: BuildRecipe) -> BuildRecipe:
    return recipe.model_copy(update={"duplicates": DuplicatesRecipe()})


def test_a_build_parts_its_duplicates_and_keeps_its_earlier_rejects(tmp_path, quick_press, recipe, many, bytes_of):
    plain, unique = build(recipe, tmp_path / "plain"), build(many, tmp_path / "unique")
    assert not (tmp_path / "unique" / "work").exists()
    rejects = list(read_rejects(tmp_path / "unique"))
    earlier = {reject.id for reject in read_rejects(tmp_path / "plain")}
    assert earlier == {reject.id for reject in rejects if reject.stage == "proof"}
    kept = {record.id for record in read_records(tmp_path / "unique")}
    dropped = {reject.id for reject in rejects if reject.stage == "duplicates"}
    assert kept | dropped == {record.id for record in read_records(tmp_path / "plain")} and not kept & dropped
    assert unique.manifest["sources"]["press"]["made"] == plain.manifest["sources"]["press"]["made"]
    assert unique.manifest["browser"] == plain.manifest["browser"]
    assert all(record.hashes["phash_trimmed"] and record.cluster_id for record in read_records(tmp_path / "unique"))


def test_a_build_without_duplicates_is_the_same_wherever_it_was_broken(
    tmp_path, quick_press, monkeypatch, many, bytes_of
):
    build(many, tmp_path / "whole")
    for name in ("proofpress.flows.build.make_shard", "proofpress.flows.duplicates.settle"):
        with monkeypatch.context() as patch:
            patch.setattr(name, lambda *args: (_ for _ in ()).throw(WorkError("killed")))
            with pytest.raises(WorkError, match="killed"):
                build(many, tmp_path / "out")
    build(many, tmp_path / "out")
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_a_build_is_decontaminated_against_any_folder(tmp_path, quick_press, recipe, quick_page):
    (tmp_path / "bench").mkdir()
    victim = next(page for page in map(lambda n: quick_page(3, n), range(9)) if isinstance(page, PageRecord))
    (tmp_path / "bench" / "some page.png").write_bytes(victim.image)
    (tmp_path / "bench" / "some page.md").write_text(victim.text)
    made = build(recipe.model_copy(update={"decontaminate": (tmp_path / "bench",)}), tmp_path / "out")
    assert made.manifest["benchmarks"]["pages"] == {"bench": 1}
    hit = {reject.id: reject for reject in read_rejects(tmp_path / "out") if reject.stage == "screen"}
    assert victim.id in hit and "bench/some page" in hit[victim.id].evidence
    assert str(tmp_path) not in (tmp_path / "out" / "manifest.json").read_text()
    assert isinstance(hit[victim.id], Reject)
    assert read_manifest(tmp_path / "out")["recipe"]["decontaminate"] == ["bench"]


def dedup_command(folders: list[Path], out: Path, runner: str) -> subprocess.Popen[bytes]:
    """``proofpress dedup`` as a person runs it, in a process group of its own."""
    command = [sys.executable, "-m", "proofpress.flows.cli", "dedup", *map(str, folders), "--out", str(out)]
    settings = ["--runner", runner, "--quiet", *(["--workers", "2"] if runner == "processes" else [])]
    return subprocess.Popen([*command, *settings], start_new_session=True, stderr=subprocess.PIPE)


def files_in(folder: Path) -> int:
    """How many files there are by now."""
    return sum(1 for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


@pytest.mark.slow
def test_inline_processes_and_killed_at_any_moment_give_the_same_bytes(tmp_path, bytes_of, dataset):
    folders = [
        dataset(f"corpus {n}", [page(f"{n} a{m}", prose((3 * n + m) % 40), corpus=f"c{n}") for m in range(25)])
        for n in range(5)
    ]
    made = {runner: dedup_command(folders, tmp_path / runner, runner) for runner in ("inline", "processes")}
    assert [process.wait(300) for process in made.values()] == [0, 0]
    whole = bytes_of(tmp_path / "inline")
    assert len(list(read_rejects(tmp_path / "inline"))) > 60
    assert bytes_of(tmp_path / "processes") == whole

    killed = 0
    for wanted in (2, 6, 9, 12, 15, 18, 999):  # files that are there when it is killed
        out = tmp_path / "killed"
        process = dedup_command(folders, out, "processes")
        while process.poll() is None and files_in(out) < wanted:
            time.sleep(0.002)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        if process.wait() == 0:
            break
        assert not (out / "manifest.json").exists()
    assert killed >= 3
    assert bytes_of(tmp_path / "killed") == whole
