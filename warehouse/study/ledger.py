"""The ledger of a study: SQLite, an event a row; what was acknowledged survives a kill and a power loss.

It lies in the data root, `studies/NAME/ledger.sqlite`, which has to be on a local disk, and only its owner
can read it. Of a code only a hash is kept. Times are the study's own (`clock.py`). Several threads and
processes write to it at once: the key of a move is participant, task and turn, so that none is kept twice.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput
from perennial.warehouse.lock import read_boot_id
from perennial.warehouse.store.sqlite_files import closed_on_error
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.schema import (
    BUSY_TIMEOUT_S,
    FORM,
    Pending,
    busy,
    connect,
    connect_beside,
    draw_key,
    erase_withdrawn,
    make_private_file,
    plain_errors,
)

# The time of a study: it never goes back, and the machine's date can be set without changing it.
#
# While a machine runs, the time counts with the clock that starts with the machine and cannot be set. Over a
# restart of the machine it continues from the last time that was stored, plus what the date says has passed
# since, and never less than nothing.

# Linux: it counts while the machine sleeps, too.
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True)
class Clocks:
    """A machine's clocks in seconds: `since_boot`, and `date` since 1970; `boot_id` "" where not known."""

    boot_id: str
    since_boot: float
    date: float


ReadClocks = Callable[[], Clocks]


def read_clocks() -> Clocks:
    """Return what this machine's clocks say."""
    return Clocks(read_boot_id(), time.clock_gettime(_SINCE_BOOT), time.time())


@dataclass(frozen=True, slots=True)
class StudyTime:
    """What is stored of a study's time: it was `at` when the date was `date`.

    In the boot `boot_id` it is `ahead` seconds ahead of the clock that starts with the machine.
    """

    boot_id: str
    ahead: float
    at: float
    date: float

    @classmethod
    def begin(cls, clocks: Clocks) -> "StudyTime":
        """Return the time of a new study, which begins with the date."""
        return cls(clocks.boot_id, clocks.date - clocks.since_boot, clocks.date, clocks.date)

    def resume(self, clocks: Clocks) -> "StudyTime":
        """Return the time as it continues on these clocks."""
        if self.boot_id and self.boot_id == clocks.boot_id:
            return self
        at = self.at + max(0.0, clocks.date - self.date)
        return StudyTime(clocks.boot_id, at - clocks.since_boot, at, clocks.date)

    def now(self, clocks: Clocks) -> float:
        """Return the study's time, in seconds."""
        return max(self.at, self.ahead + clocks.since_boot)

    def note(self, clocks: Clocks) -> "StudyTime":
        """Return the time as it is to be stored now."""
        return StudyTime(self.boot_id, self.ahead, self.now(clocks), clocks.date)


EventKind = Literal["consent", "profile", "start", "move"]
_PARTICIPANTS = "SELECT number, public, secret_hash, withdrawn_at, erasing FROM participants"
_KEY = "(SELECT key FROM participants WHERE number = ?)"


@dataclass(frozen=True, slots=True)
class StudyEvent:
    """What a participant did: `value` is a move's name, or a profile as JSON; `at` is the study's time."""

    kind: EventKind
    task: str
    turn: int
    value: str
    at: float


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant as the ledger knows one: number, public part of the code, the hash of the secret part.

    One who withdrew has neither hash nor events; `is_on_disk` says that their bytes may still be there.
    """

    number: int
    public: str
    secret_hash: str | None
    is_withdrawn: bool
    is_on_disk: bool


def study_files(store: Store) -> list[Path]:
    """Return the ledgers of all studies of a data root."""
    folder = store.local_folder
    return [] if folder is None else sorted((folder / "studies").glob("*/ledger.sqlite"))


def study_file(store: Store, name: str) -> Path:
    """Return where a study's ledger is; raise InvalidOption for a data root that is not on a local disk."""
    folder = store.local_folder
    if folder is None:
        raise InvalidOption(
            f"the data root {store.root!r} is not on a local disk, and a study's ledger has to be: "
            "give --root a folder that holds the edition"
        )
    return folder / "studies" / name / "ledger.sqlite"


class StudyLedger:
    """The ledger, open; one serves all threads of a process."""

    def __init__(self, path: Path, *, create: bool = False, clocks: ReadClocks = read_clocks) -> None:
        """Open it, and try to finish deletions that are pending.

        Raises UnreadableInput where there is none or it is something else.
        """
        self.path = path
        self._clocks = clocks
        self._lock = threading.RLock()  # of the connection that writes
        self._reading = threading.Lock()
        self._writer: int | None = None  # the thread within a block of `writing`
        if create:
            make_private_file(path)
        elif not path.is_file():
            raise UnreadableInput(
                f"{path}: no such study; `perennial study codes FILE` begins it, or check --root"
            )
        with plain_errors(path):
            self._connection = connect(path)
        with closed_on_error(self._connection):
            with plain_errors(path):
                FORM.create_tables(self._connection, path)
                self._reader = connect_beside(path)
            with closed_on_error(self._reader):
                self._time = self._resume_time()
                with suppress(PerennialError):  # then it stays pending, and is reported as such
                    self.erase()

    def close(self) -> None:
        """Close the file; closing again does nothing."""
        with self._lock, self._reading:
            self._reader.close()
            self._connection.close()

    def now(self) -> float:
        """Return the study's time: seconds since 1970 when the study began, and never back since."""
        return self._time.now(self._clocks())

    def note_time(self) -> None:
        """Store the time, from which it continues after a restart of the machine."""
        noted = self._time.note(self._clocks())
        self._write("UPDATE time SET at = max(at, ?), date = ?", (noted.at, noted.date))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let nobody else write during the block, and keep all of it or nothing, before it ends.

        Raises LedgerBusy, with nothing kept, where others did not let it begin within BUSY_TIMEOUT_S.
        """
        with self._alone(), plain_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            self._writer = threading.get_ident()
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._writer = None

    def settings(self) -> str | None:
        """Return the settings (JSON) with which codes were drawn first; None before."""
        rows = self._read("SELECT settings FROM study")
        return str(rows[0][0]) if rows else None

    def keep_settings(self, settings: str) -> None:
        """Keep the study's settings."""
        self._write("INSERT INTO study (settings) VALUES (?)", (settings,))

    def replace_settings(self, settings: str) -> None:
        """Keep these settings in place of the earlier ones."""
        self._write("UPDATE study SET settings = ?", (settings,))

    def closed_at(self) -> float | None:
        """Return when the study was closed, None while it is open."""
        rows = self._read("SELECT closed_at FROM study")
        return rows[0][0] if rows else None

    def close_study(self, at: float) -> None:
        """Close the study for all participants, for good."""
        self._write("UPDATE study SET closed_at = ? WHERE closed_at IS NULL", (at,))

    def add_participant(self, number: int, public: str, secret_hash: str) -> None:
        """Add a participant."""
        self._write(
            "INSERT INTO participants (number, public, key, secret_hash) VALUES (?, ?, ?, ?)",
            (number, public, draw_key(), secret_hash),
        )

    def participants(self) -> list[Participant]:
        """Return all participants by number, those who withdrew among them."""
        return [_participant(row) for row in self._read(f"{_PARTICIPANTS} ORDER BY number")]

    def find_participant(self, public: str) -> Participant | None:
        """Return the participant with this public part of the code."""
        rows = self._read(f"{_PARTICIPANTS} WHERE public = ?", (public,))
        return _participant(rows[0]) if rows else None

    def events(self, number: int) -> list[StudyEvent]:
        """Return the participant's events in the order in which they were kept."""
        rows = self._read(
            f"SELECT kind, task, turn, value, at FROM events WHERE participant = {_KEY} ORDER BY id",
            (number,),
        )
        return [StudyEvent(*row) for row in rows]

    def add_event(self, number: int, event: StudyEvent) -> None:
        """Keep an event of the participant, and the time with it."""
        self._write(
            f"INSERT INTO events (participant, kind, task, turn, value, at) VALUES ({_KEY}, ?, ?, ?, ?, ?)",
            (number, event.kind, event.task, event.turn, event.value, event.at),
        )
        self.note_time()

    def withdraw(self, number: int) -> None:
        """Delete all rows of a participant and the hash of the code; number and public part stay.

        No reader sees them afterwards. Their bytes are on the disk until `erase` has removed them.
        """
        with self.writing():
            self._write(f"DELETE FROM events WHERE participant = {_KEY}", (number,))
            self._write(
                "UPDATE participants SET key = NULL, erasing = ~key, secret_hash = NULL, withdrawn_at = ? "
                "WHERE number = ? AND withdrawn_at IS NULL",
                (self.now(), number),
            )

    def erase(self, wait_s: float = 0.0) -> Pending | None:
        """Remove what is deleted from the disk; return what is pending, None where nothing is.

        Nobody else waits for it. What is pending is tried again by each process that opens the ledger.
        """
        if not self._read("SELECT 1 FROM participants WHERE erasing IS NOT NULL LIMIT 1"):
            return None
        return erase_withdrawn(self.path, wait_s)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread use the connection that writes; raise LedgerBusy as `writing` does.

        Threads that wait for each other wait no longer together than one alone.
        """
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        if not self._lock.acquire(timeout=BUSY_TIMEOUT_S):
            raise busy(self.path)
        try:
            with plain_errors(self.path):
                left_ms = max(0, round(1000 * (deadline - time.monotonic())))
                self._connection.execute(f"PRAGMA busy_timeout = {left_ms}")
            yield
        finally:
            self._lock.release()

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows as they are stored, within `writing` as they are there; no writer is waited for."""
        if self._writer == threading.get_ident():
            return self._connection.execute(sql, values).fetchall()
        with self._reading, plain_errors(self.path):
            return self._reader.execute(sql, values).fetchall()

    def _write(self, sql: str, values: Sequence[object]) -> None:
        with self._alone(), plain_errors(self.path):
            self._connection.execute(sql, values)

    def _resume_time(self) -> StudyTime:
        """Continue the time in this boot of the machine; it is stored if it is new."""
        kept = self._read_time()
        if kept is not None and kept.resume(self._clocks()) == kept:
            return kept
        with self.writing():
            kept = self._read_time()  # another process may have been first
            clocks = self._clocks()
            resumed = StudyTime.begin(clocks) if kept is None else kept.resume(clocks)
            self._write("DELETE FROM time", ())
            self._write(
                "INSERT INTO time (boot_id, ahead, at, date) VALUES (?, ?, ?, ?)",
                (resumed.boot_id, resumed.ahead, resumed.at, resumed.date),
            )
        return resumed

    def _read_time(self) -> StudyTime | None:
        rows = self._read("SELECT boot_id, ahead, at, date FROM time")
        return StudyTime(*rows[0]) if rows else None


def _participant(row: tuple[Any, ...]) -> Participant:
    number, public, secret_hash, withdrawn_at, erasing = row
    return Participant(number, public, secret_hash, withdrawn_at is not None, erasing is not None)
