"""The command line. ``proofpress --help`` lists the commands, ``proofpress build --help`` teaches one by examples.

Exit codes: 0 done, 1 the work failed or was stopped, 2 the request was wrong. Every command imports what it needs when
it runs, so that help and small commands answer at once. Commands of one kind stand in one module; each adds its own to
``app`` when imported, in the order of this file.
"""

import sys

from proofpress.flows.cli import (  # noqa: F401
    cleaning,
    datasets,
    evaluation,
    loop,
    machine,
    mining,
    model,
    reading,
    sharing,
    training,
    viewing,
)
from proofpress.flows.cli.app import app
from proofpress.pages.errors import RequestError, WorkError

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; the entry point of ``proofpress``."""
    try:
        app()
    except (RequestError, WorkError, OSError) as error:
        from proofpress.flows.console import show_error

        if isinstance(error, OSError):  # of the machine: a folder that may not be written to, a disk that is full
            error = WorkError(f"{error.filename or 'this machine'}: {error.strerror or error}")
        show_error(error)
        sys.exit(2 if isinstance(error, RequestError) else 1)
