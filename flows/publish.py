"""Datasets in object stores: made on this machine and published whole, the manifest last; used through a checked copy.

A store has no rename and no lock, so a dataset is first made in a working folder of this machine, where it resumes as
any does. Then a claim is put at the URL, the files, and the manifest last of all; the same command again puts only what
is missing. Working folders and copies lie under ``PROOFPRESS_CACHE``, else in the user's cache.

    publish(Path("out/demo"), "s3://bucket/demo")
    local_copy("s3://bucket/demo")                     # a folder; only what is new or changed is fetched
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import to_json
from proofpress.pages.shards import MANIFEST, read_manifest, write_manifest
from proofpress.pages.storage import at, get, put, read_bytes, remove, sizes, write_whole

CLAIM = "work/publish.json"
BESIDE = ("README.md", "report.html")  # files of a dataset that its manifest does not name

Progress = Callable[[int, int, str], None]


def draft_of(url: str) -> Path:
    """The folder of this machine in which the dataset of a URL is made."""
    return _folder("drafts", url)


def check_free(url: str, there: Mapping[str, int], job: Mapping[str, str]) -> None:
    """Raise ``RequestError`` where a URL holds what is not an unfinished upload of this job.

    there: the ``sizes`` of the URL. job: its ``name``, ``recipe_hash`` and ``items``.
    """
    if not there:
        return
    if CLAIM not in there:
        raise RequestError(f"{url}: is not empty and holds no dataset; choose a new place")
    other = json.loads(read_bytes(at(url, CLAIM)))
    if any(other[key] != job[key] for key in ("recipe_hash", "items")):
        raise RequestError(
            f"{url}: holds an unfinished upload of {other['name']} (recipe {other['recipe_hash']}, items "
            f"{other['items']}), not of {job['name']} (recipe {job['recipe_hash']}, items {job['items']}); "
            "finish that one, choose another place, or delete what is there"
        )


def publish(folder: Path, url: str, progress: Progress = lambda done, total, name: None) -> None:
    """Put a complete dataset at a URL, or what is left to put of it; ``RequestError`` where something else is there."""
    manifest = read_manifest(folder)
    job = {key: manifest[key] for key in ("name", "recipe_hash", "items")}
    claim = to_json({**job, "manifest": hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()}).encode()
    there = sizes(url)
    if MANIFEST in there:
        if read_manifest(url) != manifest:
            raise RequestError(f"{url}: already holds another complete dataset; choose another place, or delete it")
        remove(at(url, CLAIM))  # of an upload killed when all else was done
        return
    check_free(url, there, job)
    if there and read_bytes(at(url, CLAIM)) != claim:
        for name in there:  # of an earlier try, whose shards were other bytes
            if name != CLAIM:
                remove(at(url, name))
        there = {}
    write_whole(at(url, CLAIM), claim)
    files = {name: size for name, size in sizes(folder).items() if name in manifest["files"] or name in BESIDE}
    for done, (name, size) in enumerate(files.items()):
        progress(done, len(files), name)
        if there.get(name) != size:  # an object is whole or not there, and under this claim it is of these bytes
            put(folder / name, f"{url}/{name}")
    put(folder / MANIFEST, f"{url}/{MANIFEST}")
    remove(at(url, CLAIM))
    progress(len(files), len(files), MANIFEST)


def local_copy(url: str) -> Path:
    """The dataset of a URL as a folder of this machine, its files checked against the manifest's digests.

    Raises ``RequestError`` where the URL holds no complete dataset, ``WorkError`` where a file is not what the manifest
    says.
    """
    manifest = read_manifest(url)
    folder = _folder("copies", url)
    if (folder / MANIFEST).exists() and read_manifest(folder) == manifest:
        return folder
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in sizes(folder).keys() - manifest["files"].keys():
        (folder / name).unlink()
    for name, facts in manifest["files"].items():
        _fetch(url, folder, name, facts["sha256"])
    for name in sizes(url).keys() & set(BESIDE):
        get(f"{url}/{name}", folder / name)
    write_manifest(folder, manifest)
    return folder


def _fetch(url: str, folder: Path, name: str, sha256: str) -> None:
    """One file, unless it is there already."""
    path = folder / name
    if path.exists() and _sha256(path) == sha256:
        return
    try:
        get(f"{url}/{name}", path)
    except FileNotFoundError as error:
        raise WorkError(f"{url}/{name}: is gone, though {MANIFEST} names it; build the dataset again") from error
    if _sha256(path) != sha256:
        path.unlink()
        raise WorkError(f"{url}/{name}: is not what {MANIFEST} says (sha256); build the dataset again")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder(kind: str, url: str) -> Path:
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "proofpress"
    cache = Path(os.environ.get("PROOFPRESS_CACHE") or default)
    key = hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    return cache / kind / key / (re.sub(r"[^A-Za-z0-9._-]", "-", url.rpartition("/")[2]).lstrip(".") or "dataset")
