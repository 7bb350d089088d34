"""What tests of more than one folder share."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples each time: a suite that passed once passes again. Others: `pytest --hypothesis-profile=default`.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and published cases: ``PROOFPRESS_SHARED``, else ``../shared`` beside the checkout."""
    folder = Path(os.environ.get("PROOFPRESS_SHARED") or Path(__file__).parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set PROOFPRESS_SHARED to its folder")
    return folder


class Store:
    """An S3 server of this machine, which can be lost and found again. url: of an empty bucket."""

    def __init__(self, url: str) -> None:
        from moto.server import ThreadedMotoServer

        self._make = ThreadedMotoServer
        self._server = self._start(0)
        self.port = self._server.get_host_and_port()[1]
        self.url = url

    def lose(self) -> None:
        self._server.stop()

    def find(self) -> None:
        self._server = self._start(self.port)

    def _start(self, port: int):
        server = self._make(ip_address="127.0.0.1", port=port, verbose=False)
        server.start()
        return server


@pytest.fixture(scope="session")
def _store() -> Iterator[Store]:
    pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    store = Store("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{store.port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield store
    store.lose()


@pytest.fixture
def store(_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Store:
    """A store with a new bucket; what is kept of it on this machine lies in the test's folder."""
    import fsspec

    monkeypatch.setenv("PROOFPRESS_CACHE", str(tmp_path / "cache"))
    bucket = f"bucket-{uuid.uuid4().hex}"
    fsspec.filesystem("s3").mkdir(bucket)
    _store.url = f"s3://{bucket}"
    return _store
