"""Dataset folders: Parquet shards of page records, rejects beside them, the manifest last.

A file appears under its name only when it is whole: it is written beside, synced and renamed. ``manifest.json`` comes
last of all, so a folder with one is a complete dataset and a folder without is work in progress. What reads takes URLs
(``s3://...``) as well as paths.

    write_shard(folder / "data/train-00000-of-00001.parquet", records)
    for record in read_records(folder, split="train"): ...
    datasets.load_dataset(str(folder))                    # reads the same folder with nothing else
"""

import fnmatch
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import REJECT_SCHEMA, SCHEMA, PageRecord, Reject
from proofpress.pages.storage import Place, at, opened, patiently, read_bytes, sizes, whole_file, write_whole

MANIFEST = "manifest.json"
MANIFEST_KEYS = {"name", "recipe", "recipe_hash", "items", "versions", "splits", "sources", "rejected", "files"}
FILE_NAME = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*")  # stays in its folder
IMAGES = ".bytes"  # how Parquet's names of columns of images end
ROW_GROUP_ROWS = 100  # one image row is read by reading its row group; viewers refuse larger ones


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """A written file: name, rows, sha256 of its bytes."""

    name: str
    rows: int
    sha256: str


def order_key(seed: int, identity: str) -> str:
    """Sort key that shuffles a dataset the same way everywhere: a seeded hash of an id."""
    return blake2b(f"{seed}/{identity}".encode(), digest_size=16).hexdigest()


def write_shard(path: Path, records: Iterable[PageRecord]) -> ShardInfo:
    """Write records, in the order given, as one Parquet file; equal records give equal bytes."""
    return write_rows(path, (record.to_row() for record in records), SCHEMA)


def write_rejects(path: Path, rejects: Iterable[Reject]) -> ShardInfo:
    """Write rejects, in the order given, as one Parquet file."""
    return write_rows(path, (reject.to_row() for reject in rejects), REJECT_SCHEMA)


def write_manifest(folder: Place, manifest: Mapping[str, Any]) -> None:
    """Mark the dataset as complete. Must be the last file written."""
    text = json.dumps(manifest, sort_keys=True, ensure_ascii=False, indent=1)
    write_whole(at(folder, MANIFEST), text.encode() + b"\n")


def read_manifest(folder: Place) -> dict[str, Any]:
    """The manifest of a complete dataset; ``RequestError`` where the folder is none."""
    path = at(folder, MANIFEST)
    try:
        manifest = json.loads(read_bytes(path))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise RequestError(
            f"{folder}: not a complete dataset: it has no {MANIFEST}; finish the build that makes it"
        ) from error
    except ValueError as error:
        raise WorkError(f"{path}: not valid JSON ({error}); build the dataset again") from error
    if not isinstance(manifest, dict) or not manifest.keys() >= MANIFEST_KEYS:
        raise RequestError(f"{path}: not the manifest of a Proofpress dataset; choose another folder")
    for name in manifest["files"]:
        if not FILE_NAME.fullmatch(name):  # a dataset may come from anywhere, and its files are read and copied by name
            raise RequestError(f"{path}: files: {name!r} is not the name of a file in a dataset")
    return manifest


def read_records(folder: Place, split: str | None = None) -> Iterator[PageRecord]:
    """The records of a dataset folder in the order of its shards, one row group in memory at a time."""
    for row in _read(folder, f"data/{split or '*'}-*.parquet", SCHEMA):
        yield PageRecord.from_row(row)


def read_shard(path: Place) -> Iterator[PageRecord]:
    """The records of one file, one row group in memory at a time. Raises ``WorkError`` where it is none of ours."""
    for row in _rows(path, SCHEMA):
        yield PageRecord.from_row(row)


def read_rows(path: Place, rows: Iterable[int]) -> Iterator[PageRecord]:
    """The records at these places of one file, in ascending order."""
    yield from map(PageRecord.from_row, raw_rows(path, rows))


def raw_rows(path: Place, rows: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The rows at these places of one Parquet file, in ascending order; each row group that has some is read once."""
    by_group: dict[int, list[int]] = {}
    for row in sorted(set(rows)):
        by_group.setdefault(row // ROW_GROUP_ROWS, []).append(row % ROW_GROUP_ROWS)
    try:
        with opened(path) as source, patiently(path, lambda: pq.ParquetFile(source)) as file:
            for group, offsets in by_group.items():
                table = patiently(path, partial(file.read_row_group, group))
                yield from table.take(offsets).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise WorkError(f"{path}: cannot be read as Parquet: {error}") from error


def read_rejects(folder: Place) -> Iterator[Reject]:
    """The rejects of a dataset folder."""
    for row in _read(folder, "rejects/*.parquet", REJECT_SCHEMA):
        yield Reject.from_row(row)


def _read(folder: Place, pattern: str, schema: pa.Schema) -> Iterator[dict[str, Any]]:
    names = sizes(folder)
    if not names and not (isinstance(folder, Path) and folder.is_dir()):
        raise RequestError(f"{folder}: no such dataset folder")
    for name in fnmatch.filter(names, pattern):
        yield from _rows(at(folder, name), schema)


def _rows(path: Place, schema: pa.Schema) -> Iterator[dict[str, Any]]:
    try:
        with opened(path) as source, patiently(path, lambda: pq.ParquetFile(source)) as file:
            if not file.schema_arrow.equals(schema):
                raise RequestError(f"{path}: its columns are not those of a Proofpress dataset")
            for group in range(file.num_row_groups):
                yield from patiently(path, partial(file.read_row_group, group)).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise WorkError(f"{path}: cannot be read as Parquet: {error}") from error


def write_rows(path: Path, rows: Iterable[dict[str, Any]], schema: pa.Schema) -> ShardInfo:
    """Write rows of a schema, in the order given, as one Parquet file; equal rows give equal bytes."""
    columns = _leaf_columns(schema)
    options = {
        # PNG and JPEG bytes do not compress again, and no two images are equal enough for a dictionary.
        "compression": {column: "NONE" if column.endswith(IMAGES) else "ZSTD" for column in columns},
        "use_dictionary": [column for column in columns if not column.endswith(IMAGES)],
        "write_page_index": True,
    }
    count = 0
    with whole_file(path) as draft:
        with pq.ParquetWriter(draft, schema, **options) as writer:
            batch: list[dict[str, Any]] = []
            for row in rows:
                batch.append(row)
                count += 1
                if len(batch) == ROW_GROUP_ROWS:
                    writer.write_table(pa.Table.from_pylist(batch, schema))
                    batch = []
            if batch:
                writer.write_table(pa.Table.from_pylist(batch, schema))
        with draft.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ShardInfo(path.name, count, digest)


def _leaf_columns(schema: pa.Schema) -> list[str]:
    """Parquet's names of the leaves: ``image.bytes``, ``elements.list.element.id`` ..."""

    def leaves(name: str, kind: pa.DataType) -> Iterator[str]:
        if pa.types.is_struct(kind):
            for child in kind:
                yield from leaves(f"{name}.{child.name}", child.type)
        elif pa.types.is_list(kind):
            yield from leaves(f"{name}.list.element", kind.value_type)
        else:
            yield name

    return [leaf for column in schema for leaf in leaves(column.name, column.type)]
