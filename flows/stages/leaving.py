"""Leave a process early, from any thread: after calls in flight have ended, without waiting for Prefect."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import util
from typing import NoReturn

from perennial.schemas.errors import PerennialError

Step = Callable[[PerennialError], None]

_steps: list[Step] = []
_changing = threading.Lock()


@contextmanager
def before_leaving(step: Step) -> Iterator[None]:
    """Let `leave` call the step, with its error, while the block runs."""
    with _changing:
        _steps.append(step)
    try:
        yield
    finally:
        with _changing:
            _steps.remove(step)


def leave(error: PerennialError) -> NoReturn:
    """Print the error in one line, take the steps, the latest first, and end the process with its exit code.

    No other thread begins or ends a step meanwhile: what would follow it waits for the end of the process.
    """
    _changing.acquire()
    logging.disable(logging.CRITICAL)
    _print(f"perennial: error: {error}\n")
    for step in reversed(_steps):
        with suppress(Exception):  # whatever it is, the process must end
            step(error)
    with suppress(Exception):
        sys.stdout.flush()
        # Else Python warns, in lines of its own, of the semaphores that worker processes share.
        util._run_finalizers(0)  # type: ignore[attr-defined]
    os._exit(error.exit_code)


def _print(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(line)
        sys.stderr.flush()
