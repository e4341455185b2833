"""Try, inside a confined process, what authored code must not be able to do, and report what worked."""

import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial

from perennial.tasks.sandbox.guest.confine import WRITE_FD, confine
from perennial.tasks.sandbox.guest.values import dump


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


_NEW_FILE = f"/tmp/perennial-probe-{os.getpid()}"
TRIALS: dict[str, Callable[[], object]] = {
    "open a file": partial(os.open, sys.executable, os.O_RDONLY),
    "create a file": partial(os.open, _NEW_FILE, os.O_CREAT | os.O_WRONLY, 0o600),
    "open a socket": socket.socket,
    "start a process": _fork,
    "send a signal": partial(os.kill, os.getppid(), signal.SIGCONT),
    "change permissions": partial(os.chmod, "/dev/null", 0o666),
    "take 2 GiB of memory": partial(bytearray, 2 * 1024 * 1024 * 1024),
}


def main(settings: dict[str, int]) -> None:
    """Confine this process as a worker's, and write the names of the trials that worked."""
    confine(settings)
    worked = []
    for name, trial in TRIALS.items():
        try:
            trial()
        except (OSError, MemoryError):
            continue
        worked.append(name)
    os.write(WRITE_FD, dump(worked) + b"\n")
