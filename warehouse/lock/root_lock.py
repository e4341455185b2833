"""The lock of a data root: one writer at a time, on one machine or on several.

`lock.json` in the root names the writer. Locally its writer also holds a lock of the operating system, which
ends with the process; on S3 the file is written, renewed, taken over and removed by conditional requests.
Readers never look at it. A lock whose writer is provably gone is taken over by the next one, so that a
refresh that was killed goes on with the same command.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from schemas.errors import RootLocked
from warehouse.lock.found_lock import find_lock, holds_token, locked_by
from warehouse.lock.os_lock import OsLock
from warehouse.lock.owner import Life, this_process
from warehouse.lock.record import LOCK_FILE, LockRecord
from warehouse.store.store import Store

BEAT_S = 60.0
_TRIES = 20
_PAUSE_S = 0.1
_SETTLING_S = 1.0
_JOIN_S = 5.0

Tell = Callable[[str], None]


class RootLock:
    """A root's lock while this process holds it: made by `locked_root`."""

    def __init__(self, store: Store, record: LockRecord, os_lock: OsLock | None, tell: Tell) -> None:
        self._store = store
        self._record = record
        self._content = record.as_bytes()
        self._os_lock = os_lock
        self._tell = tell
        self._writing = threading.Lock()
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="root-lock", daemon=True)
        self._beating.start()

    @property
    def what(self) -> str:
        """What the root is locked for."""
        return self._record.what

    def require_held(self) -> None:
        """Raise RootLocked where the lock has been removed, or taken by somebody else, meanwhile."""
        if not self._is_still_ours():
            found = find_lock(self._store)
            holder = f", and is held now by {found.told}" if found else ""
            raise RootLocked(
                f"the lock of the data root {self._store.root} was taken from this {self.what}{holder}: "
                "nothing more is written; give the same command again when nobody else writes there"
            )

    def renew(self) -> None:
        """Say in the root that the holder lives; a lock that was taken away is left to who has it."""
        with self._writing:
            record = replace(self._record, beat=datetime.now(UTC))
            if self._store.replace_bytes(LOCK_FILE, self._content, record.as_bytes()):
                self._content = record.as_bytes()
            elif self._is_still_ours():
                # The answer to an earlier write was lost on its way.
                self._content = self._store.read_bytes(LOCK_FILE)
            else:
                self._ended.set()
                self._tell(f"warning: the lock of {self._store.root} was taken from this {self.what}")

    def release(self) -> None:
        """Remove the lock if it is still ours; what fails is told, and never hides what ended the work."""
        if os.getpid() != self._record.owner.pid:
            return
        self._ended.set()
        self._beating.join(_JOIN_S)
        try:
            removed = self._store.remove_bytes(LOCK_FILE, self._content)
            if not removed and self._is_still_ours():
                self._store.remove_bytes(LOCK_FILE, self._store.read_bytes(LOCK_FILE))
        except Exception as error:  # noqa: BLE001  whatever it is, the work is done
            self._tell(f"warning: {self._store.location(LOCK_FILE)} could not be removed: {error}")
        if self._os_lock is not None:
            self._os_lock.free()

    def _is_still_ours(self) -> bool:
        try:
            return holds_token(self._store.read_bytes(LOCK_FILE), self._record.token)
        except FileNotFoundError:
            return False

    def _beat(self) -> None:
        has_failed = False
        while not self._ended.wait(BEAT_S):
            try:
                self.renew()
                has_failed = False
            except Exception as error:  # noqa: BLE001  the next beat may pass
                if not has_failed:
                    self._tell(f"warning: the lock of {self._store.root} could not be renewed: {error}")
                has_failed = True


def _nobody(_line: str) -> None:
    """Tell nobody."""


_held: dict[str, RootLock] = {}
# A forked child holds nothing of what its parent holds.
os.register_at_fork(after_in_child=_held.clear)


@contextmanager
def locked_root(store: Store, what: str, tell: Tell = _nobody, wait_s: float = 0.0) -> Iterator[RootLock]:
    """Hold the root's lock for the block; `what` says what for, such as "refresh kumo-2026-11-20".

    `tell` is given a line where a lock is taken over or lost. Raises RootLocked where somebody else holds the
    lock and goes on to for `wait_s` seconds, OSError where a local root cannot be written to, RuntimeError
    where this process holds the lock already.
    """
    key = _key(store)
    if key in _held:
        raise RuntimeError(f"{store.root} is locked by this process already, for {_held[key].what}")
    lock = _taken(store, what, tell, time.monotonic() + wait_s)
    _held[key] = lock
    try:
        yield lock
    finally:
        _held.pop(key, None)
        lock.release()


@contextmanager
def sole_writer(store: Store, what: str, wait_s: float = 60.0) -> Iterator[None]:
    """Make sure that nobody else writes to the root during the block.

    Where this process holds the root's lock, that is so unless it was taken away: then RootLocked is raised.
    Otherwise the lock is taken, and waited for so many seconds at most.
    """
    held = _held.get(_key(store))
    if held is not None:
        held.require_held()
        yield
        return
    with locked_root(store, what, wait_s=wait_s):
        yield


def refuse_locked(store: Store) -> None:
    """Raise RootLocked where somebody holds the root's lock: one look, and nothing of the root is changed."""
    found = find_lock(store)
    if found is not None and found.life is not Life.gone:
        raise locked_by(store, found)


def _taken(store: Store, what: str, tell: Tell, deadline: float) -> RootLock:
    while True:
        try:
            return _taken_now(store, what, tell)
        except RootLocked:
            if time.monotonic() >= deadline:
                raise
        time.sleep(_PAUSE_S)


def _taken_now(store: Store, what: str, tell: Tell) -> RootLock:
    folder = store.local_folder
    os_lock = None
    try:
        if folder is not None:
            os_lock = _os_lock(store, folder)
        return RootLock(store, _written_record(store, what, os_lock, tell), os_lock, tell)
    except BaseException:
        if os_lock is not None:
            os_lock.free()
        raise


def _os_lock(store: Store, folder: Path) -> OsLock:
    """Return the operating system's lock; raise RootLocked where somebody keeps it, with who that is."""
    settled = time.monotonic() + _SETTLING_S
    while True:
        os_lock = OsLock.taken(folder)
        if os_lock is not None:
            return os_lock
        # Whoever has just taken it, or only looked whether it is free, needs a moment.
        found = find_lock(store)
        if (found and found.record and found.record.life is Life.alive) or time.monotonic() > settled:
            raise locked_by(store, found)
        time.sleep(_PAUSE_S)


def _written_record(store: Store, what: str, os_lock: OsLock | None, tell: Tell) -> LockRecord:
    """Write our record where there is none, or in place of one left behind; raise RootLocked otherwise."""
    now = datetime.now(UTC)
    record = LockRecord(this_process(), what, now, now, uuid4().hex)
    ours = record.as_bytes()
    for _ in range(_TRIES):
        found = find_lock(store, os_lock)
        if found is not None and found.content == ours:
            # The answer to an earlier write was lost on its way.
            return record
        if found is not None and found.life is not Life.gone:
            raise locked_by(store, found)
        # After the look, so that a live holder is named even where the store ignores conditions.
        store.require_conditional_writes()
        if found is None:
            if store.create_bytes(LOCK_FILE, ours):
                return record
        elif store.replace_bytes(LOCK_FILE, found.content, ours):
            tell(f"took over the lock of {store.root}, left behind by {found.told}")
            return record
    raise locked_by(store, found)


def _key(store: Store) -> str:
    folder = store.local_folder
    return store.root.rstrip("/") if folder is None else str(folder.resolve())
