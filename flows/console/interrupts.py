"""Signals that interrupt a command: Ctrl-C (SIGINT), SIGTERM, and the end of the terminal (SIGHUP).

A signal that is ignored when the command starts, as under `nohup`, stays ignored.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_CODES = tuple(128 + number for number in INTERRUPTING)
_TERMINALS = tuple(number for number in (1, 2) if os.isatty(number))


class Interrupted(KeyboardInterrupt):
    """A signal that is handled as Ctrl-C is."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Raise Interrupted in the block at SIGTERM and SIGHUP; nothing is done outside of the main thread."""

    def interrupt(number: int) -> None:
        raise Interrupted(number)

    with _handling(interrupt, (signal.SIGTERM, signal.SIGHUP)):
        yield


@contextmanager
def first_signal(then: Callable[[], None]) -> Iterator[list[int]]:
    """Call `then`, from the signal's handler, at the first signal of the block; yield a list to find it in.

    A second one raises Interrupted. After the block, `signal.raise_signal` gives the first one to what
    handles it outside.
    """
    received: list[int] = []

    def note(number: int) -> None:
        received.append(number)
        if len(received) > 1:
            raise Interrupted(number)
        then()

    with _handling(note, INTERRUPTING):
        yield received


@contextmanager
def _handling(handle: Callable[[int], None], numbers: tuple[int, ...]) -> Iterator[None]:
    """Handle these signals in the block, but for ignored ones."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in numbers}
    # None: a handler that was not set by Python, and could not be set again.
    before = {number: old for number, old in before.items() if old not in (signal.SIG_IGN, None)}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            _leave_terminal()
        handle(number)

    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _leave_terminal() -> None:
    """Write no more to the terminal that has ended: each write would fail, and hide why the command ends."""
    for number in _TERMINALS:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
