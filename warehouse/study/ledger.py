"""The ledger of a study: SQLite, an event a row; what was acknowledged survives a kill and a power loss.

It lies in the data root, `studies/NAME/ledger.sqlite`, which has to be on a local disk, and only its owner
can read it. Of a code only a hash is kept. Several threads and processes write to it at once: the key of a
move is participant, task and turn, so that none is kept twice.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from schemas.errors import Damaged, InvalidOption, PerennialError, UnreadableInput
from warehouse.store.store import Store

APPLICATION_ID = 0x50725374  # says in the file's header that it is a study of perennial
SCHEMA_VERSION = 1
_BUSY_TIMEOUT_S = 60.0
_TABLES = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE study (settings TEXT NOT NULL, closed_at REAL);
    CREATE TABLE participants (
        number INTEGER PRIMARY KEY,
        public TEXT NOT NULL UNIQUE,
        secret_hash TEXT,
        withdrawn_at REAL
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        participant INTEGER NOT NULL REFERENCES participants (number),
        kind TEXT NOT NULL,
        task TEXT NOT NULL DEFAULT '',
        turn INTEGER NOT NULL DEFAULT 0,
        value TEXT NOT NULL DEFAULT '',
        at REAL NOT NULL,
        UNIQUE (participant, kind, task, turn)
    );
    PRAGMA application_id = {APPLICATION_ID};
    PRAGMA user_version = {SCHEMA_VERSION};
    COMMIT
"""
EventKind = Literal["consent", "profile", "start", "move"]


@dataclass(frozen=True, slots=True)
class Event:
    """What a participant did: `value` is a move's name, or a profile as JSON; `at` are seconds since 1970."""

    kind: EventKind
    task: str
    turn: int
    value: str
    at: float


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant as the ledger knows one: number, public part of the code, the hash of the secret part.

    One who withdrew has neither hash nor events.
    """

    number: int
    public: str
    secret_hash: str | None
    is_withdrawn: bool


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

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open it; raise UnreadableInput where there is none or it is something else."""
        self._path = path
        self._lock = threading.RLock()
        if create:
            _make_private_file(path)
        elif not path.is_file():
            raise UnreadableInput(
                f"{path}: no such study; `perennial study codes FILE` begins it, or check --root"
            )
        with self._plain_errors():
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.execute("PRAGMA secure_delete = ON")
                self._connection.execute("PRAGMA foreign_keys = ON")
                self._require_study()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file; closing again does nothing."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let nobody else write during the block, and keep all of it or nothing, before it ends."""
        with self._lock, self._plain_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

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
            "INSERT INTO participants (number, public, secret_hash) VALUES (?, ?, ?)",
            (number, public, secret_hash),
        )

    def participants(self) -> list[Participant]:
        """Return all participants by number, those who withdrew among them."""
        rows = self._read(
            "SELECT number, public, secret_hash, withdrawn_at FROM participants ORDER BY number"
        )
        return [_participant(row) for row in rows]

    def find_participant(self, public: str) -> Participant | None:
        """Return the participant with this public part of the code."""
        rows = self._read(
            "SELECT number, public, secret_hash, withdrawn_at FROM participants WHERE public = ?", (public,)
        )
        return _participant(rows[0]) if rows else None

    def events(self, number: int) -> list[Event]:
        """Return the participant's events in the order in which they were kept."""
        rows = self._read(
            "SELECT kind, task, turn, value, at FROM events WHERE participant = ? ORDER BY id", (number,)
        )
        return [Event(*row) for row in rows]

    def add_event(self, number: int, event: Event) -> None:
        """Keep an event of the participant."""
        self._write(
            "INSERT INTO events (participant, kind, task, turn, value, at) VALUES (?, ?, ?, ?, ?, ?)",
            (number, event.kind, event.task, event.turn, event.value, event.at),
        )

    def withdraw(self, number: int, at: float) -> None:
        """Delete all rows of a participant and the hash of the code; number and public part stay.

        Deleted content is overwritten, in SQLite's log too.
        """
        with self.writing():
            self._write("DELETE FROM events WHERE participant = ?", (number,))
            self._write(
                "UPDATE participants SET secret_hash = NULL, withdrawn_at = ? WHERE number = ?", (at, number)
            )
        with self._lock, self._plain_errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._plain_errors():
            return self._connection.execute(sql, values).fetchall()

    def _write(self, sql: str, values: Sequence[object]) -> None:
        with self._lock, self._plain_errors():
            self._connection.execute(sql, values)

    def _require_study(self) -> None:
        """Create the tables of a new file; raise UnreadableInput for a file that is something else."""
        reads = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
        application, version, tables = (int(self._read(sql)[0][0]) for sql in reads)
        if application == APPLICATION_ID and version == SCHEMA_VERSION:
            return
        if application or version or tables:
            raise UnreadableInput(
                f"{self._path}: not a study of this version of perennial; move it away, or use the version "
                "that wrote it"
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(_TABLES)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _describe(self._path, error) from None


def _participant(row: tuple[Any, ...]) -> Participant:
    number, public, secret_hash, withdrawn_at = row
    return Participant(number, public, secret_hash, withdrawn_at is not None)


def _make_private_file(path: Path) -> None:
    """Create the file where there is none, for its owner alone, and so what SQLite puts beside it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise UnreadableInput(
            f"{path}: cannot be made ({error.strerror}), and the study's ledger belongs there; check the "
            "path and its permissions"
        ) from None


def _describe(path: Path, error: sqlite3.Error) -> PerennialError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Damaged(f"{path}: the study's ledger is damaged ({error}); restore it from a copy")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return UnreadableInput(
            f"{path}: another process has held it for {_BUSY_TIMEOUT_S:.0f} s; end that one, then try again"
        )
    return UnreadableInput(
        f"{path}: the study's ledger cannot be read or written ({error}); free some space, and check that "
        "file and folder are on a local disk and allow it"
    )
