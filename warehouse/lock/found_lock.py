"""A lock that was found in a data root: who holds it, and whether that process is gone.

In a local root its writer also holds a lock of the operating system on `.lock`, which ends with the process.
On S3 a lock that has not been renewed for `TIME_TO_LIVE` has expired, whoever holds it.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from perennial.schemas.errors import RootLocked
from perennial.warehouse.lock.owner import Life, life_of
from perennial.warehouse.lock.record import LOCK_FILE, LockRecord, parse_record
from perennial.warehouse.store.store import Store

# Longer than clocks differ: S3 refuses requests whose clock is 15 minutes ahead or behind.
TIME_TO_LIVE = timedelta(hours=1)
_GUARD = ".lock"


@dataclass(frozen=True, slots=True)
class FoundLock:
    """A lock's file: `record` is None where the content is not of this version."""

    content: bytes
    record: LockRecord | None
    life: Life

    @property
    def description(self) -> str:
        """Who holds it, for what and since when, as part of one line."""
        if self.record is None:
            return f"a {LOCK_FILE} that cannot be read"
        return self.record.describe(datetime.now(UTC))


def find_lock(store: Store, *, is_guarded: bool = False) -> FoundLock | None:
    """Return the lock that is in the root, None where there is none.

    `is_guarded` says that the caller holds the operating system's lock of a local root.
    """
    try:
        content = store.read_bytes(LOCK_FILE)
    except FileNotFoundError:
        return None
    record = parse_record(content)
    if store.local_folder is None:
        life = _life_on_s3(record)
    elif record is not None and not record.owner.is_on_this_machine:
        life = Life.unknown
    else:
        life = Life.gone if is_guarded else _life_by_guard(store)
    return FoundLock(content, record, life)


def locked_error(store: Store, lock: FoundLock | None) -> RootLocked:
    """Return the error that says in one line who holds the root's lock, and what to do."""
    holder = lock.description if lock else "a process of this machine that has not said yet which"
    return RootLocked(
        f"the data root {store.root} is being written to by {holder}: wait until that has ended, or, if that "
        f"process is gone, run `perennial unlock --root {store.root}`"
    )


@contextmanager
def guard(store: Store) -> Iterator[bool]:
    """Hold the operating system's lock of a local root, if it is free, and yield whether it was.

    A root elsewhere has none, and True is yielded. Raises OSError where the folder cannot be written to, or
    is on a file system without such locks.
    """
    from filelock import FileLock, Timeout

    folder = store.local_folder
    if folder is None:
        yield True
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:
        # A file system, such as /proc, that takes no folders.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), error.filename) from None
    lock = FileLock(folder / _GUARD, timeout=0, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def remove_lock(store: Store, lock: FoundLock, *, by_force: bool = False) -> bool:
    """Remove the lock that was found; return False where it was renewed or taken meanwhile, or is in use.

    `by_force` removes it even where a process of this machine holds it.
    """
    with guard(store) as is_free:
        if not is_free and not by_force:
            return False
        if not is_free and store.local_folder is not None:
            # Others will lock another file of that name.
            (store.local_folder / _GUARD).unlink(missing_ok=True)
        return store.remove_bytes(LOCK_FILE, lock.content) or not store.exists(LOCK_FILE)


def _life_on_s3(record: LockRecord | None) -> Life:
    if record is None:
        return Life.unknown
    life = life_of(record.owner, record.beat.timestamp())
    has_expired = datetime.now(UTC) - record.beat > TIME_TO_LIVE
    return Life.gone if life is Life.unknown and has_expired else life


def _life_by_guard(store: Store) -> Life:
    try:
        with guard(store) as is_free:
            return Life.gone if is_free else Life.alive
    except OSError:
        return Life.unknown
