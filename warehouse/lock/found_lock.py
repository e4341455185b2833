"""A lock that was found in a data root: who holds it, and whether that process is gone."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import RootLocked
from warehouse.lock.os_lock import OsLock, remove_by_force
from warehouse.lock.owner import Life, is_on_this_machine
from warehouse.lock.record import LOCK_FILE, LockRecord, parse_record
from warehouse.store.store import Store


@dataclass(frozen=True, slots=True)
class FoundLock:
    """A lock's file: `record` is None where the content is none of this version."""

    content: bytes
    record: LockRecord | None
    life: Life

    @property
    def told(self) -> str:
        """Who holds it, for what and since when, as part of one line."""
        return self.record.told(datetime.now(UTC)) if self.record else f"a {LOCK_FILE} that cannot be read"

    def is_same_lock(self, content: bytes) -> bool:
        """Whether the content is this lock, perhaps with a later beat."""
        if self.record is None:
            return content == self.content
        return holds_token(content, self.record.token)


def find_lock(store: Store, os_lock: OsLock | None = None) -> FoundLock | None:
    """Return the lock that is in the root, None where there is none.

    `os_lock` is the root's lock of the operating system where the caller holds it.
    """
    try:
        content = store.read_bytes(LOCK_FILE)
    except FileNotFoundError:
        return None
    try:
        record = parse_record(content)
    except ValueError:
        record = None
    return FoundLock(content, record, _life(store, record, os_lock))


def holds_token(content: bytes, token: str) -> bool:
    """Whether the file's content is the lock with this token."""
    try:
        return parse_record(content).token == token
    except ValueError:
        return False


def locked_by(store: Store, found: FoundLock | None) -> RootLocked:
    """Return the error that says in one line who holds the root's lock, and what to do."""
    holder = found.told if found else "a process of this machine that has not said yet which"
    return RootLocked(
        f"the data root {store.root} is being written to by {holder}: wait until that has ended, or, if that "
        f"process is gone, run `perennial unlock --root {store.root}`"
    )


def remove_lock(store: Store, found: FoundLock, *, by_force: bool = False) -> bool:
    """Remove the lock that was found; return False where another one has taken its place, or it is in use.

    `by_force` removes it even where a process of this machine holds it.
    """
    folder = store.local_folder
    os_lock = OsLock.taken(folder) if folder is not None else None
    if folder is not None and os_lock is None:
        if not by_force:
            return False
        remove_by_force(folder)
    try:
        return _removed(store, found)
    finally:
        if os_lock is not None:
            os_lock.free()


def _removed(store: Store, found: FoundLock) -> bool:
    for _ in range(3):
        try:
            content = store.read_bytes(LOCK_FILE)
        except FileNotFoundError:
            return True
        if not found.is_same_lock(content):
            return False
        if store.remove_bytes(LOCK_FILE, content):
            return True
    return False


def _life(store: Store, record: LockRecord | None, os_lock: OsLock | None) -> Life:
    """Return whether the holder lives; locally the operating system's lock decides what else is unknown."""
    known = record.life if record else Life.unknown
    folder = store.local_folder
    is_elsewhere = record is not None and not is_on_this_machine(record.owner)
    if known is not Life.unknown or folder is None or is_elsewhere:
        return known
    if os_lock is not None:
        return Life.gone if os_lock.is_kept else Life.unknown
    return _life_by_os_lock(folder)


def _life_by_os_lock(folder: Path) -> Life:
    try:
        probe = OsLock.taken(folder)
    except OSError:
        return Life.unknown
    if probe is None:
        return Life.alive
    probe.free()
    return Life.gone if probe.is_kept else Life.unknown
