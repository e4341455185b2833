"""The lock of a data root: one writer at a time, on one machine or on several.

`lock.json` in the root names the writer. Locally its writer also holds a lock of the operating system, which
ends with the process; on S3 the file is written, renewed, taken over and removed by conditional requests.
Readers never look at it. A lock whose writer is provably gone is taken over by the next one, so that a
refresh that was killed resumes with the same command.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from schemas.errors import RootLocked
from warehouse.lock.found_lock import find_lock, guard, locked_error, read_held_content, remove_held
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
    """A root's lock while this process holds it: made by `lock_root`."""

    def __init__(self, store: Store, record: LockRecord, tell: Tell) -> None:
        self._store = store
        self._record = record
        self._tell = tell
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="root-lock", daemon=True)
        self._beating.start()

    @property
    def what(self) -> str:
        """What the root is locked for."""
        return self._record.what

    def require_held(self) -> None:
        """Raise RootLocked where the lock has been removed, or taken by somebody else, meanwhile."""
        if read_held_content(self._store, self._record.token) is None:
            found = find_lock(self._store)
            holder = f", and is held now by {found.description}" if found else ""
            raise RootLocked(
                f"the lock of the data root {self._store.root} was taken from this {self.what}{holder}: "
                "nothing more is written; give the same command again when nobody else writes there"
            )

    def renew(self) -> None:
        """Say in the root that the holder lives; a lock that was taken away is left to who has it."""
        content = read_held_content(self._store, self._record.token)
        if content is not None:
            renewed = replace(self._record, beat=datetime.now(UTC))
            self._store.replace_bytes(LOCK_FILE, content, renewed.as_bytes())
        else:
            self._ended.set()
            self._tell(f"warning: the lock of {self._store.root} was taken from this {self.what}")

    def release(self) -> None:
        """Remove the lock if it is still ours; what fails is reported, and never hides what ended the
        work.
        """
        if os.getpid() != self._record.owner.pid:
            return
        self._ended.set()
        self._beating.join(_JOIN_S)
        try:
            remove_held(self._store, self._record.token)
        except Exception as error:  # noqa: BLE001  whatever it is, the work is done
            self._tell(f"warning: {self._store.location(LOCK_FILE)} could not be removed: {error}")

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
def lock_root(store: Store, what: str, tell: Tell = _nobody, wait_s: float = 0.0) -> Iterator[RootLock]:
    """Hold the root's lock for the block; `what` says what for, such as "refresh kumo-2026-11-20".

    `tell` is given a line where a lock is taken over or lost. Raises RootLocked where somebody else holds the
    lock and continues to for `wait_s` seconds, OSError where a local root cannot be written to, RuntimeError
    where this process holds the lock already.
    """
    key = _key(store)
    if key in _held:
        raise RuntimeError(f"{store.root} is locked by this process already, for {_held[key].what}")
    deadline = time.monotonic() + wait_s
    with ExitStack() as stack:
        lock = None
        while lock is None:
            try:
                lock = stack.enter_context(_lock_now(store, what, tell))
            except RootLocked:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_PAUSE_S)
        _held[key] = lock
        stack.callback(_held.pop, key, None)
        yield lock


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
    with lock_root(store, what, wait_s=wait_s):
        yield


def refuse_locked(store: Store) -> None:
    """Raise RootLocked where somebody holds the root's lock: one look, and nothing of the root is changed."""
    found = find_lock(store)
    if found is not None and found.life is not Life.gone:
        raise locked_error(store, found)


@contextmanager
def _lock_now(store: Store, what: str, tell: Tell) -> Iterator[RootLock]:
    with _guard_root(store) as is_guarded:
        lock = RootLock(store, _write_record(store, what, is_guarded, tell), tell)
        try:
            yield lock
        finally:
            lock.release()


@contextmanager
def _guard_root(store: Store) -> Iterator[bool]:
    """Hold the operating system's lock of a local root; raise RootLocked where somebody keeps it."""
    folder = store.local_folder
    if folder is None:
        yield False
        return
    settled = time.monotonic() + _SETTLING_S
    while (lock := guard(folder)) is None:
        # Whoever has just taken it, or only looked whether it is free, needs a moment.
        found = find_lock(store)
        if (found and found.record and found.life is Life.alive) or time.monotonic() > settled:
            raise locked_error(store, found)
        time.sleep(_PAUSE_S)
    owner = os.getpid()
    try:
        yield True
    finally:
        if os.getpid() == owner:
            lock.release()


def _write_record(store: Store, what: str, is_guarded: bool, tell: Tell) -> LockRecord:
    """Write our record where there is none, or in place of one left behind; raise RootLocked otherwise."""
    now = datetime.now(UTC)
    record = LockRecord(this_process(), what, now, now, uuid4().hex)
    ours = record.as_bytes()
    for _ in range(_TRIES):
        found = find_lock(store, is_guarded=is_guarded)
        if found is not None and found.content == ours:
            # The answer to an earlier write was lost on its way.
            return record
        if found is not None and found.life is not Life.gone:
            raise locked_error(store, found)
        # After the look, so that a live holder is named even where the store ignores conditions.
        store.require_conditional_writes()
        if found is None:
            if store.create_bytes(LOCK_FILE, ours):
                return record
        elif store.replace_bytes(LOCK_FILE, found.content, ours):
            tell(f"took over the lock of {store.root}, left by {found.description}")
            return record
    raise locked_error(store, found)


def _key(store: Store) -> str:
    folder = store.local_folder
    return store.root.rstrip("/") if folder is None else str(folder.resolve())
