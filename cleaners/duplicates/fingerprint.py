"""The fingerprint of a record: what duplicates are found by, a few hundred bytes for a page of any size.

Fingerprints of a shard are one Arrow file that is read column by column, mapped from disk, so that a million of them
take no more memory than the columns that are being looked at.

    write_fingerprints(path, records)
    prints = Fingerprints.read([path, ...], scratch);  prints.column("phash"), prints.signatures(rows)
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from proofpress.cleaners.duplicates import minhash
from proofpress.cleaners.duplicates.content import dense, key_of, normal_form
from proofpress.cleaners.duplicates.near_image import as_numbers, look_of
from proofpress.pages.image import open_image, pixel_hash
from proofpress.pages.record import PageRecord

Array = np.ndarray[Any, Any]

_ROWS = 500  # fingerprinted at a time

_BANDS = [f"band_{number:02d}" for number in range(minhash.BANDS)]
_SIGNATURE_BYTES = minhash.BINS * minhash.SIGNATURE.itemsize

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "content_id", "source", "task", "split")),
        ("area", pa.int64()),  # pixels of the image
        ("pixels", pa.uint64()),  # of the pixel hash
        ("phash", pa.uint64()),
        ("trimmed", pa.uint64()),
        ("form", pa.uint64()),  # of the normal form and the task; 0 without text
        ("form_size", pa.int32()),  # characters of the normal form
        ("size", pa.int32()),  # shingles
        ("signature", pa.binary(_SIGNATURE_BYTES)),
        *((name, pa.uint64()) for name in _BANDS),
    ]
)


def hashed(record: PageRecord) -> PageRecord:
    """The record with the hashes of its picture, those that are there kept as they are."""
    if record.hashes.keys() >= {"pixels", "phash", "phash_trimmed"}:
        return record
    image = open_image(record.image)
    return replace(record, hashes={"pixels": pixel_hash(image), **record.hashes, **look_of(image).hashes()})


def write_fingerprints(path: Path, records: Iterable[PageRecord]) -> None:
    """Write the fingerprints of records, in their order. The caller gives a path that may stand for half a file."""
    rest = iter(records)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
        while batch := list(islice(rest, _ROWS)):
            writer.write_batch(fingerprint(batch))


def fingerprint(records: Sequence[PageRecord]) -> pa.RecordBatch:
    """The fingerprints of some records: a batch of ``SCHEMA``."""
    marked = [hashed(record) for record in records]
    # Where blocks stand is no text: layouts are compared by their pictures.
    texts = ["" if record.task == "layout" else dense(record.text) for record in marked]
    sketches = minhash.sketch(texts)
    forms = [
        normal_form(record.text, record.task) if record.task in ("formula", "table") else text
        for record, text in zip(marked, texts, strict=True)
    ]
    columns: dict[str, Any] = {
        "id": [record.id for record in marked],
        "content_id": [record.content_id or record.id for record in marked],
        "source": [record.source.name for record in marked],
        "task": [record.task for record in marked],
        "split": [record.split for record in marked],
        "area": [record.width * record.height for record in marked],
        "pixels": np.array([int(record.hashes["pixels"][:16], 16) for record in marked], np.uint64),
        "phash": as_numbers([record.hashes["phash"] for record in marked]),
        "trimmed": as_numbers([record.hashes["phash_trimmed"] for record in marked]),
        "form": np.array(
            [key_of(f"{r.task}\n{form}") if form else 0 for r, form in zip(marked, forms, strict=True)], np.uint64
        ),
        "form_size": [len(form) for form in forms],
        "size": sketches.sizes,
        "signature": [row.tobytes() for row in sketches.signatures],
    }
    columns |= {name: sketches.bands[:, number] for number, name in enumerate(_BANDS)}
    return pa.RecordBatch.from_pydict(columns, SCHEMA)


class Fingerprints:
    """The fingerprints of N rows, in the order of the files they were written to.

    Columns are read from disk when they are asked for; signatures, of which rows from all over are wanted, are mapped
    from a file of their own.
    """

    def __init__(self, table: pa.Table, signatures: Array) -> None:
        self._table = table
        self._signatures = signatures
        self.rows: int = table.num_rows

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> "Fingerprints":
        """A few fingerprints, in memory."""
        return cls(pa.Table.from_batches([batch]), _signatures(batch))

    @classmethod
    def read(cls, paths: Sequence[Path], scratch: Path) -> "Fingerprints":
        """Map files from disk; they must stay there while this is used. scratch: where the signatures' file goes."""
        tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths]
        table = pa.concat_tables([SCHEMA.empty_table(), *tables])
        with scratch.open("wb") as file:
            for batch in table.to_batches():
                file.write(_signatures(batch).tobytes())
        if not table.num_rows:
            return cls(table, np.zeros((0, minhash.BINS), minhash.SIGNATURE))
        shape = (table.num_rows, minhash.BINS)
        return cls(table, np.memmap(scratch, minhash.SIGNATURE, mode="r", shape=shape))

    def column(self, name: str) -> Array:
        """One column, (N,): numbers, or strings as numbers that are equal where the strings are."""
        column = self._table.column(name).combine_chunks()  # encoding many chunks one by one costs their square
        return column.dictionary_encode().indices.to_numpy() if pa.types.is_string(column.type) else column.to_numpy()

    def strings(self, name: str) -> list[str]:
        """One column of strings."""
        return self._table.column(name).to_pylist()

    def bands(self) -> Iterator[Array]:
        """The keys of each band, (N,)."""
        for name in _BANDS:
            yield self.column(name)

    def signatures(self, rows: Array) -> Array:
        """The signatures of some rows, (n, BINS)."""
        return self._signatures[rows]


def _signatures(batch: pa.RecordBatch) -> Array:
    """The signatures of a batch as they lie in it, uncopied."""
    column = batch.column("signature")
    return np.frombuffer(column.buffers()[1], minhash.SIGNATURE).reshape(-1, minhash.BINS)[column.offset :][
        : len(column)
    ]
