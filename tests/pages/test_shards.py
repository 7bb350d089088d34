import io
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import datasets
import pytest
from PIL import Image

from proofpress.pages import card, shards
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import PageRecord, Reject, Source

SOURCE = Source("press", "press/7/0", "1", "CC0-1.0")


def png(colour="white"):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(buffer, "PNG")
    return buffer.getvalue()


def records(count):
    return [PageRecord(f"{n:032x}", png(), 8, 6, f"text {n}", "page", SOURCE) for n in range(count)]


def manifest(folder, rows):
    return {
        "name": "test",
        "splits": {"train": rows, "validation": 0},
        "sources": {"press": {"licence": "CC0-1.0", "made": rows + 1, "kept": rows}},
        "rejected": {"proof: overlap": 1},
        "recipe_hash": "abc",
        "versions": {"python": "3.11"},
    }


def test_records_come_back_in_the_order_they_were_written(tmp_path):
    info = shards.write_shard(tmp_path / "data/train-00000-of-00001.parquet", iter(records(250)))
    assert (info.name, info.rows) == ("train-00000-of-00001.parquet", 250)
    assert list(shards.read_records(tmp_path)) == records(250)
    assert list(shards.read_records(tmp_path, "validation")) == []


def test_equal_records_give_equal_bytes(tmp_path):
    first = shards.write_shard(tmp_path / "a.parquet", records(101))
    second = shards.write_shard(tmp_path / "b.parquet", records(101))
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert first.sha256 == second.sha256


def test_an_empty_shard_can_be_read(tmp_path):
    assert shards.write_shard(tmp_path / "data/train-00000-of-00001.parquet", []).rows == 0
    assert list(shards.read_records(tmp_path)) == []


def test_datasets_reads_a_folder_with_its_card_and_leaves_the_rejects_out(tmp_path):
    shards.write_shard(tmp_path / "data/train-00000-of-00001.parquet", records(3))
    shards.write_shard(tmp_path / "data/validation-00000-of-00001.parquet", [])
    shards.write_rejects(tmp_path / "rejects/train-00000.parquet", [Reject("x", "proof", "overlap", "e", SOURCE)])
    (tmp_path / "README.md").write_text(card.card(manifest(tmp_path, 3)))
    shards.write_manifest(tmp_path, manifest(tmp_path, 3))
    loaded = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train"]
    assert loaded["train"]["text"][:] == ["text 0", "text 1", "text 2"]
    assert loaded["train"][0]["image"].size == (8, 6)


def test_datasets_hands_out_rgb_whatever_is_stored(tmp_path):
    grey = io.BytesIO()
    Image.new("L", (8, 6), 128).save(grey, "PNG")
    pages = [records(1)[0], replace(records(2)[1], image=grey.getvalue())]
    shards.write_shard(tmp_path / "data/train-00000-of-00001.parquet", pages)
    loaded = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"))
    assert [row["image"].getpixel((0, 0)) for row in loaded["train"]] == [(255, 255, 255), (128, 128, 128)]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path):
    def broken():
        yield from records(150)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        shards.write_shard(tmp_path / "a.parquet", broken())
    assert list(tmp_path.iterdir()) == []


def test_a_killed_write_leaves_no_file_under_the_name(tmp_path):
    script = f"""
        import os, signal
        from pathlib import Path
        from proofpress.pages import shards
        from proofpress.pages.record import PageRecord, Source
        def records():
            for n in range(1000):
                if n == 500:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield PageRecord(str(n), b"", 1, 1, "", "page", Source("a", "b", "c", "d"))
        shards.write_shard(Path({str(tmp_path)!r}) / "a.parquet", records())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "a.parquet").exists()


def test_a_folder_without_a_manifest_is_not_a_dataset(tmp_path):
    with pytest.raises(RequestError, match=r"no manifest\.json"):
        shards.read_manifest(tmp_path)
    whole = dict.fromkeys(shards.MANIFEST_KEYS, "é")
    shards.write_manifest(tmp_path, whole)
    assert shards.read_manifest(tmp_path) == whole


@pytest.mark.parametrize("text", ["[]", '{"name": "a web page"}'])
def test_another_programs_manifest_is_not_a_datasets(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RequestError, match="not the manifest of a Proofpress dataset"):
        shards.read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), WorkError),
        (lambda path: path.write_bytes(b"not parquet"), WorkError),
        (lambda path: shards.write_rejects(path, []), RequestError),
    ],
    ids=["cut short", "not Parquet", "another schema"],
)
def test_a_damaged_shard_is_named(tmp_path, damage, error):
    path = tmp_path / "data/train-00000-of-00001.parquet"
    shards.write_shard(path, records(2))
    damage(path)
    with pytest.raises(error, match="train-00000-of-00001"):
        list(shards.read_records(tmp_path))


def test_a_missing_folder_is_a_wrong_request(tmp_path):
    with pytest.raises(RequestError, match="no such dataset folder"):
        list(shards.read_records(tmp_path / "nowhere"))


def test_order_keys_shuffle_by_seed_alone():
    ids = [str(n) for n in range(50)]
    first, second = (sorted(ids, key=lambda i: shards.order_key(seed, i)) for seed in (1, 2))
    assert first != second != ids
    assert first == sorted(reversed(ids), key=lambda i: shards.order_key(1, i))
