"""A lock that was found in a data root: who holds it, and whether that process is gone.

In a local root its writer also holds a lock of the operating system on `.lock`, which ends with the process.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import RootLocked
from warehouse.lock.owner import Life, life_of
from warehouse.lock.record import LOCK_FILE, LockRecord, parse_record
from warehouse.store.store import Store

if TYPE_CHECKING:
    from filelock import FileLock

_GUARD = ".lock"
_TRIES = 3


@dataclass(frozen=True, slots=True)
class FoundLock:
    """A lock's file: `record` is None where the content is not of this version."""

    content: bytes
    record: LockRecord | None
    life: Life

    @property
    def description(self) -> str:
        """Who holds it, for what and since when, as part of one line."""
        return (
            self.record.describe(datetime.now(UTC)) if self.record else f"a {LOCK_FILE} that cannot be read"
        )

    @property
    def key(self) -> str | bytes:
        """What stays the same as long as it is this lock, whatever its beat."""
        return self.record.token if self.record else self.content


def find_lock(store: Store, *, is_guarded: bool = False) -> FoundLock | None:
    """Return the lock that is in the root, None where there is none.

    `is_guarded` says that the caller holds the operating system's lock of a local root.
    """
    try:
        content = store.read_bytes(LOCK_FILE)
    except FileNotFoundError:
        return None
    record = parse_record(content)
    life = life_of(record.owner, record.beat.timestamp()) if record else Life.unknown
    folder = store.local_folder
    if life is Life.unknown and folder is not None and (record is None or record.owner.is_on_this_machine):
        life = Life.gone if is_guarded else _life_by_guard(folder)
    return FoundLock(content, record, life)


def read_held_content(store: Store, key: str | bytes) -> bytes | None:
    """Return what the lock's file contains while it is the lock with this key, else None."""
    found = find_lock(store, is_guarded=True)
    return found.content if found is not None and found.key == key else None


def locked_error(store: Store, found: FoundLock | None) -> RootLocked:
    """Return the error that says in one line who holds the root's lock, and what to do."""
    holder = found.description if found else "a process of this machine that has not said yet which"
    return RootLocked(
        f"the data root {store.root} is being written to by {holder}: wait until that has ended, or, if that "
        f"process is gone, run `perennial unlock --root {store.root}`"
    )


def guard(folder: Path) -> "FileLock | None":
    """Return the operating system's lock on the folder, made where it is absent; None where it is held.

    Raises OSError where the folder cannot be written to, or is on a file system without such locks.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _GUARD, timeout=0, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def remove_lock(store: Store, found: FoundLock, *, by_force: bool = False) -> bool:
    """Remove the lock that was found; return False where another one has taken its place, or it is in use.

    `by_force` removes it even where a process of this machine holds it.
    """
    folder = store.local_folder
    guarded = guard(folder) if folder is not None else None
    if folder is not None and guarded is None:
        if not by_force:
            return False
        # Others will lock another file of that name.
        (folder / _GUARD).unlink(missing_ok=True)
    try:
        return remove_held(store, found.key)
    finally:
        if guarded is not None:
            guarded.release()


def remove_held(store: Store, key: str | bytes) -> bool:
    """Remove the lock with this key, also while it is renewed; return False where another one is there."""
    for _ in range(_TRIES):
        content = read_held_content(store, key)
        if content is None:
            return not store.exists(LOCK_FILE)
        if store.remove_bytes(LOCK_FILE, content):
            return True
    return False


def _life_by_guard(folder: Path) -> Life:
    try:
        guarded = guard(folder)
    except OSError:
        return Life.unknown
    if guarded is None:
        return Life.alive
    guarded.release()
    return Life.gone
