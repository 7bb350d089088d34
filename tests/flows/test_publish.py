import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofpress.flows import publish as publishing
from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.config import BuildRecipe
from proofpress.flows.publish import CLAIM, draft_of, local_copy, publish
from proofpress.pages import storage
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import MANIFEST, read_manifest, read_records
from proofpress.pages.storage import put, read_bytes, remove, sizes, write_whole

pytestmark = pytest.mark.usefixtures("quick_press")


def remote(url: str) -> dict[str, bytes]:
    return {name: read_bytes(f"{url}/{name}") for name in sizes(url)}


@pytest.fixture
def local(tmp_path: Path, recipe: BuildRecipe) -> Path:
    return build(recipe, tmp_path / "local").folder


def test_a_build_into_a_store_is_the_one_into_a_folder(store, local: Path, recipe: BuildRecipe, bytes_of: Callable):
    url = f"{store.url}/small"
    made = build(recipe, url)
    assert remote(url) == bytes_of(local)
    assert (made.folder, made.was_there) == (url, False)
    assert not draft_of(url).exists()
    assert build(recipe, url).was_there
    with pytest.raises(RequestError, match="already holds the complete dataset small"):
        build(recipe.model_copy(update={"seed": 4}), url)


def test_the_manifest_is_put_last(store, local: Path, monkeypatch: pytest.MonkeyPatch):
    order = []
    monkeypatch.setattr(publishing, "put", lambda path, url: (order.append(path.name), put(path, url)))
    publish(local, f"{store.url}/small")
    assert order[-1] == MANIFEST
    assert CLAIM not in sizes(f"{store.url}/small")


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


@pytest.mark.parametrize("puts", [0, 3, "all"])
def test_an_upload_killed_goes_on_where_it_was(
    store, local: Path, recipe: BuildRecipe, bytes_of: Callable, monkeypatch: pytest.MonkeyPatch, puts: int | str
):
    url, names = f"{store.url}/small", [*read_manifest(local)["files"], "README.md", "report.html", MANIFEST]
    puts = len(names) if puts == "all" else puts
    done: list[str] = []

    def counted(path: Path, to: str) -> None:
        if len(done) == puts:
            raise Killed
        put(path, to)
        done.append(path.name)

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "put", counted)
        patch.setattr(publishing, "remove", lambda place: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            build(recipe, url)
    assert (MANIFEST in sizes(url)) == (puts == len(names))
    again: list[str] = []
    monkeypatch.setattr(publishing, "put", lambda path, to: (again.append(path.name), put(path, to)))
    build(recipe, url)
    publish(local, url)
    assert len(done) + len(again) == len(names)
    assert remote(url) == bytes_of(local)


def test_shards_of_other_bytes_are_put_again(store, local: Path, bytes_of: Callable):
    url = f"{store.url}/small"
    manifest = read_manifest(local)
    claim = {key: manifest[key] for key in ("name", "recipe_hash", "items")} | {"manifest": "of an older version"}
    write_whole(f"{url}/{CLAIM}", json.dumps(claim).encode())
    first = next(iter(manifest["files"]))
    write_whole(f"{url}/{first}", b"\0" * (local / first).stat().st_size)
    write_whole(f"{url}/data/train-00009-of-00010.parquet", b"stale")
    publish(local, url)
    assert remote(url) == bytes_of(local)


@pytest.mark.parametrize("foreign", ["notes.txt", CLAIM])
def test_nothing_is_made_where_something_else_lies(store, recipe: BuildRecipe, foreign: str):
    url = f"{store.url}/mine"
    write_whole(f"{url}/{foreign}", b'{"name": "other", "recipe_hash": "1", "items": "2"}')
    with pytest.raises(RequestError, match=r"holds no dataset|unfinished upload of other"):
        build(recipe, url)
    assert list(sizes(url)) == [foreign]
    assert not draft_of(url).exists()


def test_a_store_lost_during_an_upload_ends_the_command_and_the_same_one_goes_on(
    store, local: Path, recipe: BuildRecipe, bytes_of: Callable, monkeypatch: pytest.MonkeyPatch
):
    url = f"{store.url}/small"

    def losing(path: Path, to: str) -> None:
        put(path, to)
        store.lose()

    with monkeypatch.context() as patch:
        patch.setattr(storage, "WAITS", ())
        patch.setattr(publishing, "put", losing)
        with pytest.raises(WorkError, match="the store does not answer"):
            build(recipe, url)
    store.find()
    assert MANIFEST not in sizes(url)
    build(recipe, url)
    assert remote(url) == bytes_of(local)


def test_a_copy_holds_the_same_and_is_fetched_once(store, local: Path, monkeypatch: pytest.MonkeyPatch):
    url = f"{store.url}/small"
    publish(local, url)
    copy = local_copy(url)
    assert copy.name == "small"
    assert list(read_records(copy)) == list(read_records(local)) == list(read_records(url))
    assert (copy / "README.md").read_bytes() == (local / "README.md").read_bytes()
    monkeypatch.setattr(publishing, "get", None)
    assert local_copy(url) == copy


def test_a_copy_follows_what_is_published_anew(store, local: Path, recipe: BuildRecipe, tmp_path: Path):
    url = f"{store.url}/small"
    publish(local, url)
    local_copy(url)
    for name in sizes(url):
        remove(f"{url}/{name}")
    other = build(recipe.model_copy(update={"press": recipe.press.model_copy(update={"pages": 9})}), tmp_path / "other")
    publish(other.folder, url)
    assert list(read_records(local_copy(url))) == list(read_records(other.folder))


def test_a_file_that_is_not_what_the_manifest_says_is_told(store, local: Path):
    url = f"{store.url}/small"
    publish(local, url)
    first = next(name for name in read_manifest(local)["files"])
    write_whole(f"{url}/{first}", b"PAR1 something else")
    with pytest.raises(WorkError, match=r"is not what manifest\.json says"):
        local_copy(url)
    remove(f"{url}/{first}")
    with pytest.raises(WorkError, match=r"is gone, though manifest\.json names it"):
        local_copy(url)


@pytest.mark.parametrize("name", ["../../escaped", "/etc/escaped", "data/../../escaped", ".hidden", "data//x", ""])
def test_a_manifest_cannot_make_a_copy_leave_its_folder(store, local: Path, tmp_path: Path, name: str):
    url = f"{store.url}/small"
    manifest = read_manifest(local)
    manifest["files"] = {name: {"rows": 1, "sha256": "0"}}
    write_whole(f"{url}/{MANIFEST}", json.dumps(manifest).encode())
    with pytest.raises(RequestError, match="is not the name of a file in a dataset"):
        local_copy(url)
    assert not list(tmp_path.rglob("*escaped*"))


def test_commands_take_urls(store, local: Path, tmp_path: Path, strict_judge):
    url = f"{store.url}/small"
    publish(local, url)
    done = CliRunner().invoke(app, ["judge", url, "--out", f"{store.url}/judged", "--model", "nano", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["dataset"] == f"{store.url}/judged"
    assert read_manifest(f"{store.url}/judged")["rejected"]
    refused = CliRunner().invoke(app, ["judge", url, "--out", "nfs3://x/y"])
    assert refused.exit_code == 2
    assert "no store is known for nfs3" in " ".join(refused.output.split())
    shutil.rmtree(tmp_path / "cache")
