"""One writer a data root."""

import errno
import getpass
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from perennial.schemas.errors import Damaged, RootLocked
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from pydantic import TypeAdapter


# Who holds a lock, and whether that process still lives, as far as this machine can know.
#
# A process id alone says little: ids are used again, and containers have ids of their own. So an owner is
# known by the id with the time at which the process started, the boot of the machine, and the space of
# process ids.


class Life(StrEnum):
    """What is known of a process."""

    alive = "alive"
    gone = "gone"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: `started` in clock ticks since boot, `boot_id`, `pid_space` "" where not known."""

    user: str
    host: str
    pid: int
    started: str
    boot_id: str
    pid_space: str

    def __str__(self) -> str:
        return f"{self.user}@{self.host}, process {self.pid}"

    @property
    def is_on_this_machine(self) -> bool:
        """Whether it ran on this machine, in this boot or an earlier one."""
        return self.host == socket.gethostname() or (self.boot_id != "" and self.boot_id == read_boot_id())


def this_process() -> Owner:
    """Return this process as an owner."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return Owner(
        user,
        host=socket.gethostname(),
        pid=os.getpid(),
        started=_start_of(os.getpid()),
        boot_id=read_boot_id(),
        pid_space=_pid_space(),
    )


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _start_of(pid: int) -> str:
    """When the process started, "ended" for one that nobody has waited for, "" where it is unknown."""
    # The name of the command, in parentheses, may hold anything.
    # So it is split off at the last one. Field 20 from there is the start, in ticks since the boot.
    fields = _read(f"/proc/{pid}/stat").rsplit(")", 1)[-1].split()
    if not fields:
        return ""
    return "ended" if fields[0] in ("Z", "X", "x") else fields[19]


def read_boot_id() -> str:
    """Return what names this boot of the machine, "" where nothing does."""
    return _read("/proc/sys/kernel/random/boot_id").strip()


def _pid_space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# What `lock.json` in a data root says: who writes to the root, what, since when, and when last seen.

LOCK_FILE = "lock.json"


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock: `token` is another one for each, `since` and `beat` are times in UTC."""

    owner: Owner
    what: str
    since: datetime
    beat: datetime
    token: str

    def as_bytes(self) -> bytes:
        """Return the content of the lock's file."""
        return _form().dump_json(self, indent=1) + b"\n"


@cache
def _form() -> "TypeAdapter[LockRecord]":
    # Imported late: commands that only read start without it.
    from pydantic import TypeAdapter

    return TypeAdapter(LockRecord)


def parse_record(content: bytes) -> LockRecord | None:
    """Return the record that the file's content holds; None for anything else."""
    try:
        record = _form().validate_json(content)
    except ValueError:
        return None
    # The times of a lock carry their zone.
    return record if record.since.tzinfo and record.beat.tzinfo else None


def format_time(moment: datetime) -> str:
    """Return the time for people, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago that was; of a time that lies ahead, as after a clock set back, it says so."""
    age = now - moment
    if age < timedelta(seconds=-1):
        return "by a clock that is ahead of this one"
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


# A lock that was found in a data root: who holds it, and whether that process is gone.
#
# In a local root its writer also holds a lock of the operating system on `.lock`, which ends with the
# process. On S3 a lock that has not been renewed for `TIME_TO_LIVE` has expired, whoever holds it.

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
        record, now = self.record, datetime.now(UTC)
        if record is None:
            return f"a {LOCK_FILE} that cannot be read"
        return (
            f"{record.owner}: {record.what}, since {format_time(record.since)} ({ago(record.since, now)}), "
            f"last beat {ago(record.beat, now)}"
        )


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
        # No lock of an operating system reaches there.
        life = Life.unknown if record is None else _life_by_beat(record)
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
    # No soft lock: a mere file would outlive a process that is killed, and nobody could tell.
    lock = FileLock(folder / _GUARD, timeout=0, thread_local=False, fallback_to_soft=False)
    try:
        acquired = lock.acquire()
    except Timeout:
        yield False
        return
    with acquired:
        yield True


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
        # Only if its content is still what was looked at: the holder may have renewed it in between.
        return store.remove_bytes(LOCK_FILE, lock.content) or not store.exists(LOCK_FILE)


def _life_by_beat(record: LockRecord) -> Life:
    """Whether the holder lives, by its process as far as this machine knows it, else by its last beat.

    A process of this machine is gone where its id is free or belongs to a later one, or where it was last
    seen before the machine was started. Of another machine's nothing can be known.
    """
    owner, beat, boot_id = record.owner, record.beat, read_boot_id()
    by_beat = Life.gone if datetime.now(UTC) - beat > TIME_TO_LIVE else Life.unknown
    if not owner.is_on_this_machine:
        return by_beat
    if owner.boot_id and boot_id and owner.boot_id != boot_id:
        # Seen after this machine's start, it is another machine of the same name.
        booted_at = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return Life.gone if beat.timestamp() < booted_at else by_beat
    if owner.pid_space != _pid_space():
        return by_beat
    started = _start_of(owner.pid)
    if not started:
        return by_beat if _exists(owner.pid) else Life.gone
    return Life.alive if started == owner.started else Life.gone


def _life_by_guard(store: Store) -> Life:
    try:
        with guard(store) as is_free:
            return Life.gone if is_free else Life.alive
    except OSError:
        return Life.unknown


# The lock of a data root: one writer at a time, on one machine or on several.
#
# `lock.json` in the root names the writer. Locally its writer also holds a lock of the operating system,
# which ends with the process; on S3 the file is written, renewed, taken over and removed by conditional
# requests. Readers never look at it. A lock whose writer is provably gone is taken over by the next one, so
# that a refresh that was killed resumes with the same command.

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
            lock = find_lock(self._store)
            holder = f", and is held now by {lock.description}" if lock else ""
            raise RootLocked(
                f"the lock of the data root {self._store.root} was taken from this {self.what}{holder}: "
                "nothing more is written; give the same command again when nobody else writes there"
            )

    def renew(self) -> None:
        """Say in the root that the holder lives; a lock that was taken away is left to who has it."""
        content = self._read_own()
        if content is not None:
            renewed = replace(self._record, beat=datetime.now(UTC))
            # Only if nobody replaced it since it was read; else the next beat says that it is lost.
            self._store.replace_bytes(LOCK_FILE, content, renewed.as_bytes())
        else:
            self._ended.set()
            self._tell(f"warning: the lock of {self._store.root} was taken from this {self.what}")

    def release(self) -> None:
        """Remove the lock if it is still ours; a failure is reported, and never hides what ended the work."""
        self._ended.set()
        # A beat on its way would change the content that is read, and has to be still there, below.
        self._beating.join(_JOIN_S)
        try:
            content = self._read_own()
            if content is not None:
                self._store.remove_bytes(LOCK_FILE, content)
        except Exception as error:  # noqa: BLE001  whatever it is, the work is done
            self._tell(f"warning: {self._store.location(LOCK_FILE)} could not be removed: {error}")

    def _read_own(self) -> bytes | None:
        """What the lock's file contains while it is this lock, whatever its beat; else None."""
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
    where this process holds the lock already, Damaged for whatever fails because the root was removed.
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
        try:
            yield _held[key]
        except Exception as error:
            folder = store.local_folder
            # Others may make the folder again, and this file nobody.
            if folder is None or (folder / _GUARD).exists():
                raise
            raise Damaged(
                f"{folder} was removed, or its disk taken away, while this command wrote to it: nothing that "
                "it had not published is kept; bring the folder back, or give the same command again"
            ) from error


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
    lock = find_lock(store)
    if lock is not None and lock.life is not Life.gone:
        raise locked_error(store, lock)


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
    lock = find_lock(store, is_guarded=True)
    if lock is not None and lock.content == ours:
        # The answer to an earlier attempt was lost on its way.
        return
    if lock is not None and lock.life is not Life.gone:
        raise locked_error(store, lock)
    # After the look, so that a live holder is named even where the store ignores conditions.
    store.require_conditional_writes()
    if lock is None:
        # Conditional, since two may have found no lock at the same time: one of the writes fails.
        is_written = store.create_bytes(LOCK_FILE, ours)
    else:
        is_written = store.replace_bytes(LOCK_FILE, lock.content, ours)
    if not is_written:
        raise locked_error(store, find_lock(store, is_guarded=True))
    if lock is not None:
        tell(f"took over the lock of {store.root}, left by {lock.description}")


def _key(store: Store) -> str:
    folder = store.local_folder
    return store.root.rstrip("/") if folder is None else str(folder.resolve())
