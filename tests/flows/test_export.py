import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import datasets
import pytest
from PIL import Image
from trl.data_utils import is_conversational, prepare_multimodal_messages
from typer.testing import CliRunner

from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.config import BuildRecipe
from proofpress.flows.export import EXPORT, PROMPTS, export
from proofpress.pages.errors import RequestError
from proofpress.pages.record import TASKS
from proofpress.pages.shards import read_manifest, read_records, read_shard, write_shard


@pytest.fixture
def dataset(tmp_path: Path, quick_press, recipe: BuildRecipe) -> Path:
    """A dataset whose first shard has a JPEG among its PNGs."""
    folder = build(recipe, tmp_path / "out").folder
    path = folder / min(name for name in read_manifest(folder)["files"] if name.startswith("data/train"))
    first, second, *others = read_shard(path)
    photo = io.BytesIO()
    Image.open(io.BytesIO(second.image)).convert("RGB").save(photo, "JPEG")
    write_shard(path, [first, replace(second, image=photo.getvalue(), features={"wear": "photo"}), *others])
    return folder


def test_tars_hold_samples_that_datasets_reads(dataset: Path, tmp_path: Path):
    made = export(dataset, tmp_path / "tars", "webdataset")
    records = list(read_records(dataset, "train"))
    tars = sorted(str(path) for path in (tmp_path / "tars").glob("train-*.tar"))
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset("webdataset", data_files={"train": tars}, split="train", cache_dir=cache)
    assert [row["txt"] for row in loaded] == [record.text for record in records]
    assert [row["__key__"] for row in loaded] == [record.id for record in records]
    assert loaded[1]["png"].size == (240, 120)
    assert loaded[1]["json"]["source"]["licence"] == records[1].source.licence
    assert json.loads(loaded[1]["json"]["features"]) == {"wear": "photo"}
    with tarfile.open(tars[0]) as tar:
        assert {(member.mtime, member.uid, member.uname) for member in tar} == {(0, 0, "")}
        assert tar.extractfile(f"{records[0].id}.png").read() == records[0].image
    assert sum(file["rows"] for file in made["files"].values()) == sum(read_manifest(dataset)["splits"].values())


def test_conversations_are_what_trl_takes(dataset: Path, tmp_path: Path):
    export(dataset, tmp_path / "chat", "trl")
    loaded = datasets.load_dataset(str(tmp_path / "chat"), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "validation"}
    records = list(read_records(dataset, "train"))
    row = loaded["train"][0]
    assert is_conversational(row)
    assert row["prompt"] == [{"role": "user", "content": PROMPTS["page"]}]
    assert row["completion"] == [{"role": "assistant", "content": records[0].text}]
    (image,) = row["images"]
    message = prepare_multimodal_messages(row["prompt"], [image])[0]
    assert [part["type"] for part in message["content"]] == ["image", "text"]
    assert (row["id"], row["licence"]) == (records[0].id, records[0].source.licence)
    assert image.size == (240, 120)


def test_every_task_is_asked_for():
    assert set(PROMPTS) == set(TASKS)


@pytest.mark.parametrize("form", ["webdataset", "trl"])
def test_the_same_dataset_gives_the_same_bytes_and_the_same_command_goes_on(
    dataset: Path, tmp_path: Path, form: str, bytes_of: Callable
):
    export(dataset, tmp_path / "a", form)
    export(dataset, tmp_path / "b", form)
    (tmp_path / "b" / EXPORT).unlink()  # as a kill leaves it
    export(dataset, tmp_path / "b", form)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_what_is_not_of_the_export_is_left_alone(dataset: Path, tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/thesis.txt").write_text("mine")
    with pytest.raises(RequestError, match=r"holds thesis\.txt"):
        export(dataset, tmp_path / "a", "trl")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["thesis.txt"]
    with pytest.raises(RequestError, match="has no conversations"):
        export(dataset, tmp_path / "b", "webdataset", prompt="OCR:")
    with pytest.raises(RequestError, match="parquet: is not one of webdataset, trl"):
        export(dataset, tmp_path / "b", "parquet")
    assert not (tmp_path / "b").exists()


def test_the_command_says_what_it_wrote(dataset: Path, tmp_path: Path):
    arguments = ["export", str(dataset), "--format", "trl", "--prompt", "OCR:", "--out", str(tmp_path / "c"), "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["files"] == json.loads((tmp_path / "c" / EXPORT).read_text())["files"]
