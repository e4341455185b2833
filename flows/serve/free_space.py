"""The disk of Prefect's own folder: where it is full, Prefect tries for minutes and names no reason."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from perennial.schemas.errors import DiskFull

NEEDED_BYTES = 8 * 2**20  # a new database, its log, and what a small run adds
# With less free, SQLite's next pages do not fit, nor ours.
FULL_BYTES = 2**18
_POLL_S = 0.5


def require_space(folder: Path) -> None:
    """Raise DiskFull where the disk has no room for Prefect's database."""
    free = free_bytes(folder)
    if free < NEEDED_BYTES:
        raise DiskFull(
            f"{folder}: the disk is full ({free / 2**20:.1f} MB are free, Prefect's database needs "
            f"{NEEDED_BYTES // 2**20} MB): free some space, then give the same command again"
        )


@contextmanager
def when_full(folder: Path, then: Callable[[DiskFull], None]) -> Iterator[None]:
    """Call `then`, from a thread of its own, should the disk get full during the block."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_POLL_S):
            try:
                is_full = free_bytes(folder) < FULL_BYTES
            except OSError:  # the folder is gone, which the writer of the root says
                return
            if is_full:
                then(
                    DiskFull(
                        f"{folder}: the disk is full: free some space, then give the same command again; "
                        "what is staged is kept, and the same command resumes"
                    )
                )
                return

    threading.Thread(target=watch, name="free-space", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def free_bytes(folder: Path) -> int:
    """Return how many bytes this user may still write to the folder's disk."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
