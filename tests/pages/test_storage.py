import threading
import time
from pathlib import Path

import datasets
import pytest

from proofpress.pages import shards, storage
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import PageRecord, Source
from proofpress.pages.storage import at, get, opened, place_of, put, read_bytes, remove, sizes, write_whole

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0"
    b"\x1b\xb6\xeeV\0\0\0\0IEND\xaeB`\x82"
)


def records(count: int) -> list[PageRecord]:
    source = Source("press", "press/7/0", "1", "CC0-1.0")
    return [PageRecord(f"{n:032x}", PNG, 1, 1, f"text {n}", "page", source) for n in range(count)]


@pytest.fixture(params=["disk", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> storage.Place:
    """A folder on a disk, and one in an object store."""
    return tmp_path / "set" if request.param == "disk" else f"{request.getfixturevalue('store').url}/set"


def test_a_file_written_is_listed_read_and_removed_wherever_it_lies(folder: storage.Place):
    assert sizes(folder) == {}
    write_whole(at(folder, "data/a.txt"), b"first")
    write_whole(at(folder, "data/a.txt"), b"second")
    write_whole(at(folder, "b.txt"), b"")
    assert sizes(folder) == {"b.txt": 0, "data/a.txt": 6}
    assert read_bytes(at(folder, "data/a.txt")) == b"second"
    with opened(at(folder, "data/a.txt")) as file:
        file.seek(3)
        assert file.read(2) == b"on"
    remove(at(folder, "b.txt"))
    remove(at(folder, "b.txt"))
    assert list(sizes(folder)) == ["data/a.txt"]
    with pytest.raises(FileNotFoundError):
        read_bytes(at(folder, "b.txt"))


def test_a_folder_whose_name_begins_like_anothers_is_not_part_of_it(store):
    write_whole(f"{store.url}/set-2/a", b"")
    assert sizes(f"{store.url}/set") == {}


def test_files_go_to_a_store_and_come_back(store, tmp_path: Path):
    (tmp_path / "here").write_bytes(b"\0" * 1000)
    put(tmp_path / "here", f"{store.url}/there")
    get(f"{store.url}/there", tmp_path / "deep/back")
    assert (tmp_path / "deep/back").read_bytes() == b"\0" * 1000


def test_a_dataset_is_read_from_where_it_lies(folder: storage.Place, tmp_path: Path):
    written = shards.write_shard(tmp_path / "shard.parquet", records(250))
    write_whole(at(folder, "data/train-00000-of-00001.parquet"), (tmp_path / "shard.parquet").read_bytes())
    with pytest.raises(RequestError, match=r"not a complete dataset: it has no manifest\.json"):
        shards.read_manifest(folder)
    shards.write_manifest(folder, {**dict.fromkeys(shards.MANIFEST_KEYS, written.sha256), "files": {}})
    assert shards.read_manifest(folder)["name"] == written.sha256
    assert list(shards.read_records(folder, "train")) == records(250)
    assert list(shards.read_records(folder, "validation")) == []
    path = at(folder, "data/train-00000-of-00001.parquet")
    assert [record.text for record in shards.read_rows(path, [249, 3])] == ["text 3", "text 249"]
    with pytest.raises(RequestError, match="no such dataset folder"):
        list(shards.read_records(at(folder, "nowhere")))
    with pytest.raises(WorkError, match=r"nowhere\.parquet: cannot be read"):
        list(shards.read_shard(at(folder, "nowhere.parquet")))


def test_datasets_loads_the_shards_of_a_store(store, tmp_path: Path):
    shards.write_shard(tmp_path / "shard.parquet", records(3))
    put(tmp_path / "shard.parquet", f"{store.url}/set/data/train-00000-of-00001.parquet")
    url = f"{store.url}/set/data/train-*.parquet"
    loaded = datasets.load_dataset("parquet", data_files={"train": url}, split="train", streaming=True)
    assert [row["text"] for row in loaded] == ["text 0", "text 1", "text 2"]


def test_a_store_lost_for_a_while_is_asked_again(store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(storage, "WAITS", (0.2, 0.5, 1, 2))
    write_whole(f"{store.url}/a", b"kept")
    store.lose()
    found = threading.Timer(1.0, store.find)
    found.start()
    try:
        assert read_bytes(f"{store.url}/a") == b"kept"
    finally:
        found.join()


def test_a_store_lost_for_long_is_told_with_what_to_do(store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(storage, "WAITS", ())
    store.lose()
    try:
        with pytest.raises(WorkError, match=r"the store does not answer.*Run the same command again"):
            read_bytes(f"{store.url}/a")
    finally:
        store.find()


def test_what_is_not_there_is_not_asked_for_again(store):
    started = time.monotonic()
    with pytest.raises(FileNotFoundError):
        read_bytes(f"{store.url}/nothing")
    with pytest.raises(FileNotFoundError):
        write_whole(f"{store.url}-no-such-bucket/a", b"")
    assert time.monotonic() - started < sum(storage.WAITS)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("out/demo", Path("out/demo")),
        ("/data/demo/", Path("/data/demo")),
        ("file:///data/demo", Path("/data/demo")),
        ("memory://demo/", "memory://demo"),
    ],
)
def test_a_place_is_a_path_or_a_url(text: str, place: storage.Place):
    assert place_of(text) == place


def test_a_place_is_the_same_however_it_is_named(tmp_path: Path):
    assert storage.is_same(str(tmp_path), tmp_path / "x" / "..")
    assert storage.is_same("memory://a/", "memory://a")
    assert not storage.is_same("memory://a", tmp_path)


def test_a_url_of_no_known_store_is_refused():
    with pytest.raises(RequestError, match="no store is known for nfs3://"):
        place_of("nfs3://server/demo")
