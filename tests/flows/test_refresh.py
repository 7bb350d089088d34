"""The loop at a size of seconds: what is made again, what is not, and why a model is promoted or not."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from proofpress.cleaners.files import open_files
from proofpress.flows import published_loop
from proofpress.flows import refresh as loops
from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.compare import compare
from proofpress.flows.config import DuplicatesRecipe
from proofpress.flows.growing import keys_of
from proofpress.flows.loop_recipe import RefreshRecipe
from proofpress.flows.observing import Read
from proofpress.flows.published_loop import refresh_published
from proofpress.flows.refresh import refresh
from proofpress.pages import storage
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import PageRecord
from proofpress.pages.shards import read_manifest, read_records
from proofpress.pages.storage import read_bytes, sizes

IM2LATEX = Path(__file__).parents[1] / "fixtures/im2latex"


@dataclass(frozen=True)
class Forgetful:
    """Reads every third record by its first half."""

    model: str
    read_twice: bool = True

    @property
    def identity(self) -> str:
        return f"forgetful {self.model}"

    def read(self, records: list[PageRecord]) -> list[Read | None]:
        return [
            Read((one.text[: len(one.text) // 2] if int(one.id, 16) % 3 == 0 else one.text,), -0.5, -0.4)
            for one in records
        ]


@pytest.fixture
def loop(tmp_path: Path, quick_press: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small corpus in it; the model reads without being one, pages are printed without a browser."""
    shutil.copytree(IM2LATEX, tmp_path / "im2latex")
    monkeypatch.setattr(loops, "ByModel", Forgetful)
    monkeypatch.setattr(loops, "_model_digest", lambda model: f"digest of {Path(model).name}")
    monkeypatch.setattr("proofpress.flows.mined_recipe._printable", lambda lattice, name: True)
    return tmp_path


def recipe(loop: Path, **values: Any) -> RefreshRecipe:
    build = {
        "name": "small", "seed": 3, "press": {"pages": 30}, "rows_per_shard": 8,
        "corpora": [{"name": "im2latex", "path": str(loop / "im2latex")}], "splits": {"validation": 0.2},
    }  # fmt: skip
    plain = {"name": "loop", "build": build, "mine": {"rows": 10, "pages": 12}}
    return RefreshRecipe.model_validate({**plain, **values})


def more_pages(loop: Path, pages: int) -> RefreshRecipe:
    base = recipe(loop)
    assert base.build.press is not None
    press = base.build.press.model_copy(update={"pages": pages})
    return base.model_copy(update={"build": base.build.model_copy(update={"press": press})})


def shards(version: Path) -> set[tuple[str, int]]:
    """Digest and inode of each shard's files of a version's dataset."""
    manifest = read_manifest(version / "dataset")
    return {(f["sha256"], (version / "dataset" / p).stat().st_ino) for p, f in manifest["files"].items() if "/" in p}


def test_where_nothing_changed_nothing_is_written(loop: Path, bytes_of: Callable[[Path], dict[str, bytes]]) -> None:
    first = refresh(recipe(loop), loop / "out")
    assert not first.was_there and first.manifest["version"] == 1 and first.manifest["parent"] is None
    before = bytes_of(loop / "out")
    times = {path: path.stat().st_mtime_ns for path in (loop / "out").rglob("*.parquet")}
    second = refresh(recipe(loop), loop / "out")
    assert second.was_there and bytes_of(loop / "out") == before
    assert times == {path: path.stat().st_mtime_ns for path in (loop / "out").rglob("*.parquet")}


def test_new_rows_get_shards_of_their_own_and_all_others_are_the_same_files(loop: Path) -> None:
    first = refresh(recipe(loop), loop / "out").version.folder
    _add_formula(loop)
    second = refresh(recipe(loop), loop / "out").version.folder
    assert shards(first) <= shards(second), "every shard of before is there, as the same file"
    found = compare(first, second)["rows"]["dataset"]
    assert found["added"]["count"] == 1 and found["removed"]["count"] == found["changed"]["count"] == 0
    assert found["shards"]["written"] == 1


def test_more_pages_are_printed_and_the_others_are_not_printed_again(
    loop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofpress.flows import shard

    printed: list[int] = []
    quick = shard.print_pages
    monkeypatch.setattr(shard, "print_pages", lambda r, seed, i: (printed.extend(i), quick(r, seed, i))[1])
    refresh(recipe(loop), loop / "out")
    printed.clear()
    refresh(more_pages(loop, 40), loop / "out")
    assert sorted(index for index in printed if index >= 12) == list(range(30, 40)), "0..11 are what mining asks for"


def test_a_changed_file_makes_its_rows_anew_and_no_others(loop: Path) -> None:
    first = refresh(recipe(loop), loop / "out").version.folder
    images = loop / "im2latex/data/sample/images"
    kept = next(r for r in read_records(first / "dataset", "train") if r.source.name == "im2latex")
    (picture,) = images.glob(f"{kept.source.id}*")
    picture.write_bytes(_darker(picture.read_bytes()))
    second = refresh(recipe(loop), loop / "out").version.folder
    found = compare(first, second)["rows"]["dataset"]
    assert found["changed"]["ids"] == [kept.id] and found["added"]["count"] == found["removed"]["count"] == 0
    assert found["shards"]["written"] == 1


def test_a_row_that_is_gone_leaves_the_other_shards_alone(loop: Path) -> None:
    first = refresh(recipe(loop), loop / "out").version.folder
    second = refresh(more_pages(loop, 29), loop / "out").version.folder
    found = compare(first, second)
    assert found["rows"]["dataset"]["shards"]["written"] <= 1
    assert found["rows"]["dataset"]["removed"]["count"] == 1
    assert found["recipe"]["build.press.pages"] == [30, 29]


def unique(loop: Path, keep: str = "one") -> RefreshRecipe:
    base = recipe(loop)
    build = base.build.model_copy(update={"duplicates": DuplicatesRecipe(keep=keep)})  # type: ignore[arg-type]
    return base.model_copy(update={"build": build})


@pytest.mark.parametrize("keep", ["one", "all"])
def test_what_is_new_is_parted_from_what_stands_and_other_shards_stay(loop: Path, keep: str) -> None:
    first = refresh(unique(loop, keep), loop / "out").version.folder
    _add_formula(loop)  # one that is there, printed darker
    done = refresh(unique(loop, keep), loop / "out")
    second, facts = done.version.folder, read_manifest(done.version.folder / "dataset")["duplicates"]
    assert facts["clusters"] and (facts["dropped"] > 0) == (keep == "one")
    changed = {digest for digest, _ in shards(second)} - {digest for digest, _ in shards(first)}
    assert 0 < len(changed) <= 6, "data and rejects of its own shard, of the other's, and the notes beside"
    whole = build(unique(loop, keep).build, loop / "whole").folder
    standing = {(one.id, one.split, one.cluster_id) for one in read_records(second / "dataset")}
    assert standing == {(one.id, one.split, one.cluster_id) for one in read_records(whole)}
    assert refresh(unique(loop, keep), loop / "out").was_there
    used = {key for layout in (loop / "out/versions").glob("*/*/layout.json") for key in keys_of(layout.parent)}
    assert used == {path.name for path in (loop / "out/store").iterdir()}, "no more is kept, and no less"


def test_a_version_names_its_parent(loop: Path) -> None:
    import hashlib

    first = refresh(recipe(loop), loop / "out").version
    second = refresh(recipe(loop), loop / "out", again=True)
    digest = hashlib.sha256((first.folder / "version.json").read_bytes()).hexdigest()
    assert second.manifest["parent"] == {"version": 1, "sha256": digest}
    assert json.loads((loop / "out/current.json").read_text())["version"] == 2
    assert read_manifest(second.version.folder / "dataset")["parent"] is not None


@pytest.mark.parametrize(
    ("stage", "call"),
    [("grow", 1), ("mine", 1), ("_train_and_decide", 1), ("write_whole", 1), ("write_whole", 2), ("_point_to", 1)],
)
def test_a_stop_between_or_in_stages_changes_nothing_of_the_end(
    loop: Path, stage: str, call: int, monkeypatch: pytest.MonkeyPatch, bytes_of: Callable[[Path], dict[str, bytes]]
) -> None:
    refresh(recipe(loop), loop / "undisturbed")
    real, calls = getattr(loops, stage), [0]

    def stopping(*arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == call:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    monkeypatch.setattr(loops, stage, stopping)
    try:
        refresh(recipe(loop), loop / "out")
    except KeyboardInterrupt:
        monkeypatch.setattr(loops, stage, real)
        refresh(recipe(loop), loop / "out")
    assert bytes_of(loop / "out") == bytes_of(loop / "undisturbed")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("kilobytes", [32, 128, 400, 800])
def test_a_disk_that_runs_full_costs_nothing_that_is_done(loop: Path, kilobytes: int, bytes_of: Callable) -> None:
    disk = loop / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a tmpfs")
    try:
        with pytest.raises((WorkError, OSError), match=r"disk is full|No space left"):
            refresh(recipe(loop), disk / "out")
        assert not list(disk.rglob(loops.VERSION))
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        refresh(recipe(loop), disk / "out")
        refresh(recipe(loop), loop / "undisturbed")
        assert bytes_of(disk / "out") == bytes_of(loop / "undisturbed")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_an_unfinished_version_of_other_inputs_is_made_anew(loop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = loops.mine
    monkeypatch.setattr(loops, "mine", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        refresh(recipe(loop), loop / "out")
    monkeypatch.setattr(loops, "mine", real)
    done = refresh(more_pages(loop, 33), loop / "out")
    assert done.manifest["version"] == 1 and done.manifest["recipe"]["build"]["press"]["pages"] == 33


def test_two_refreshes_do_not_work_in_one_folder(loop: Path) -> None:
    with loops.alone(loop / "out"), pytest.raises(WorkError, match="another refresh is at work here"):
        refresh(recipe(loop), loop / "out")


def test_the_folder_of_another_loop_is_refused(loop: Path) -> None:
    refresh(recipe(loop), loop / "out")
    with pytest.raises(RequestError, match="is the loop of loop, not of other"):
        refresh(recipe(loop, name="other"), loop / "out")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train": {"steps": 2}}, "benchmarks: a model is only promoted by what it reads there"),
        ({"mine": {"split": "dev"}}, "mine.split: 'dev' is no split of the build"),
        ({"schedules": {"build": "every night"}}, "schedules.build: 'every night'"),
    ],
)
def test_a_recipe_that_cannot_be_is_told_why(loop: Path, changes: dict[str, Any], message: str) -> None:
    path = loop / "refresh.yaml"
    values = {"name": "loop", "build": {"name": "x", "press": {"pages": 3}}, **changes}
    path.write_text(yaml.safe_dump(values))
    with pytest.raises(RequestError) as caught:
        app(["refresh", str(path), "--out", str(loop / "out")], standalone_mode=False)
    assert message in str(caught.value)


@pytest.mark.parametrize("killed", [None, 1, 7, -1])
def test_a_loop_in_a_store_has_the_versions_of_one_in_a_folder(
    loop: Path, store: Any, killed: int | None, bytes_of: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{store.url}/loop"
    here = refresh(recipe(loop), loop / "out").version.folder
    real, puts = published_loop.put, list[str]()

    def stopping(path: Path, place: str) -> None:
        if len(puts) == (killed if killed != -1 else len(bytes_of(here)) - 1):
            puts.append("killed")
            raise KeyboardInterrupt
        puts.append(place)
        real(path, place)

    monkeypatch.setattr(published_loop, "put", stopping)
    with contextlib.suppress(KeyboardInterrupt):
        refresh_published(recipe(loop), url)
    assert killed is None or f"versions/0001/{loops.VERSION}" not in sizes(url), "the version's own file comes last"
    refresh_published(recipe(loop), url)
    wanted = {f"versions/0001/{name}": data for name, data in bytes_of(here).items()}
    assert {name: read_bytes(f"{url}/{name}") for name in sizes(url)} == {
        **wanted, "current.json": (loop / "out/current.json").read_bytes(),
    }  # fmt: skip
    assert refresh_published(recipe(loop), url).was_there


def test_a_loop_in_a_store_goes_on_where_its_working_folder_is_lost(loop: Path, store: Any, bytes_of: Callable) -> None:
    url = f"{store.url}/loop"
    refresh_published(recipe(loop), url)
    shutil.rmtree(loop / "cache")  # of stores, that is
    assert refresh_published(recipe(loop), url).was_there
    done = refresh_published(more_pages(loop, 40), url)
    for pages in (30, 40):
        refresh(more_pages(loop, pages), loop / "out")
    assert done.manifest["version"] == 2
    assert bytes_of(done.version.folder) == bytes_of(loop / "out/versions/0002")
    assert read_manifest(f"{url}/versions/0002/dataset") == read_manifest(loop / "out/versions/0002/dataset")


def test_another_machine_that_turned_the_loop_otherwise_is_told(loop: Path, store: Any) -> None:
    url = f"{store.url}/loop"
    refresh_published(recipe(loop), url)
    storage.write_whole(f"{url}/versions/0001/{loops.VERSION}", b"{}")
    with pytest.raises(RequestError, match="another machine turned the loop"):
        refresh_published(recipe(loop), url)


@pytest.mark.parametrize(("gain", "promoted"), [(0.2, True), (0.0, False), (-0.2, False)])
def test_a_model_is_promoted_only_where_it_reads_better(
    loop: Path, gain: float, promoted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = refresh(recipe(loop), loop / "bench")
    started: list[str] = []

    def trained(wanted: Any, datasets: list[Path], run: Path, resume: bool) -> dict[str, Any]:
        started.append(wanted.init)
        assert [folder.name for folder in datasets][:2] == ["dataset", "hard"] and resume
        (run / "model").mkdir(parents=True)
        (run / "summary.json").write_text('{"finished": true}')
        return {"finished": True}

    def scores(turn: Any, model: str, benchmark: Any) -> list[Any]:
        from proofpress.model.bench.dataset import evaluate

        found = evaluate(read_records(benchmark.dataset), lambda record: record.text).records
        value = 0.5 + (gain if "run" in model else 0)
        return [replace(one, value=value + (0.01 if n % 2 else 0)) for n, one in enumerate(found)]

    monkeypatch.setattr("proofpress.model.train.sft.train_sft", trained)
    monkeypatch.setattr(loops, "_scores", scores)
    wanted = recipe(loop, train={"steps": 2}, benchmarks=[{"dataset": str(first.version.folder / "dataset")}])
    done = refresh(wanted, loop / "out")
    assert done.manifest["decision"]["promoted"] is promoted
    assert done.manifest["model"]["folder"] == ("versions/0001/run/model" if promoted else None)
    assert refresh(wanted, loop / "out").was_there, "a promotion alone is no reason for another turn"
    refresh(wanted, loop / "out", again=True)
    assert started == ["nano", str(loop / "out/versions/0001/run/model") if promoted else "nano"]


def test_the_commands_show_what_was_done_and_what_differs(loop: Path) -> None:
    path = loop / "refresh.yaml"
    path.write_text(yaml.safe_dump(json.loads(recipe(loop).model_dump_json(exclude_defaults=True))))
    line = ["refresh", str(path), "--out", str(loop / "out")]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    assert "model     kept: the recipe trains nothing" in result.output
    assert "Nothing has changed since version 1" in CliRunner().invoke(app, line).output
    more = CliRunner().invoke(app, [*line, "--set", "build.press.pages=34", "--json", "--quiet"])
    assert json.loads(more.output)["version"] == 2
    versions = [str(loop / "out/versions" / number) for number in ("0001", "0002")]
    result = CliRunner().invoke(app, ["diff", *versions])
    assert "recipe    build.press.pages: 30 -> 34" in result.output and "added" in result.output
    with pytest.raises(RequestError, match="neither a dataset nor a version"):
        app(["diff", str(loop), versions[0]], standalone_mode=False)


def _add_formula(loop: Path) -> None:
    """Add one row to the corpus: a formula it has, printed darker."""
    sample = loop / "im2latex/data/sample"
    formulas = (sample / "formulas.lst").read_text(encoding="latin-1").rstrip("\n").split("\n")
    (sample / "formulas.lst").write_text("\n".join([*formulas, formulas[0], ""]), encoding="latin-1")
    picture = (sample / "images/0000000000.png").read_bytes()
    (sample / "images/00000000ff.png").write_bytes(_darker(picture))
    lines = (sample / "train.lst").read_text().rstrip("\n")
    (sample / "train.lst").write_text(f"{lines}\n{len(formulas)} 00000000ff basic\n")
    open_files.cache_clear()  # another turn is another process


def _darker(png: bytes) -> bytes:
    import io

    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB").point(lambda value: value // 2 if value < 128 else value)
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()
