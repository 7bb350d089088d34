"""What a person decided about rows: lines of JSON, only ever added to, the latest of a row's holding.

log = ReviewLog.open(Path("out/demo/review.jsonl"))
log.add({"id": "3f...", "shard": "data/train-00000-of-00001.parquet", "row": 7, "decision": "reject", "note": ""})
log.decisions["3f..."]["decision"]                    # "reject"
"""

import fcntl
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json
from proofpress.pages.storage import Place, read_bytes, write_whole

DECISIONS = ("accept", "reject", "undecided")


class ReviewLog:
    """A file of decisions. Each is on disk, or in the store, before ``add`` returns."""

    def __init__(self, place: Place, decisions: dict[str, Mapping[str, Any]]) -> None:
        self.place, self.decisions = place, decisions
        self._lock = Lock()

    @classmethod
    def open(cls, place: Place) -> "ReviewLog":
        """The decisions made so far; a file that is not there yet has none."""
        return cls(place, {line["id"]: line for line in read_lines(place) if "decision" in line})

    def add(self, decision: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write a decision; as it was written, with its time."""
        line = {**decision, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        with self._lock:
            if isinstance(self.place, Path):
                _append(self.place, to_json(line).encode() + b"\n")
            else:  # a store adds to nothing: the whole is put again
                before = [*read_lines(self.place), line]
                write_whole(self.place, "".join(to_json(one) + "\n" for one in before).encode())
            self.decisions[line["id"]] = line
        return line


def read_lines(place: Place) -> list[dict[str, Any]]:
    """The lines of a review file; what a kill left of a last line is none. Raises ``RequestError`` for another file."""
    try:
        *lines, last = read_bytes(place).split(b"\n")
    except FileNotFoundError:
        return []
    if _is_json(last):
        lines.append(last)
    found = []
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
            if not isinstance(line["id"], str):
                raise TypeError("its id is not text")
        except (ValueError, KeyError, TypeError) as error:
            raise RequestError(f"{place}: line {number} is not of a review: {error!r}; choose another file") from error
        found.append(line)
    return found


def _append(path: Path, line: bytes) -> None:
    """Add a line in one write; the half of a line that a kill left is cut off."""
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        end = text.rfind(b"\n") + 1
        if _is_json(text[end:]):
            line = b"\n" + line
        else:
            file.truncate(end)
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
