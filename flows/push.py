"""A dataset on the Hugging Face hub: shards, card and manifest in one commit, so that no half of it is ever seen.

Nothing is sent unless asked for, and then to a private repository unless told otherwise. ``HF_TOKEN`` or ``hf auth
login`` says who sends it, ``HF_ENDPOINT`` names another hub.

    push(Path("out/demo"), "someone/demo", dry_run=True).files          # what would be sent
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofpress.flows.publish import BESIDE
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import MANIFEST, read_manifest
from proofpress.pages.storage import sizes

OURS = ("data/", "rejects/")  # folders of a dataset on the hub, in which older shards are removed


@dataclass(frozen=True, slots=True)
class Pushed:
    """What was sent, or would be. files: path -> bytes. licences: of the kept rows. url: of the commit, or None."""

    repo: str
    files: Mapping[str, int]
    licences: list[str]
    removed: list[str]
    url: str | None


def push(
    dataset: Path, repo: str, public: bool = False, rejects: bool = False, dry_run: bool = False, message: str = ""
) -> Pushed:
    """Send a complete dataset to a dataset repository, made if it is not there.

    rejects: send the pages that failed as well. Raises ``RequestError`` for what cannot be a repository, ``WorkError``
    where the hub refuses or does not answer; then nothing is changed there.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    manifest = read_manifest(dataset)
    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise RequestError(f"{repo}: cannot be a repository: {error}") from error
    wanted = {name for name in manifest["files"] if rejects or not name.startswith("rejects/")} | {MANIFEST, *BESIDE}
    files = {name: size for name, size in sizes(dataset).items() if name in wanted}
    if gone := manifest["files"].keys() & wanted - files.keys():
        raise WorkError(f"{dataset}: {min(gone)} is gone, though {MANIFEST} names it; build the dataset again")
    licences = sorted({source["licence"] for source in manifest["sources"].values() if source["kept"]})
    if dry_run:
        return Pushed(repo, files, licences, [], None)
    with _hub_explained(repo):
        url, removed = _commit(dataset, repo, files, public, message or f"{manifest['name']} {manifest['recipe_hash']}")
    return Pushed(repo, files, licences, removed, url)


def _commit(dataset: Path, repo: str, files: Mapping[str, int], public: bool, message: str) -> tuple[str, list[str]]:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    hub = HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="proofpress")
    hub.create_repo(repo, repo_type="dataset", private=not public, exist_ok=True)
    there = hub.list_repo_files(repo, repo_type="dataset")
    old = sorted(name for name in there if name.startswith(OURS) and name not in files)
    operations: list[Any] = [CommitOperationAdd(name, dataset / name) for name in files]
    operations += [CommitOperationDelete(name) for name in old]
    done = hub.create_commit(repo, operations, commit_message=message, repo_type="dataset")
    return str(done.commit_url), old


@contextmanager
def _hub_explained(repo: str) -> Iterator[None]:
    from huggingface_hub.errors import HfHubHTTPError, HTTPError, LocalTokenNotFoundError

    try:
        yield
    except LocalTokenNotFoundError as error:
        raise RequestError(f"{repo}: nobody is logged in: set HF_TOKEN, or run hf auth login") from error
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        who = "; set HF_TOKEN to a token that may write there" if status in (401, 403) else ""
        raise WorkError(f"{repo}: the hub refuses: {error}{who}") from error
    except (HTTPError, OSError) as error:
        raise WorkError(f"{repo}: the hub does not answer ({error}); run the same command again later") from error
