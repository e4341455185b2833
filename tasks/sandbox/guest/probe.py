"""Try, inside a confined process, what authored code must not be able to do, and report what worked."""

import os
import signal
import socket
import sys
from collections.abc import Callable

from perennial.tasks.sandbox.guest.confine import WRITE_FD, confine
from perennial.tasks.sandbox.guest.values import dump


def _open() -> None:
    os.close(os.open(sys.executable, os.O_RDONLY))


def _create() -> None:
    os.close(os.open(f"/tmp/perennial-probe-{os.getpid()}", os.O_CREAT | os.O_WRONLY, 0o600))


def _socket() -> None:
    socket.socket().close()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _kill() -> None:
    os.kill(os.getppid(), signal.SIGCONT)


def _chmod() -> None:
    os.chmod("/dev/null", 0o666)


def _allocate() -> None:
    bytearray(2 * 1024 * 1024 * 1024)


TRIALS: dict[str, Callable[[], None]] = {
    "open a file": _open,
    "create a file": _create,
    "open a socket": _socket,
    "start a process": _fork,
    "send a signal": _kill,
    "change permissions": _chmod,
    "take 2 GiB of memory": _allocate,
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
