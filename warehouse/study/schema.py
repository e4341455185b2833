"""The tables of a study's ledger, and how its file is opened.

A participant has a key of 8 random bytes, which is in each row and each index entry of the participant and
nowhere else: on disk SQLite writes it as these 8 bytes. When the participant withdraws, the key's complement
is all that is kept of it, until a search for the key finds it in no file any more.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perennial.schemas.errors import Damaged, LedgerBusy, PerennialError, UnreadableInput

APPLICATION_ID = 0x50725374  # says in the file's header that it is a study of perennial
SCHEMA_VERSION = 2
# For how long anyone waits for another program that writes; a person waits for each click.
BUSY_TIMEOUT_S = 5.0
_TABLES = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE study (settings TEXT NOT NULL, closed_at REAL);
    CREATE TABLE time (boot_id TEXT NOT NULL, ahead REAL NOT NULL, at REAL NOT NULL, date REAL NOT NULL);
    CREATE TABLE participants (
        number INTEGER PRIMARY KEY,
        public TEXT NOT NULL UNIQUE,
        key INTEGER UNIQUE,
        secret_hash TEXT,
        withdrawn_at REAL,
        erasing INTEGER
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        participant INTEGER NOT NULL REFERENCES participants (key),
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


def draw_key() -> int:
    """Return a key that SQLite stores in 8 bytes."""
    return secrets.randbits(62) | 1 << 61


def key_bytes(key: int) -> bytes:
    """Return the key as it is on disk."""
    return key.to_bytes(8, "big")


def connect(path: Path, timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Open the file for writing; what is deleted is overwritten, and nothing is written beside it."""
    connection = sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_beside(path: Path) -> sqlite3.Connection:
    """Open the file of a study, which another connection writes, for reading: it waits for no writer."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Open the file of a study without changing it; raise UnreadableInput where it is something else."""
    # The last one that may write removes SQLite's log when it closes: so none may where there is a log.
    if path.with_name(f"{path.name}-wal").exists():
        return _connect_for_reading(path, "mode=ro")
    try:
        return _connect_for_reading(path, "mode=rw")
    except sqlite3.OperationalError:
        # In a folder that cannot be written, SQLite reads it only as a file that never changes.
        return _connect_for_reading(path, "mode=ro&immutable=1")


def _connect_for_reading(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    try:
        if not _is_study(connection, path):
            raise UnreadableInput(f"{path}: there is no study in it; remove it, or restore it from a copy")
    except BaseException:
        connection.close()
        raise
    return connection


def require_study(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables of a new file; raise UnreadableInput for a file that is something else."""
    if not _is_study(connection, path):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_TABLES)


def _is_study(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has the tables of a study; False for a new one, UnreadableInput for any other."""
    reads = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
    application, version, tables = (int(connection.execute(sql).fetchone()[0]) for sql in reads)
    if application == APPLICATION_ID and version == SCHEMA_VERSION:
        return True
    if application or version or tables:
        raise UnreadableInput(
            f"{path}: not a study of this version of perennial; move it away, or use the version "
            "that wrote it"
        )
    return False


def make_private_file(path: Path) -> None:
    """Create the file where there is none, for its owner alone, and so what SQLite puts beside it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise UnreadableInput(
            f"{path}: cannot be made ({error.strerror}), and the study's ledger belongs there; check the "
            "path and its permissions"
        ) from None


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Raise what a user sees in place of SQLite's errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise _describe(path, error) from None


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection is in the way."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def busy(path: Path) -> LedgerBusy:
    """Return the error for a file that another process has kept locked for too long."""
    return LedgerBusy(
        f"{path}: another process has held it for {BUSY_TIMEOUT_S:.0f} s, and nothing was stored; end that "
        "one, then try again"
    )


def _describe(path: Path, error: sqlite3.Error) -> PerennialError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Damaged(f"{path}: the study's ledger is damaged ({error}); restore it from a copy")
    if is_busy(error):
        return busy(path)
    return UnreadableInput(
        f"{path}: the study's ledger cannot be read or written ({error}); free some space, and check that "
        "file and folder are on a local disk and allow it"
    )
