import errno
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pytest

from proofpress.flows import shard
from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe, JudgeRecipe
from proofpress.flows.dataset import ShardsFailed
from proofpress.flows.judge import judge
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import read_manifest, read_records, read_rejects

pytestmark = pytest.mark.usefixtures("quick_press")

make_shard = shard.make_shard


def break_shards(monkeypatch: pytest.MonkeyPatch, error: Callable[[str], Exception | None]) -> None:
    """Have shards raise what ``error`` gives for their name."""

    def breaking(recipe: BuildRecipe, folder: Path, plan: Any) -> dict[str, Any]:
        if (raised := error(plan.name)) is not None:
            raise raised
        return make_shard(recipe, folder, plan)

    monkeypatch.setattr("proofpress.flows.build.make_shard", breaking)


def test_a_build_is_a_dataset_with_all_its_parts(tmp_path, recipe: BuildRecipe):
    made = build(recipe, tmp_path / "out")
    manifest = read_manifest(tmp_path / "out")
    assert manifest == made.manifest and not made.was_there
    assert manifest["splits"] == {"train": 23, "validation": 3}
    assert manifest["sources"]["press"]["made"] == 30 == sum(manifest["splits"].values()) + 4
    assert manifest["rejected"] == {"proof: text.differs": 4}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "README.md", "data", "manifest.json", "rejects", "report.html",
    }  # fmt: skip
    assert manifest["recipe_hash"] == recipe.digest() and manifest["browser"]["kind"] == "none"
    assert all(len(font["sha256"]) == 64 and font["version"] for font in manifest["fonts"].values())


def test_hugging_face_reads_it_with_nothing_else(tmp_path, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 23, "validation": 3}
    assert loaded["train"][0]["image"].size == (240, 120)


def test_a_dataset_with_an_empty_shard_is_read_too(tmp_path, monkeypatch, quick_page, recipe: BuildRecipe):
    rejected = [quick_page(3, index * 7 + 3) for index in range(4)]
    monkeypatch.setattr(
        "proofpress.flows.shard.print_pages",
        lambda press, seed, indices: rejected if 0 in indices else map(partial(quick_page, seed), indices),
    )
    made = build(recipe, tmp_path / "out")
    assert 0 in [file["rows"] for path, file in made.manifest["files"].items() if path.startswith("data/")]
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert sum(len(rows) for rows in loaded.values()) == sum(made.manifest["splits"].values())


def test_two_builds_are_equal_in_every_byte(tmp_path, bytes_of, recipe: BuildRecipe):
    build(recipe, tmp_path / "one")
    build(recipe, tmp_path / "elsewhere" / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "elsewhere" / "two")


def test_nothing_of_its_place_stands_in_a_dataset(tmp_path, bytes_of, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    for name, data in bytes_of(tmp_path / "out").items():
        assert str(tmp_path).encode() not in data, name


@pytest.mark.parametrize("broken", [0, 2, 3])
def test_a_failed_build_goes_on_with_the_shards_that_are_missing(
    tmp_path, bytes_of, monkeypatch, recipe: BuildRecipe, broken
):
    build(recipe, tmp_path / "whole")
    names = sorted(path.stem for path in (tmp_path / "whole" / "data").iterdir())
    made = []

    def fail_once(name: str) -> Exception | None:
        made.append(name)
        return WorkError("the browser broke") if name == names[broken] and made.count(name) == 1 else None

    break_shards(monkeypatch, fail_once)
    with pytest.raises(WorkError) as raised:
        build(recipe, tmp_path / "out")
    assert f"{names[broken]}: the browser broke" in str(raised.value) and "1 of 4 shards failed" in str(raised.value)
    assert not (tmp_path / "out" / "manifest.json").exists()
    build(recipe, tmp_path / "out")
    assert sorted(made) == sorted([*names, names[broken]])
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_what_a_killed_worker_was_writing_is_not_in_the_dataset(tmp_path, bytes_of, monkeypatch, recipe: BuildRecipe):
    build(recipe, tmp_path / "whole")

    def leave_half_a_file(name: str) -> None:
        (tmp_path / "out/data").mkdir(exist_ok=True)
        (tmp_path / "out/data" / f".{name}.parquet.77.partial").write_bytes(b"half")

    break_shards(monkeypatch, leave_half_a_file)
    build(recipe, tmp_path / "out")
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_an_unexpected_error_is_kept_for_its_traceback(tmp_path, monkeypatch, recipe: BuildRecipe):
    break_shards(monkeypatch, lambda name: KeyError("x") if name.startswith("validation") else None)
    with pytest.raises(ShardsFailed, match="validation-00000-of-00001: KeyError: 'x'") as raised:
        build(recipe, tmp_path / "out")
    assert [type(error) for error in raised.value.unexpected] == [KeyError]


@pytest.mark.parametrize("damage", ["shard", "rejects", "marker of another build", "partial file"])
def test_only_whole_shards_of_this_very_build_are_kept(tmp_path, bytes_of, monkeypatch, recipe: BuildRecipe, damage):
    build(recipe, tmp_path / "whole")
    break_shards(monkeypatch, lambda name: WorkError("later") if name == "validation-00000-of-00001" else None)
    with pytest.raises(WorkError):
        build(recipe, tmp_path / "out")
    out, first = tmp_path / "out", "train-00000-of-00003"
    if damage == "shard":
        (out / "data" / f"{first}.parquet").write_bytes(b"half")
    elif damage == "rejects":
        (out / "rejects" / f"{first}.parquet").unlink()
    elif damage == "partial file":
        (out / "data" / f".{first}.parquet.77.partial").write_bytes(b"half")
    else:
        marker = out / "work" / f"{first}.json"
        marker.write_text(marker.read_text().replace('"fingerprint":"', '"fingerprint":"0'))
    monkeypatch.setattr("proofpress.flows.build.make_shard", make_shard)
    build(recipe, out)
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


def test_a_complete_dataset_is_left_alone(tmp_path, monkeypatch, recipe: BuildRecipe):
    made = build(recipe, tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    break_shards(monkeypatch, lambda name: AssertionError("made again"))
    again = build(recipe, tmp_path / "out")
    assert again.was_there and again.manifest == made.manifest
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before


def test_a_build_killed_when_only_its_notes_were_left_ends_as_any_other(tmp_path, bytes_of, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    whole = bytes_of(tmp_path / "out")
    (tmp_path / "out/work").mkdir()
    (tmp_path / "out/work/job.json").write_text("{}")
    assert build(recipe, tmp_path / "out").was_there and bytes_of(tmp_path / "out") == whole


def test_a_complete_dataset_that_lost_a_file_is_not_complete(tmp_path, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    (tmp_path / "out/data/train-00001-of-00003.parquet").unlink()
    with pytest.raises(WorkError, match=r"train-00001-of-00003.*is gone"):
        build(recipe, tmp_path / "out")


def test_another_datasets_folder_is_refused(tmp_path, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    other = recipe.model_copy(update={"seed": 4, "name": "other"})
    with pytest.raises(RequestError) as raised:
        build(other, tmp_path / "out")
    assert recipe.digest() in str(raised.value) and other.digest() in str(raised.value) and "--out" in str(raised.value)


def test_a_recipe_that_made_nothing_yet_can_be_mended(tmp_path, bytes_of, recipe: BuildRecipe):
    with pytest.raises(RequestError, match="model nonesuch: not a folder"):
        build(recipe.model_copy(update={"judge": JudgeRecipe(model="nonesuch")}), tmp_path / "out")
    build(recipe, tmp_path / "out")
    build(recipe, tmp_path / "whole")
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_an_unfinished_build_of_another_recipe_is_refused(tmp_path, monkeypatch, recipe: BuildRecipe):
    break_shards(monkeypatch, lambda name: WorkError("later") if name.startswith("validation") else None)
    with pytest.raises(WorkError):
        build(recipe, tmp_path / "out")
    with pytest.raises(RequestError, match="unfinished build of small"):
        build(recipe.model_copy(update={"seed": 4}), tmp_path / "out")


def test_a_folder_with_other_things_in_it_is_refused(tmp_path, recipe: BuildRecipe):
    for name in ("thesis.txt", "work/thesis.txt", "data/thesis.txt"):
        mine = tmp_path / name.replace("/", "-") / name
        mine.parent.mkdir(parents=True)
        mine.write_text("mine")
        with pytest.raises(RequestError, match="is not empty and holds no dataset"):
            build(recipe, tmp_path / name.replace("/", "-"))
        assert mine.read_text() == "mine"
    with pytest.raises(RequestError, match="cannot be made"):
        build(recipe, mine / "out")


@pytest.mark.parametrize("left", ["work", "work/lock", "work/.job.json.77.partial"])
def test_a_folder_left_by_a_build_killed_at_its_start_is_used(tmp_path, recipe: BuildRecipe, left):
    (tmp_path / "out/work").mkdir(parents=True)
    if left != "work":
        (tmp_path / "out" / left).touch()
    assert not build(recipe, tmp_path / "out").was_there


def test_two_commands_do_not_make_one_dataset_at_once(tmp_path, monkeypatch, recipe: BuildRecipe):
    def make_it_within(name: str) -> None:
        with pytest.raises(WorkError, match="another proofpress"):
            build(recipe, tmp_path / "out")

    break_shards(monkeypatch, make_it_within)
    build(recipe, tmp_path / "out")


def test_a_full_disk_stops_the_build_at_once_and_says_so(tmp_path, monkeypatch, recipe: BuildRecipe):
    tried = []

    def full(name: str) -> Exception:
        tried.append(name)
        return OSError(errno.ENOSPC, "No space left on device")

    break_shards(monkeypatch, full)
    with pytest.raises(WorkError, match="the disk is full"):
        build(recipe, tmp_path / "out")
    assert len(tried) == 1 and not (tmp_path / "out/manifest.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("size", ["4k", "16k", "64k", "100k"])
def test_a_disk_that_runs_full_holds_no_dataset_and_no_half_file(tmp_path, recipe: BuildRecipe, size):
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", tmp_path], capture_output=True
    ).returncode:
        pytest.skip("this machine lets nobody mount a tmpfs")
    try:
        (tmp_path / "other").write_bytes(bytes(4096))
        with pytest.raises(WorkError, match="the disk is full"):
            build(recipe, tmp_path / "out")
        assert not (tmp_path / "out/manifest.json").exists()
        assert not list(tmp_path.rglob(".*.partial"))
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_progress_is_told_shard_by_shard(tmp_path, recipe: BuildRecipe):
    told = []
    build(recipe, tmp_path / "out", progress=lambda done, total, name: told.append((done, total)))
    assert told == [(number, 4) for number in range(5)]


def test_a_judged_dataset_is_a_new_one_with_scores(tmp_path, strict_judge, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    made = judge(tmp_path / "out", tmp_path / "judged", JudgeRecipe())
    before, after = list(read_records(tmp_path / "out")), list(read_records(tmp_path / "judged"))
    dropped = list(read_rejects(tmp_path / "judged"))
    assert [r.id for r in after] == [r.id for r in before if "formula" not in r.text]
    assert {r.id for r in dropped} == {r.id for r in before} - {r.id for r in after}
    assert all(record.scores for record in after)
    assert made.manifest["rejected"] == {"judge: unlikely": len(dropped)}
    assert made.manifest["fonts"] == read_manifest(tmp_path / "out")["fonts"]


def test_a_dataset_is_not_judged_onto_itself(tmp_path, recipe: BuildRecipe):
    build(recipe, tmp_path / "out")
    with pytest.raises(RequestError, match="is the dataset itself"):
        judge(tmp_path / "out", tmp_path / "out", JudgeRecipe())
