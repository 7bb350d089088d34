"""Datasets in the forms that others read: WebDataset's tars, and TRL's conversations with images.

Each shard becomes one file, and the same dataset the same bytes. ``export.json`` comes last and tells what lies there.

    export(Path("out/demo"), Path("out/tars"), "webdataset")   # out/tars/train-00000-of-00007.tar
    export(Path("out/demo"), Path("out/chat"), "trl")          # datasets.load_dataset("out/chat")
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from proofpress.pages.errors import RequestError
from proofpress.pages.record import IMAGE, PageRecord, image_suffix, schema_of, to_json
from proofpress.pages.shards import read_manifest, read_shard, write_rows
from proofpress.pages.storage import sizes, whole_file, write_whole

EXPORT = "export.json"
FORMATS = ("webdataset", "trl")

#: What a conversation asks about an image, by task.
PROMPTS = {
    "page": "Transcribe this page as Markdown, with formulas as LaTeX and tables as HTML.",
    "text": "Transcribe this text as Markdown, with formulas as LaTeX.",
    "table": "Transcribe this table as HTML.",
    "formula": "Transcribe this formula as LaTeX.",
    "form": "Transcribe this form as a Markdown list of keys and values.",
    "layout": "List the regions of this page with their types and boxes.",
}

_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))

#: TRL's conversational prompt-completion rows with images, and where each comes from.
TRL_SCHEMA = schema_of(
    [
        ("prompt", _MESSAGES),
        ("completion", _MESSAGES),
        ("images", pa.list_(IMAGE)),
        ("id", pa.string()),
        ("task", pa.string()),
        ("source", pa.string()),
        ("licence", pa.string()),
    ]
)

#: Called with the shards that are written, all shards, and the name of the latest.
Progress = Callable[[int, int, str], None]


def export(
    dataset: Path,
    out: Path,
    form: str,
    prompt: str | None = None,
    progress: Progress = lambda done, total, name: None,
) -> dict[str, Any]:
    """Write a dataset's kept rows in another form; what ``export.json`` says of it.

    form: one of ``FORMATS``. prompt: what conversations ask, in place of ``PROMPTS``. Raises ``RequestError`` where the
    folder holds something else.
    """
    if form not in FORMATS:
        raise RequestError(f"--format {form}: is not one of {', '.join(FORMATS)}")
    if prompt is not None and form != "trl":
        raise RequestError(f"--prompt: {form} has no conversations; give it with --format trl")
    manifest = read_manifest(dataset)
    shards = sorted(name for name in manifest["files"] if name.startswith("data/"))
    written = {name: _name(name, form) for name in shards}
    _check_free(out, {*written.values(), EXPORT})
    (out / EXPORT).unlink(missing_ok=True)
    files = {}
    for done, (name, target) in enumerate(written.items()):
        progress(done, len(written), target)
        records = read_shard(dataset / name)
        rows = _write_tar(out / target, records) if form == "webdataset" else _write_trl(out / target, records, prompt)
        files[target] = {"rows": rows, "sha256": _sha256(out / target)}
    progress(len(written), len(written), EXPORT)
    made = {
        "format": form,
        "name": manifest["name"],
        "recipe_hash": manifest["recipe_hash"],
        "splits": manifest["splits"],
        "licences": sorted({source["licence"] for source in manifest["sources"].values() if source["kept"]}),
        "files": files,
    }
    write_whole(out / EXPORT, json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return made


def _name(shard: str, form: str) -> str:
    return f"{Path(shard).stem}.tar" if form == "webdataset" else shard


def _check_free(out: Path, ours: Iterable[str]) -> None:
    foreign = sizes(out).keys() - set(ours)
    if foreign:
        raise RequestError(f"--out {out}: holds {min(foreign)}, which is not of this export; choose a new folder")


def _write_tar(path: Path, records: Iterable[PageRecord]) -> int:
    """One tar of samples: ``<id>.png``, ``<id>.txt`` with the label, ``<id>.json`` with what else is known."""
    count = 0
    with whole_file(path) as draft, tarfile.open(draft, "w", format=tarfile.PAX_FORMAT) as tar:
        for record in records:
            count += 1
            for suffix, data in _sample(record):
                member = tarfile.TarInfo(f"{record.id}.{suffix}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return count


def _sample(record: PageRecord) -> Iterator[tuple[str, bytes]]:
    """The files of a sample. Readers want the same names and types in all: a JPEG is called png as well, as decoders go
    by the bytes, and what is open-ended is JSON text within the JSON."""
    row = record.to_row()
    plain = ("id", "task", "split", "language", "content_id", "source", "features", "recipe")
    known = {name: row[name] for name in plain}
    known |= {name: to_json(row[name]) for name in ("elements", "scores")}
    yield "png", record.image
    yield "txt", record.text.encode()
    yield "json", to_json(known).encode()


def _write_trl(path: Path, records: Iterable[PageRecord], prompt: str | None) -> int:
    return write_rows(path, (_conversation(record, prompt) for record in records), TRL_SCHEMA).rows


def _conversation(record: PageRecord, prompt: str | None) -> dict[str, Any]:
    return {
        "prompt": [{"role": "user", "content": PROMPTS[record.task] if prompt is None else prompt}],
        "completion": [{"role": "assistant", "content": record.text}],
        "images": [{"bytes": record.image, "path": f"{record.id}.{image_suffix(record.image)}"}],
        "id": record.id,
        "task": record.task,
        "source": record.source.name,
        "licence": record.source.licence,
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
