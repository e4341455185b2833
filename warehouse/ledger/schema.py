"""The ledger's SQLite file: its tables, how it is opened, and the errors when that does not work.

Small columns of `calls` stand before long ones, so that a list of calls reads no reply. A message is kept
once, in `messages`, however many calls send it again.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from schemas.calls import ANSWERED_STATUSES
from schemas.errors import Damaged, PerennialError, UnreadableInput

Result = TypeVar("Result")

APPLICATION_ID = 0x50726E6C  # says in the file's header that it is a ledger of perennial

SCHEMA_VERSION = 3
ANSWERED_SQL = f"({', '.join(repr(status) for status in ANSWERED_STATUSES)})"

_BUSY_TIMEOUT_S = 60.0
_TRIES = 5
_AT_REST = "mode=ro&immutable=1"
_PAUSE_S = 0.05

_TABLES = (
    """
    CREATE TABLE messages (
        message_id TEXT PRIMARY KEY,
        content TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE calls (
        call_id TEXT PRIMARY KEY,
        edition TEXT NOT NULL,
        status TEXT NOT NULL,
        role TEXT NOT NULL,
        model TEXT NOT NULL,
        template TEXT NOT NULL,
        template_hash TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        stored_at TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        prompt_tokens INTEGER,
        completion_tokens INTEGER,
        reasoning_tokens INTEGER,
        cached_tokens INTEGER,
        usage TEXT NOT NULL,
        cost_usd REAL,
        latency_s REAL NOT NULL,
        attempts INTEGER NOT NULL,
        reasoning_source TEXT NOT NULL,
        finish_reason TEXT,
        served_model TEXT,
        params TEXT NOT NULL,
        messages TEXT NOT NULL,
        error TEXT,
        content TEXT NOT NULL,
        reasoning TEXT,
        raw TEXT,
        usage_reported TEXT,
        digest TEXT NOT NULL
    )
    """,
    "CREATE INDEX calls_of_edition ON calls (edition, status, cost_usd)",
)
_NAME_ROOT = "CREATE TABLE IF NOT EXISTS root (root_id TEXT NOT NULL)"
_KEEP_ROOT = "INSERT INTO root SELECT ? WHERE NOT EXISTS (SELECT 1 FROM root)"
_HAS_ROOT = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'root'"


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the ledger, creating file and tables where they are missing; a commit survives a power loss.

    The connection is in autocommit mode and may be used by several threads in turn. Raises UnreadableInput
    where the file cannot be written, is something else, or is of another version, Damaged where it is
    damaged.
    """
    with plain_errors(path):
        return patiently(lambda: _open_for_writing(path))


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an existing ledger without changing it.

    Raises UnreadableInput where that is not possible, Damaged where it is damaged.
    """
    if not path.is_file():
        raise UnreadableInput(f"{path}: no such ledger; check the path")
    with plain_errors(path):
        return _open_for_reading(path)


def open_at_rest(path: Path) -> sqlite3.Connection:
    """Open an existing ledger that nobody writes to, leaving nothing beside it, as SQLite does otherwise.

    What is read is wrong where somebody does write. Raises as `open_for_reading` does.
    """
    with plain_errors(path):
        return _connect_for_reading(path, _AT_REST)


def keep_root_id(connection: sqlite3.Connection, path: Path, root_id: str) -> None:
    """Note which data root the ledger belongs to, unless that is noted already; raise as `trouble` says."""
    with plain_errors(path):
        if find_ledger_root_id(connection) is None:
            patiently(lambda: connection.execute(_NAME_ROOT))
            patiently(lambda: connection.execute(_KEEP_ROOT, (root_id,)))


def find_ledger_root_id(connection: sqlite3.Connection) -> str | None:
    """Return the id of the data root that the ledger belongs to, None where none was noted."""
    if connection.execute(_HAS_ROOT).fetchone() is None:
        return None
    row = connection.execute("SELECT root_id FROM root").fetchone()
    return None if row is None else str(row[0])


def patiently(action: Callable[[], Result]) -> Result:
    """Return the action's result, trying again where another process is in the way.

    SQLite itself waits for most locks (`timeout`), but two processes that open a new file at the same
    moment, for instance, are refused at once.
    """
    for attempt in range(1, _TRIES):
        try:
            return action()
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY:
                raise
            time.sleep(_PAUSE_S * attempt)
    return action()


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Raise what a user sees in place of SQLite's errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise trouble(path, error) from None


def trouble(path: Path, error: sqlite3.Error) -> PerennialError:
    """Return the error that a user sees in place of SQLite's: the file, what is wrong, and the remedy."""
    if _code(error) in _TOLD_DAMAGE:
        return Damaged(f"{path}: {_TOLD_DAMAGE[_code(error)].format(error=error)}")
    told = next((text for codes, text in _TOLD if _code(error) in codes), _TOLD_OTHERWISE)
    return UnreadableInput(f"{path}: {told.format(error=error)}")


def _open_for_writing(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableInput(
            f"{path.parent}: cannot be made ({error.strerror}), and the ledger of model calls belongs there; "
            "check the path and its permissions"
        ) from None
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.text_factory = _text
    try:
        connection.execute("PRAGMA synchronous = FULL")
        if _is_new(connection, path):
            connection.execute("PRAGMA journal_mode = WAL")
            _create(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_for_reading(path: Path) -> sqlite3.Connection:
    try:
        return _connect_for_reading(path, "mode=ro")
    except sqlite3.OperationalError:
        if path.with_name(f"{path.name}-wal").exists():
            raise
    # In a folder that cannot be written, SQLite reads a file in WAL mode only when told that it is at rest.
    return _connect_for_reading(path, _AT_REST)


def _connect_for_reading(path: Path, options: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?{options}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    connection.text_factory = _text
    try:
        if _is_new(connection, path):
            raise UnreadableInput(f"{path}: an empty file, expected a ledger of model calls; move it away")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether nothing has been created yet; raise UnreadableInput for a file that is not a ledger."""
    application, version, tables = _header(connection)
    if application == APPLICATION_ID:
        if version != SCHEMA_VERSION:
            raise UnreadableInput(
                f"{path}: a ledger of version {version}, and this perennial knows {SCHEMA_VERSION} alone; "
                "use the perennial that wrote it, or move it away"
            )
        return False
    if tables or application or version:
        raise UnreadableInput(
            f"{path}: another program's SQLite database, expected a ledger of model calls; move it away"
        )
    return True


def _header(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return application id, version and number of tables of one moment: others may create them."""
    reads = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")
    try:
        application, version, tables = (int(connection.execute(read).fetchone()[0]) for read in reads)
    finally:
        if alone:
            connection.execute("ROLLBACK")
    return application, version, tables


def _create(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if _is_new(connection, path):
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _text(cell: bytes) -> str:
    """Return a stored text; damage that no UTF-8 spells comes through, so that the call's digest shows it."""
    return cell.decode("utf-8", "backslashreplace")


_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_TOLD_DAMAGE = {
    sqlite3.SQLITE_NOTADB: "not a SQLite database, expected a ledger of model calls; restore it from a "
    "copy, or move it away, and a new one is begun: its calls are then made and paid for again",
    sqlite3.SQLITE_CORRUPT: "the ledger of model calls is damaged ({error}); restore it from a copy, save "
    "what is whole with `sqlite3 FILE .recover`, or move it away: its calls are then made and paid for again",
}
_TOLD = (
    ((sqlite3.SQLITE_FULL,), "the disk is full, so that a model call could not be kept; free some space"),
    (
        (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
        "cannot be opened or written ({error}); file and folder must be on a local disk and allow it",
    ),
    (_BUSY, f"another process has held it for {_BUSY_TIMEOUT_S:.0f} s; end that one, then try again"),
)
_TOLD_OTHERWISE = "reading or writing the ledger of model calls failed ({error}); check the disk"


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, 0 where the error did not come from there."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
