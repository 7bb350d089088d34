"""The two ways a command fails, so that the command line can tell them apart by exit code.

``RequestError`` (exit 2): the request was wrong; the message names file, field and fix.
``WorkError`` (exit 1): the request was right and the work failed (disk full, browser lost, shard corrupt).
"""


class RequestError(ValueError):
    """What was asked for cannot be done as asked: a wrong key, a missing folder, an unknown name."""


class WorkError(RuntimeError):
    """The work was asked for rightly and failed on the way."""
