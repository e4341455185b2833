"""The lock of a data root: one writer at a time, on one machine or on several.

`lock.json` in the root names the writer. Locally its writer also holds a lock of the operating system, which
ends with the process; on S3 the file is written, renewed, taken over and removed by conditional requests.
Readers never look at it. A lock whose writer is provably gone is taken over by the next one, so that a
refresh that was killed resumes with the same command.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from perennial.schemas.errors import RootLocked
from perennial.warehouse.lock.found_lock import find_lock, guard, locked_error
from perennial.warehouse.lock.owner import Life, this_process
from perennial.warehouse.lock.record import LOCK_FILE, LockRecord, parse_record
from perennial.warehouse.store.store import Store

BEAT_S = 60.0
# Whoever only looked whether the lock is free, or has just taken it, needs a moment.
SETTLING_S = 1.0
_PAUSE_S = 0.1
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
        if self._read_own() is None:
            found = find_lock(self._store)
            holder = f", and is held now by {found.description}" if found else ""
            raise RootLocked(
                f"the lock of the data root {self._store.root} was taken from this {self.what}{holder}: "
                "nothing more is written; give the same command again when nobody else writes there"
            )

    def renew(self) -> None:
        """Say in the root that the holder lives; a lock that was taken away is left to who has it."""
        content = self._read_own()
        if content is not None:
            renewed = replace(self._record, beat=datetime.now(UTC))
            self._store.replace_bytes(LOCK_FILE, content, renewed.as_bytes())
        else:
            self._ended.set()
            self._tell(f"warning: the lock of {self._store.root} was taken from this {self.what}")

    def release(self) -> None:
        """Remove the lock if it is still ours; a failure is reported, and never hides what ended the work."""
        self._ended.set()
        self._beating.join(_JOIN_S)
        try:
            content = self._read_own()
            if content is not None:
                self._store.remove_bytes(LOCK_FILE, content)
        except Exception as error:  # noqa: BLE001  whatever it is, the work is done
            self._tell(f"warning: {self._store.location(LOCK_FILE)} could not be removed: {error}")

    def _read_own(self) -> bytes | None:
        """Return what the lock's file contains while it is this lock, whatever its beat; else None."""
        try:
            content = self._store.read_bytes(LOCK_FILE)
        except FileNotFoundError:
            return None
        record = parse_record(content)
        return content if record is not None and record.token == self._record.token else None

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


_held: dict[str, RootLock] = {}


@contextmanager
def lock_root(
    store: Store, what: str, tell: Tell = lambda _line: None, wait_s: float = SETTLING_S
) -> Iterator[RootLock]:
    """Hold the root's lock for the block; `what` says what for, such as "refresh kumo-2026-11-20".

    `tell` is given a line where a lock is taken over or lost. Raises RootLocked where somebody else holds the
    lock and continues to for `wait_s` seconds, OSError where a local root cannot be written to, RuntimeError
    where this process holds the lock already.
    """
    key = _key(store)
    if key in _held:
        raise RuntimeError(f"{store.root} is locked by this process already, for {_held[key].what}")
    now = datetime.now(UTC)
    record = LockRecord(this_process(), what, now, now, uuid4().hex)
    deadline = time.monotonic() + wait_s
    with ExitStack() as stack:
        while key not in _held:
            try:
                _held[key] = stack.enter_context(_lock_now(store, record, tell))
                stack.callback(_held.pop, key)
            except RootLocked:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_PAUSE_S)
        yield _held[key]


@contextmanager
def sole_writer(
    store: Store, what: str, tell: Tell = lambda _line: None, wait_s: float = 60.0
) -> Iterator[None]:
    """Make sure that nobody else writes to the root during the block.

    Where this process holds the root's lock, that is so unless it was taken away: then RootLocked is raised.
    Otherwise the lock is taken as by `lock_root`, and waited for a minute at most.
    """
    held = _held.get(_key(store))
    if held is not None:
        held.require_held()
        yield
        return
    with lock_root(store, what, tell, wait_s):
        yield


def refuse_locked(store: Store) -> None:
    """Raise RootLocked where somebody holds the root's lock: one look, and nothing of the root is changed."""
    found = find_lock(store)
    if found is not None and found.life is not Life.gone:
        raise locked_error(store, found)


@contextmanager
def _lock_now(store: Store, record: LockRecord, tell: Tell) -> Iterator[RootLock]:
    with guard(store) as is_free:
        if not is_free:
            raise locked_error(store, find_lock(store))
        _write_record(store, record, tell)
        lock = RootLock(store, record, tell)
        try:
            yield lock
        finally:
            lock.release()


def _write_record(store: Store, record: LockRecord, tell: Tell) -> None:
    """Write our record where there is none, or in place of one left behind; raise RootLocked otherwise."""
    ours = record.as_bytes()
    found = find_lock(store, is_guarded=True)
    if found is not None and found.content == ours:
        # The answer to an earlier attempt was lost on its way.
        return
    if found is not None and found.life is not Life.gone:
        raise locked_error(store, found)
    # After the look, so that a live holder is named even where the store ignores conditions.
    store.require_conditional_writes()
    if found is None:
        is_written = store.create_bytes(LOCK_FILE, ours)
    else:
        is_written = store.replace_bytes(LOCK_FILE, found.content, ours)
    if not is_written:
        raise locked_error(store, find_lock(store, is_guarded=True))
    if found is not None:
        tell(f"took over the lock of {store.root}, left by {found.description}")


def _key(store: Store) -> str:
    folder = store.local_folder
    return store.root.rstrip("/") if folder is None else str(folder.resolve())
