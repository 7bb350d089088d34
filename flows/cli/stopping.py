"""How a command is stopped: Ctrl-C and SIGTERM end it within seconds, with one line and no process left behind.

    with stoppable(AT_ONCE):     # a pool would first finish the shards it is at
        make()

The command unwinds; where that takes too long, or the signal comes again, it just ends and takes what it has started
with it: no file has its name before it is whole. Prefect's engine, Ray and the trainer put handlers of their own in the
place of any other while they work, and Prefect waits long for a server that is gone. So a thread hears of signals
through Python's wakeup descriptor, which none of them takes away, and sees to it that the end comes.
"""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, BinaryIO

import typer

SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: Seconds for unwinding before a command just ends; none where it would only wait for others.
PATIENCE, AT_ONCE = 3.0, 0.0

#: Seconds in which the thread hears of a signal; an interrupt of which it has not was not one.
LAG = 0.5

SHOW_CURSOR = "\x1b[?25h"  # a progress bar hides it
AGAIN = "Stopped. Run the same command again to go on where it was."

# A child that is forked and stopped before it is another program must not stop its parent.
os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))


@contextlib.contextmanager
def stoppable(
    patience: float | None = PATIENCE, message: str = AGAIN, code: int = 1, first: str = ""
) -> Iterator[None]:
    """Within it SIGINT and SIGTERM end the command with the message and the exit code.

    patience: None for as long as it takes, until the signal comes again. first: what is said when it comes.
    Raises ``typer.Exit`` where the command unwinds. Outside the main thread, which signals reach, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    came, told = threading.Event(), threading.Event()

    def tell() -> None:
        if not told.is_set():
            told.set()
            typer.echo(f"{SHOW_CURSOR if sys.stderr.isatty() else ''}\n{message}", err=True)

    def see_to_it() -> None:
        with open(heard, "rb", buffering=0) as pipe:
            if _hears(pipe, None) is None:
                return
            came.set()
            if first:
                typer.echo(f"\n{first}", err=True)
            if _hears(pipe, patience) is not None:
                tell()
                _end(code)

    threading.Thread(target=see_to_it, daemon=True).start()
    before = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    handlers = [signal.signal(signal.SIGINT, _as_sigterm), signal.signal(signal.SIGTERM, _interrupt)]
    try:
        yield
    except KeyboardInterrupt:
        tell()
        if not came.wait(LAG):
            _let_go(before, wakeup, handlers)
        raise typer.Exit(code) from None  # and the thread watches over what is left to do: browsers to close
    except BaseException:
        _let_go(before, wakeup, handlers)
        raise
    _let_go(before, wakeup, handlers)


def _let_go(before: int, wakeup: int, handlers: Sequence[Any]) -> None:
    signal.set_wakeup_fd(before)
    os.close(wakeup)
    for number, handler in zip(SIGNALS, handlers, strict=True):
        signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _as_sigterm(number: int, frame: FrameType | None) -> None:
    """Ctrl-C does what SIGTERM does at the moment: a trainer, say, first writes a checkpoint."""
    handler = signal.getsignal(signal.SIGTERM)
    (handler if callable(handler) else _interrupt)(number, frame)


def _hears(pipe: BinaryIO, patience: float | None) -> bool | None:
    """Whether one of the signals comes before patience ends; None when the pipe is closed, for the command is done."""
    while select.select([pipe], [], [], patience)[0]:
        numbers = pipe.read(64)
        if not numbers:
            return None
        if any(number in numbers for number in SIGNALS):
            return True
    return False


def _end(code: int) -> None:
    """End this process and all that it has started, now."""
    from proofpress.flows.orphans import end_all

    sys.stderr.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what breaks now has been told already
    end_all()
    os._exit(code)
