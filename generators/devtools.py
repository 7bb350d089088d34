"""A Chromium spoken to in its own protocol, over a pipe: a command is sent, its answer read.

The protocol is https://chromedevtools.github.io/devtools-protocol/, in messages of JSON that a zero byte ends. A driver
between the two (Playwright's is a Node process) would read and write every sheet and picture twice more.

    chromium = Devtools(["/usr/bin/chromium-headless-shell", "--headless"], folder)
    chromium.ask("Browser.getVersion")["product"]           # 'HeadlessChrome/156.0.8078.114'
"""

import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

SECONDS = 30.0  # for an answer, where not said otherwise
SECONDS_TO_END = 5.0
CHUNK = 1 << 20
#: The shell gives Chromium the pipes as the file descriptors that it looks for them at.
AT_3_AND_4 = 'read=$1 write=$2; shift 2; exec "$@" 3</dev/fd/$read 4>/dev/fd/$write'
GONE = ("Inspector.targetCrashed", "Inspector.detached", "Target.targetCrashed", "Target.detachedFromTarget")


class DevtoolsError(Exception):
    """The browser is gone, does not answer, or refuses a command."""


class Devtools:
    """A running Chromium. command: the browser and its flags. folder: where it may keep what it needs."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        its_end, self._write = os.pipe()
        self._read, its_answers = os.pipe()
        shell = ["/bin/sh", "-c", AT_3_AND_4, "sh", str(its_end), str(its_answers)]
        flags = ["--remote-debugging-pipe", f"--user-data-dir={folder}"]
        self._process = subprocess.Popen(
            [*shell, *command, *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(its_end, its_answers),
            start_new_session=True,  # Ctrl-C is ours to answer
        )
        os.close(its_end)
        os.close(its_answers)
        os.set_blocking(self._write, False)
        self._unread = bytearray()
        self._seen: set[str] = set()  # events
        self._sent = 0

    @property
    def pid(self) -> int:
        """The browser's process, which leads a group of its own."""
        return self._process.pid

    def ask(
        self, method: str, parameters: Mapping[str, Any] | None = None, session: str = "", seconds: float = SECONDS
    ) -> dict[str, Any]:
        """What the browser answers to a command. session: of the page it is for, or none for the browser itself.

        Raises ``DevtoolsError``.
        """
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        end = monotonic() + seconds
        self._send(json.dumps(message).encode() + b"\0", method, end)
        while True:
            answer = self._next(method, end)
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise DevtoolsError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            if answer.get("method") in GONE:
                raise DevtoolsError(f"{method}: the page is gone ({answer['method']})")
            self._seen.add(answer.get("method", ""))

    def wait_for(self, event: str, seconds: float = SECONDS) -> None:
        """Wait until an event has come, since the last one that was waited for. Raises ``DevtoolsError``."""
        end = monotonic() + seconds
        while event not in self._seen:
            self._seen.add(self._next(event, end).get("method", ""))
        self._seen.clear()

    def close(self) -> None:
        """End the browser and all its processes."""
        with suppress(DevtoolsError):
            self.ask("Browser.close", seconds=SECONDS_TO_END)
        os.close(self._write)  # which it ends at, too
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_END)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._read)

    def _send(self, message: bytes, what: str, end: float) -> None:
        unsent = memoryview(message)
        while unsent:
            _, ready, _ = select.select([], [self._write], [], max(0.0, end - monotonic()))
            if not ready:
                raise DevtoolsError(f"{what}: it takes no commands")
            try:
                unsent = unsent[os.write(self._write, unsent) :]
            except OSError as error:
                raise DevtoolsError(f"{what}: the browser is gone") from error

    def _next(self, what: str, end: float) -> dict[str, Any]:
        while (at := self._unread.find(b"\0")) < 0:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - monotonic()))
            if not ready:
                raise DevtoolsError(f"{what}: no answer")
            came = os.read(self._read, CHUNK)
            if not came:
                raise DevtoolsError(f"{what}: the browser is gone")
            self._unread += came
        message: dict[str, Any] = json.loads(self._unread[:at])
        del self._unread[: at + 1]
        return message
