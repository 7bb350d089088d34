"""One command at a time works in a folder: a lock that a kill releases, and that says who holds it and since when.

with held(folder / "work/lock", f"{folder}: another proofpress is making this dataset"):
    ...
"""

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from proofpress.pages.errors import WorkError


@contextlib.contextmanager
def held(path: Path, refusal: str) -> Iterator[None]:
    """Within it the lock is ours. Raises ``WorkError`` with the refusal, the holder and its age where it is another's.

    The system gives the lock back when its holder ends, however it ends; what stands in the file is for people.
    """
    with path.open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WorkError(f"{refusal} ({_holder(lock)}); wait for it or stop it") from error
        lock.truncate(0)
        json.dump({"process": os.getpid(), "host": socket.gethostname(), "since": time.time()}, lock)
        lock.flush()
        yield
        lock.truncate(0)


def _holder(lock: TextIO) -> str:
    lock.seek(0)
    try:
        told = json.loads(lock.read())
        return f"process {told['process']} on {told['host']}, for {_age(time.time() - told['since'])}"
    except (ValueError, KeyError, TypeError):  # it has only just been taken
        return "since a moment"


def _age(seconds: float) -> str:
    minutes = max(0, round(seconds)) // 60
    if minutes < 2:
        return f"{max(0, round(seconds))} seconds"
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"
