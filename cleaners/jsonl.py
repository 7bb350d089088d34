"""Rows of JSONL files: listed by where their lines begin, read and checked one at a time."""

import json
from collections.abc import Iterator
from typing import Any

from proofpress.cleaners.corpus import RowError, storable
from proofpress.cleaners.files import Files, line_at, lines


def list_rows(files: Files, name: str) -> Iterator[tuple[str, bytes]]:
    """``name#offset`` and the bytes of each line that holds something."""
    for offset, line in lines(files, name):
        if line.strip():
            yield f"{name}#{offset}", line


def read_row(files: Files, place: str) -> dict[str, Any]:
    """The object on a line. Raises ``RowError`` that holds the line itself: ``row.json``, ``row.encoding`` ..."""
    name, _, offset = place.rpartition("#")
    return parse_object(line_at(files, name, int(offset)))


def read_item(files: Files, place: str) -> dict[str, Any]:
    """The object at ``name#first byte#byte behind``, as ``json_stream.items`` tells them. Raises ``RowError``."""
    name, start, end = place.rsplit("#", 2)
    with files.open(name) as stream:
        stream.seek(int(start))
        return parse_object(stream.read(int(end) - int(start)))


def parse_object(data: bytes) -> dict[str, Any]:
    """The object that bytes hold as JSON. Raises ``RowError`` that holds the bytes."""
    row = parse_json(data)
    if not isinstance(row, dict):
        raise RowError(
            "row.malformed", f"no object but {type(row).__name__}", {"line": data.decode("utf-8", "replace")}
        )
    return row


def parse_json(data: bytes) -> Any:
    """The value that bytes hold as JSON. Raises ``RowError`` that holds the bytes."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RowError("row.encoding", str(error), {"bytes": data.hex()}) from error
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RowError("row.json", str(error), {"line": text}) from error
    if not storable(value):
        raise RowError("row.json", "holds half a surrogate pair, which is no text", {"line": text})
    return value
