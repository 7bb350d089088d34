"""What is different between two datasets, or two versions of a loop: rows, recipe, weights, what they were made with.

found = compare(Path("out/loop/versions/0001"), Path("out/loop/versions/0002"))
found["rows"]["dataset"]                   # {"same": 812, "added": {...}, "removed": {...}, "changed": {...}}
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofpress.flows.refresh import DATASET, HARD, PRINTED, VERSION
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.shards import MANIFEST, read_manifest

COLUMNS = ["id", "image.bytes", "text", "task", "source.name", "split"]
SHOWN = 20  # ids of each kind of change

#: What of a manifest tells how a dataset was made, apart from its recipe.
MADE = ("versions", "browser", "fonts", "model", "benchmarks")


@dataclass(frozen=True, slots=True)
class Row:
    """What a row is compared by."""

    digest: str
    kind: str


def compare(first: Path, second: Path) -> dict[str, Any]:
    """The differences in JSON: ``rows`` by dataset, ``recipe``, ``made_with``; of versions ``weights``, ``model``.

    Raises ``RequestError`` where one of the folders is neither a dataset nor a version, or they are not of one kind.
    """
    is_version = [(folder / VERSION).is_file() for folder in (first, second)]
    if all(is_version):
        return _compare_versions(first, second)
    for folder, version in zip((first, second), is_version, strict=True):
        if version or not (folder / MANIFEST).is_file():
            kind = (
                "a version of a loop, and the other is not" if version else "neither a dataset nor a version of a loop"
            )
            raise RequestError(f"{folder}: is {kind}; give two folders with {MANIFEST}, or two with {VERSION}")
    return _compare_datasets(first, second)


def _compare_datasets(first: Path, second: Path) -> dict[str, Any]:
    before, after = read_manifest(first), read_manifest(second)
    return {
        "rows": {"dataset": _compare_rows(first, second)},
        "recipe": _compare_values(before["recipe"], after["recipe"]),
        "made_with": _compare_values(
            {key: before[key] for key in MADE if key in before}, {key: after[key] for key in MADE if key in after}
        ),
    }


def _compare_versions(first: Path, second: Path) -> dict[str, Any]:
    before, after = (json.loads((folder / VERSION).read_bytes()) for folder in (first, second))
    rows = {}
    for name in (DATASET, HARD, PRINTED):
        folders = [folder / name for folder in (first, second)]
        if any((folder / MANIFEST).is_file() for folder in folders):
            rows[name] = _compare_rows(*folders)
    made = [{k: m[k] for k in MADE if k in m} for m in (read_manifest(f / DATASET) for f in (first, second))]
    overall = [version["decision"].get("overall") for version in (before, after)]
    return {
        "rows": rows,
        "recipe": _compare_values(before["recipe"], after["recipe"]),
        "made_with": _compare_values(*made),
        "weights": _compare_values(before["weights"], after["weights"]),
        "model": {
            "before": before["model"]["sha256"],
            "after": after["model"]["sha256"],
            "decisions": [before["decision"]["why"], after["decision"]["why"]],
            "reward": [None if one is None else one["new"] for one in overall],
        },
    }


def _compare_rows(first: Path, second: Path) -> dict[str, Any]:
    """Rows of the same bytes in both are not read. removed: with the reason, where the second dataset rejects them."""
    files = [_data_files(folder) for folder in (first, second)]
    shared = Counter(files[0].values()) & Counter(files[1].values())
    same = sum(_rows_of(first / path) for path, digest in files[0].items() if digest in shared)
    old, new = (
        dict(row for path, digest in found.items() if digest not in shared for row in _rows(folder / path))
        for folder, found in zip((first, second), files, strict=True)
    )
    added, removed = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    both = sorted(new.keys() & old.keys())
    changed = [row for row in both if new[row].digest != old[row].digest]
    why = _reasons(second, set(removed))
    return {
        "same": same + len(both) - len(changed),
        "added": _told(added, new),
        "removed": {**_told(removed, old), "because": dict(Counter(why.get(row, "no longer made") for row in removed))},
        "changed": _told(changed, new),
        "shards": {
            "same": sum(shared.values()),
            "written": len(files[1]) - sum(shared.values()),
            "before": len(files[0]),
            "after": len(files[1]),
        },
    }


def _told(ids: list[str], rows: Mapping[str, Row]) -> dict[str, Any]:
    kinds = Counter(rows[row].kind for row in ids)
    return {"count": len(ids), "kinds": dict(sorted(kinds.items())), "ids": ids[:SHOWN]}


def _data_files(folder: Path) -> dict[str, str]:
    if not (folder / MANIFEST).is_file():
        return {}
    files = read_manifest(folder)["files"]
    return {path: file["sha256"] for path, file in files.items() if path.startswith("data/")}


def _rows_of(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows)


def _rows(path: Path) -> Iterator[tuple[str, Row]]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=100, columns=COLUMNS):
                for row in batch.to_pylist():
                    content = row["image"]["bytes"] + f"\x00{row['text']}\x00{row['task']}\x00{row['split']}".encode()
                    digest = blake2b(content, digest_size=16).hexdigest()
                    yield row["id"], Row(digest, f"{row['source']['name']} {row['task']} {row['split']}")
    except (pa.ArrowException, OSError) as error:
        raise WorkError(f"{path}: cannot be read as Parquet: {error}") from error


def _reasons(folder: Path, ids: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted((folder / "rejects").glob("*.parquet")) if ids else ():
        for row in pq.read_table(path, columns=["id", "stage", "reason"]).to_pylist():
            if row["id"] in ids:
                found[row["id"]] = f"{row['stage']}: {row['reason']}"
    return found


def _compare_values(before: Any, after: Any) -> dict[str, Any]:
    """Dotted key -> [before, after], of what differs; None where there is no such key."""
    old, new = dict(_flat(before)), dict(_flat(after))
    keys = sorted(old.keys() | new.keys())
    return {key: [old.get(key), new.get(key)] for key in keys if old.get(key) != new.get(key)}


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list) and any(isinstance(inner, Mapping) for inner in value):
        for place, inner in enumerate(value):
            yield from _flat(inner, f"{prefix}.{place}")
    else:
        yield prefix, value
