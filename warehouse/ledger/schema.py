"""The ledger's SQLite file: its tables, how it is opened, and the errors when that does not work.

Small columns of `calls` stand before long ones, so that a list of calls reads no reply. A message is kept
once, in `messages`, however many calls send it again. `server_batches` are the batches that calls were
submitted in, `attempts` all requests that were sent, in such a batch or alone.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from perennial.schemas.errors import Damaged, PerennialError, UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.model_calls import ANSWERED_STATUSES
from perennial.schemas.variables import default_root
from perennial.warehouse.store.file_system import draft_of, file_system
from perennial.warehouse.store.sqlite_files import SqliteForm, closed_on_error, result_code

SCHEMA_VERSION = 7
ANSWERED_SQL = f"({', '.join(repr(status) for status in ANSWERED_STATUSES)})"

_BUSY_TIMEOUT_S = 60.0

_NAME_ROOT = "CREATE TABLE IF NOT EXISTS root (root_id TEXT NOT NULL)"
_KEEP_ROOT = "INSERT INTO root SELECT ? WHERE NOT EXISTS (SELECT 1 FROM root)"
_HAS_ROOT = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'root'"


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the ledger, creating file and tables where they are missing; a commit survives a power loss.

    The connection is in autocommit mode and may be used by several threads in turn. Raises UnreadableInput
    where the file cannot be written, is something else, or is of another version, Damaged where it is
    damaged.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableInput(
            f"{path.parent}: cannot be made ({error.strerror}), and the ledger of model calls belongs there; "
            "check the path and its permissions"
        ) from None
    with plain_errors(path):
        connection = sqlite3.connect(
            path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        connection.text_factory = _text
        with closed_on_error(connection):
            connection.execute("PRAGMA synchronous = FULL")
            _FORM.create_tables(connection, path)
        return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an existing ledger without changing it; once it is closed, nothing is beside it that was not.

    Raises UnreadableInput where that is not possible, Damaged where it is damaged.
    """
    if not path.is_file():
        raise UnreadableInput(f"{path}: no such ledger; check the path")
    with plain_errors(path):
        connection = _FORM.connect_for_reading(path, _BUSY_TIMEOUT_S)
    connection.text_factory = _text
    return connection


def keep_root_id(connection: sqlite3.Connection, path: Path, root_id: str) -> None:
    """Note which data root the ledger belongs to, unless that is noted already."""
    with plain_errors(path):
        if find_ledger_root_id(connection) is None:
            connection.execute(_NAME_ROOT)
            connection.execute(_KEEP_ROOT, (root_id,))


def find_ledger_root_id(connection: sqlite3.Connection) -> str | None:
    """Return the id of the data root that the ledger belongs to, None where none was noted."""
    if connection.execute(_HAS_ROOT).fetchone() is None:
        return None
    row = connection.execute("SELECT root_id FROM root").fetchone()
    return None if row is None else str(row[0])


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Raise what a user sees in place of SQLite's errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise trouble(path, error) from None


def trouble(path: Path, error: sqlite3.Error) -> PerennialError:
    """Return the error that a user sees in place of SQLite's: the file, what is wrong, and the remedy."""
    code = result_code(error)
    if code in _DAMAGE:
        return Damaged(f"{path}: {_DAMAGE[code].format(error=error)}")
    return UnreadableInput(f"{path}: {_TROUBLE.get(code, _OTHER_TROUBLE).format(error=error)}")


def _refuse(version: int | None) -> str:
    if version is None:
        return "another program's SQLite database, expected a ledger of model calls; move it away"
    return (
        f"a ledger of version {version}, and this perennial knows {SCHEMA_VERSION} alone; "
        "use the perennial that wrote it, or move it away"
    )


_FORM = SqliteForm(
    application_id=0x50726E6C,
    version=SCHEMA_VERSION,
    package=__package__ or "",
    refuse=_refuse,
    empty="an empty file, expected a ledger of model calls; move it away",
)


def _text(cell: bytes) -> str:
    """A stored text; damage that no UTF-8 spells comes through, so that the call's digest shows it."""
    return cell.decode("utf-8", "backslashreplace")


_DAMAGE = {
    sqlite3.SQLITE_NOTADB: "not a SQLite database, expected a ledger of model calls; restore it from a "
    "copy, or move it away, and a new one is begun: its calls are then made and paid for again",
    sqlite3.SQLITE_CORRUPT: "the ledger of model calls is damaged ({error}); restore it from a copy, save "
    "what is whole with `sqlite3 FILE .recover`, or move it away: its calls are then made and paid for again",
}
_UNUSABLE = "cannot be opened or written ({error}); file and folder must be on a local disk and allow it"
_BUSY = f"another process has held it for {_BUSY_TIMEOUT_S:.0f} s; end that one, then try again"
_TROUBLE = {
    sqlite3.SQLITE_FULL: "the disk is full, so that a model call could not be kept; free some space",
    sqlite3.SQLITE_READONLY: _UNUSABLE,
    sqlite3.SQLITE_CANTOPEN: _UNUSABLE,
    sqlite3.SQLITE_PERM: _UNUSABLE,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
}
_OTHER_TROUBLE = "reading or writing the ledger of model calls failed ({error}); check the disk"


# Whether an open ledger is still the file at its path.
#
# SQLite does not notice that its file was deleted or replaced, and nobody finds what it writes then. The open
# connection still reads that file, so that all of it can be copied into a new one.


class LedgerPlace:
    """The files that an open ledger was found in, and the connection that keeps it open."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self.connection = connection
        self._rescued = path.with_name(f"{path.stem}-rescued-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{path.suffix}")
        # SQLite keeps its log beside the file until the last connection is closed.
        self._files = {file: _identity(file) for file in (path, path.with_name(f"{path.name}-wal"))}

    def find_loss(self) -> Damaged | None:
        """Return None where the files are still there; else copy the ledger, and return what to report."""
        lost = next((file for file, identity in self._files.items() if _identity(file) != identity), None)
        if lost is None:
            return None
        what = "replaced" if lost.exists() else "deleted"
        try:
            self.rescue()
        except (sqlite3.Error, OSError) as error:
            return Damaged(
                f"{lost} was {what} while it was in use, and its replies could not be saved ({error}): "
                "restore the ledger from a copy; what is missing there is paid for again"
            )
        return Damaged(
            f"{lost} was {what} while it was in use: all replies up to now are in {self._rescued}; move that "
            f"file to {self._path}, remove {self._path.name}-wal and -shm, and give the same command again"
        )

    def rescue(self) -> None:
        """Copy the ledger, with all that was written since it was lost, into a file beside its path."""
        with draft_of(str(self._rescued)) as draft, closing(sqlite3.connect(draft)) as copy:
            self.connection.backup(copy)


# None until the ledger is opened within the block.
_blocks: dict[Path, LedgerPlace | None] = {}


@contextmanager
def one_ledger(path: Path) -> Iterator[None]:
    """Let the ledger at the path be the same file for the whole block, from the first time that it is opened.

    Raises Damaged at the end of the block where it no longer is.
    """
    _blocks[path] = None
    try:
        yield
        require_same_ledger(path)
    finally:
        ledger = _blocks.pop(path)
        if ledger is not None:
            ledger.connection.close()


def require_same_ledger(path: Path) -> None:
    """Raise Damaged where the ledger at the path is another file than before in this `one_ledger` block."""
    ledger = _blocks.get(path)
    loss = ledger.find_loss() if ledger is not None else None
    if loss is not None:
        raise loss


def keep_same_ledger(path: Path) -> None:
    """Note which file the ledger is, for a `one_ledger` block; it stays open until the block ends."""
    if path in _blocks and _blocks[path] is None:
        _blocks[path] = LedgerPlace(path, open_for_writing(path))


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


LEDGER_FILE = "ledger.sqlite"


_LOCAL_SCHEMES = ("file", "local")


def ledger_file(root: str) -> Path:
    """Return where a data root's ledger is: in the root, or on the local disk for a remote root.

    SQLite needs a local disk: the ledger of s3://... lies under ledgers/ of the default root, named by
    a hash of its own.
    """
    scheme, separator, _ = root.partition("://")
    if separator and scheme not in _LOCAL_SCHEMES:
        return Path(default_root(), "ledgers") / f"{content_id('root', root.rstrip('/'))}.sqlite"
    return Path(file_system(root)[1]) / LEDGER_FILE
