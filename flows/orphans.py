"""Nothing outlives a command: browsers, workers and servers end with it, even when it is killed with no chance to act.

Every process a command starts inherits a token in its environment. A small watcher, outside the terminal's process
group, waits until the command's end closes its pipe and then kills whatever still carries the token. It reads
``/proc``, so this works on Linux; elsewhere children are closed by the command itself, which a ``kill -9`` prevents.

    leave_none_behind()      # once, before the first child is started
"""

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

TOKEN = "PROOFPRESS_COMMAND"

_watcher: subprocess.Popen[bytes] | None = None


def leave_none_behind() -> None:
    """Have every process that this one starts from now on killed when this one ends, in whatever way it ends."""
    global _watcher  # the pipe to the watcher must live as long as the process
    if _watcher is not None or not Path("/proc/self/environ").exists():
        return
    token = uuid.uuid4().hex
    _watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, token], stdin=subprocess.PIPE, start_new_session=True
    )
    os.environ[TOKEN] = token


def end_all() -> None:
    """Kill what this process has started since ``leave_none_behind``, and wait until it is done."""
    if _watcher is not None and _watcher.stdin is not None:
        _watcher.stdin.close()
        _watcher.wait()


def _kill_bearers(token: str) -> None:
    mark = f"{TOKEN}={token}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
        except OSError:
            continue  # it has ended, or belongs to somebody else


if __name__ == "__main__":
    sys.stdin.buffer.read()
    _kill_bearers(sys.argv[1])
