"""`perennial unlock`: remove the lock that a writer left in a data root, after showing who held it."""

import socket
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.terminal import Terminal
from perennial.schemas.errors import RootLocked
from perennial.warehouse.lock import LOCK_FILE, FoundLock, Life, ago, find_lock, format_time, remove_lock

_DANGER = (
    "If that writer is still running, a second one may overwrite its batches and pay for the same model "
    "calls again; the one whose lock was removed ends before it publishes."
)
_SAFE = "The next writer takes this lock over by itself; removing it is safe."
_LIVES = {
    Life.alive: "yes, that process runs on this machine",
    Life.gone: "no, that process is gone",
    Life.unknown: "unknown from this machine: look there, or judge by the last beat",
}


def unlock(
    root: RootOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove the lock without asking.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Remove the lock even if its process runs on this machine.")
    ] = False,
) -> None:
    """Remove the lock of a data root whose writer is gone, after showing who held it.

    A lock whose process is known to be gone needs no unlocking: the next writer takes it over. Exit codes: 0
    no lock, or removed; 9 still locked.

    Example: perennial unlock --root s3://bucket/prefix
    """
    store = data_root(root)
    console = Terminal(soft_wrap=True)
    found = find_lock(store)
    if found is None:
        console.print(f"no lock: nobody is writing to {store.root}")
        return
    console.print(f"lock:      {store.location(LOCK_FILE)}")
    for line in _describe(found):
        console.print(line)
    stays = f"the data root {store.root} stays locked"
    if found.life is Life.alive and not force:
        ending = f"kill {found.record.owner.pid}" if found.record else "see which one has .lock open"
        raise RootLocked(
            f"{stays}: its process lives on this machine: wait for it, or end it ({ending}) and give its "
            "command again, which resumes; --force removes the lock anyway"
        )
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"Remove the lock of {store.root}?")):
        raise RootLocked(f"{stays}: give --yes to remove the lock, if that process is gone")
    if not remove_lock(store, found, by_force=force):
        raise RootLocked(
            f"{stays}: the lock was renewed, or taken by another process, meanwhile; run `perennial unlock` "
            "again to see by which"
        )
    console.print(f"removed: {store.root} is free")


def _describe(lock: FoundLock) -> Iterator[str]:
    if lock.record is None:
        yield "holder:    cannot be read: this version did not write the lock"
    else:
        now, record, owner = datetime.now(UTC), lock.record, lock.record.owner
        yield f"what:      {record.what}"
        yield f"holder:    {owner.user}"
        yield f"host:      {owner.host}{' (this machine)' if owner.host == socket.gethostname() else ''}"
        yield f"process:   {owner.pid}"
        yield f"since:     {format_time(record.since)} ({ago(record.since, now)})"
        yield f"last beat: {format_time(record.beat)} ({ago(record.beat, now)}; renewed every minute)"
    yield f"lives:     {_LIVES[lock.life]}"
    yield _SAFE if lock.life is Life.gone else _DANGER
