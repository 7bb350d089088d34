"""Making a dataset under the eyes of the user: a progress bar, a summary, and a clean end on Ctrl-C and SIGTERM."""

import contextlib
from collections.abc import Iterator
from typing import Any

from proofpress.flows.cli.stopping import AT_ONCE, PATIENCE, stoppable


def make_dataset(name: str, runner: str, quiet: bool, as_json: bool, make: Any) -> None:
    """Make a dataset under the eyes of the user. make: called with ``runner`` and ``progress``."""
    from proofpress.flows.console import progress_bar, show_made

    with at_work(runner), progress_bar(name, quiet) as progress:
        made = make(runner=runner, progress=progress)
    show_made(made, as_json, quiet)


@contextlib.contextmanager
def at_work(runner: str) -> Iterator[None]:
    """Within it the command can be stopped, and no process that it starts outlives it.

    Inline work unwinds; a pool would first finish the shards it is at.
    """
    from proofpress.flows.orphans import leave_none_behind

    leave_none_behind()
    with stoppable(PATIENCE if runner == "inline" else AT_ONCE):
        yield
