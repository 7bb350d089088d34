"""Making a dataset under the eyes of the user: a progress bar, a summary, and a clean end on Ctrl-C and SIGTERM."""

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

import typer


def make_dataset(name: str, runner: str, quiet: bool, as_json: bool, make: Any) -> None:
    """Make a dataset under the eyes of the user. make: called with ``runner`` and ``progress``."""
    from proofpress.flows.console import progress_bar, show_made

    with stoppable(runner), progress_bar(name, quiet) as progress:
        made = make(runner=runner, progress=progress)
    show_made(made, as_json, quiet)


@contextlib.contextmanager
def stoppable(runner: str) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the command at once, with exit code 1, one line, and no process left behind.

    Inline work unwinds. A pool would first finish the shards it is at, so there the command just ends, and takes the
    workers with it: no file has its name before it is whole.
    """
    from proofpress.flows.orphans import end_all, leave_none_behind

    def stop(signum: int, frame: FrameType | None) -> None:
        if runner == "inline":
            raise KeyboardInterrupt
        end_all()
        farewell()
        os._exit(1)

    def farewell() -> None:
        typer.echo("\nStopped. Run the same command again to go on where it was.", err=True)

    leave_none_behind()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        yield
    except KeyboardInterrupt:
        farewell()
        raise typer.Exit(1) from None
