import base64
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.config import BuildRecipe
from proofpress.flows.push import push
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import read_manifest


class Hub(http.server.ThreadingHTTPServer):
    """As much of the hub as a push meets. files: of the one repository. asked: (method, path, body)."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, bytes]] = []
        self.refuses = 0

    def answer(self, method: str, path: str, body: bytes) -> object:
        if path == "/api/repos/create":
            return {"url": "http://127.0.0.1/datasets/someone/small"}
        if "/tree/" in path:
            return [{"type": "file", "path": name, "size": len(data), "oid": "0"} for name, data in self.files.items()]
        if "/preupload/" in path:
            paths = [file["path"] for file in json.loads(body)["files"]]
            return {"files": [{"path": one, "uploadMode": "regular", "shouldIgnore": False} for one in paths]}
        if "/commit/" in path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                elif line["key"] == "deletedFile":
                    del self.files[line["value"]["path"]]
            return {"commitUrl": "http://127.0.0.1/datasets/someone/small/commit/1", "commitOid": "1"}
        return {"sha": "1", "id": "someone/small"}


class Answers(http.server.BaseHTTPRequestHandler):
    server: Hub

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, body))
        text = json.dumps(self.server.answer(self.command, self.path, body)).encode()
        self.send_response(self.server.refuses or 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub() as hub:
        thread = threading.Thread(target=hub.serve_forever, args=(0.05,))
        thread.start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server_address[1]}")
        monkeypatch.setenv("HF_TOKEN", "hf_testing")
        yield hub
        hub.shutdown()
        thread.join()


@pytest.fixture
def dataset(tmp_path: Path, quick_press, recipe: BuildRecipe) -> Path:
    return build(recipe, tmp_path / "out").folder


def test_a_dataset_goes_with_its_card_in_one_commit(hub: Hub, dataset: Path):
    hub.files = {"data/train-00000-of-00099.parquet": b"old", ".gitattributes": b"theirs"}
    pushed = push(dataset, "someone/small")
    names = {name for name in read_manifest(dataset)["files"] if name.startswith("data/")}
    assert set(pushed.files) == names | {"README.md", "manifest.json", "report.html"}
    assert hub.files.pop(".gitattributes") == b"theirs"
    assert hub.files == {name: (dataset / name).read_bytes() for name in pushed.files}
    assert pushed.removed == ["data/train-00000-of-00099.parquet"]
    assert len([path for _, path, _ in hub.asked if "/commit/" in path]) == 1
    created = json.loads(next(body for _, path, body in hub.asked if path == "/api/repos/create"))
    assert (created.get("visibility", "private" if created.get("private") else ""), created["type"]) == (
        "private",  # hubs were told so by two names
        "dataset",
    )


def test_rejects_go_only_when_asked_for(hub: Hub, dataset: Path):
    push(dataset, "someone/small", rejects=True)
    assert set(read_manifest(dataset)["files"]) < set(hub.files)


def test_a_dry_run_asks_the_hub_nothing(hub: Hub, dataset: Path):
    done = CliRunner().invoke(app, ["push", str(dataset), "someone/small", "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "README.md" in done.stdout
    assert "nothing was sent" in done.stdout
    assert hub.asked == []


@pytest.mark.parametrize("repo", ["", "a/b/c", "../up", "someone/.."])
def test_what_cannot_be_a_repository_is_refused(dataset: Path, repo: str):
    with pytest.raises(RequestError, match="cannot be a repository"):
        push(dataset, repo)


def test_a_hub_that_refuses_or_is_gone_is_told(hub: Hub, dataset: Path, monkeypatch: pytest.MonkeyPatch):
    hub.refuses = 403
    with pytest.raises(WorkError, match="set HF_TOKEN to a token that may write there"):
        push(dataset, "someone/small")
    assert hub.files == {}
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(WorkError, match="does not answer"):
        push(dataset, "someone/small")


def test_a_dataset_that_lost_a_shard_is_not_sent(hub: Hub, dataset: Path):
    next((dataset / "data").glob("*.parquet")).unlink()
    with pytest.raises(WorkError, match="is gone, though manifest"):
        push(dataset, "someone/small")
    assert hub.asked == []
