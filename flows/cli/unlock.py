"""`perennial unlock`: remove the lock that a writer left in a data root, after showing who held it."""

import socket
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from flows.console.root_option import RootOption, data_root
from flows.console.terminal import Terminal
from schemas.errors import RootLocked
from warehouse.lock.found_lock import FoundLock, find_lock, remove_lock
from warehouse.lock.owner import Life
from warehouse.lock.record import LOCK_FILE, ago, format_time
from warehouse.store.store import Store

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
    _explain(console, store, found)
    if found.life is Life.alive and not force:
        raise RootLocked(
            f"the data root {store.root} stays locked: its process lives on this machine: wait for it, or "
            f"end it ({_ending(found)}) and give its command again, which resumes; "
            "--force removes the lock anyway"
        )
    if not yes and not _is_confirmed(store):
        raise RootLocked(
            f"the data root {store.root} stays locked: give --yes to remove the lock, if that process is gone"
        )
    if not remove_lock(store, found, by_force=force):
        raise RootLocked(
            f"the data root {store.root} stays locked: another process has taken the lock meanwhile; "
            "run `perennial unlock` again to see which"
        )
    console.print(f"removed: {store.root} is free")


def _explain(console: Terminal, store: Store, found: FoundLock) -> None:
    lines = {"lock": store.location(LOCK_FILE)}
    if found.record is None:
        lines["holder"] = "cannot be read: it is no lock of this version"
    else:
        now, owner, record = datetime.now(UTC), found.record.owner, found.record
        here = " (this machine)" if owner.host == socket.gethostname() else ""
        lines |= {"what": record.what, "holder": owner.user, "host": f"{owner.host}{here}"}
        lines |= {
            "process": str(owner.pid),
            "since": f"{format_time(record.since)} ({ago(record.since, now)})",
        }
        lines["last beat"] = f"{format_time(record.beat)} ({ago(record.beat, now)}; renewed every minute)"
    lines["lives"] = _LIVES[found.life]
    for name, text in lines.items():
        console.print(f"{name + ':':<10} {text}")
    console.print(_SAFE if found.life is Life.gone else _DANGER)


def _ending(found: FoundLock) -> str:
    return f"kill {found.record.owner.pid}" if found.record else "see which one has .lock open"


def _is_confirmed(store: Store) -> bool:
    return sys.stdin.isatty() and typer.confirm(f"Remove the lock of {store.root}?", default=False)
