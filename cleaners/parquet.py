"""Rows of Parquet files, as the Hugging Face hub has corpora: listed by a few columns, read one at a time.

for place, row in list_rows(files, "data/*.parquet", ["filename"]):
    whole = read_row(files, place)
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from proofpress.cleaners.corpus import RowError
from proofpress.cleaners.files import UNREADABLE, Files, listing
from proofpress.pages.errors import RequestError

MAX_GROUP = 2 * 2**30  # bytes of one row group, unpacked


def list_rows(files: Files, pattern: str, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """``name#row`` and the named columns (those that are there) of every row; ``RequestError`` for a broken file."""
    for name in files.names(pattern):
        try:
            with listing(name), files.open(name) as stream:
                table = pq.ParquetFile(stream if stream.seekable() else BytesIO(stream.read()))
                here = [column for column in columns if column in table.schema_arrow.names]
                number = 0
                for group in range(table.num_row_groups):
                    rows: list[dict[str, Any]] = [{}] * table.metadata.row_group(group).num_rows
                    if here:
                        rows = table.read_row_group(group, columns=here).to_pylist()
                    for row in rows:
                        yield f"{name}#{number}", row
                        number += 1
        except pa.ArrowException as error:
            raise RequestError(f"{name}: not a sound Parquet file: {error}") from error


def read_row(files: Files, place: str) -> dict[str, Any]:
    """One row. Raises ``RowError``: ``row.parquet`` where it cannot be read, ``row.size``, ``row.index``."""
    name, _, number = place.rpartition("#")
    try:
        at = int(number)
        for group, rows in enumerate(_group_sizes(files, name)):
            if at < rows:
                return _group(files, name, group).slice(at, 1).to_pylist()[0]
            at -= rows
    except (pa.ArrowException, *UNREADABLE) as error:
        raise RowError("row.parquet", str(error), {"place": place}) from error
    raise RowError("row.index", f"{name} has no row {number}", {"place": place})


@lru_cache(maxsize=256)
def _group_sizes(files: Files, name: str) -> tuple[int, ...]:
    with files.open(name) as stream:
        metadata = pq.ParquetFile(stream).metadata
    return tuple(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))


@lru_cache(maxsize=2)  # rows are asked for in their order, or nearly
def _group(files: Files, name: str, group: int) -> pa.Table:
    with files.open(name) as stream:
        table = pq.ParquetFile(stream)
        size = table.metadata.row_group(group).total_byte_size
        if size > MAX_GROUP:
            raise RowError("row.size", f"row group {group} of {name} unpacks to {size} bytes", {"place": name})
        return table.read_row_group(group)
