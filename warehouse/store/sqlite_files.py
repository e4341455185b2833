"""SQLite files of ours: known by an id in their header, begun in one step, and read without being changed."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from perennial.schemas.errors import UnreadableInput


@dataclass(frozen=True, slots=True)
class SqliteForm:
    """A kind of file: the id and version in its header, and the package with its `tables.sql`.

    `refuse` says what is wrong with a file of another version (its number), or with another program's (None).
    `empty` says what is wrong with one without tables, where it is only read.
    """

    application_id: int
    version: int
    package: str
    refuse: Callable[[int | None], str]
    empty: str

    def is_new(self, connection: sqlite3.Connection, path: Path) -> bool:
        """Whether nothing has been created yet; raise UnreadableInput for a file of another kind."""
        # A file that nothing was created in has none of the three; another program's has one at least.
        reads = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema")
        application, version, tables = (int(connection.execute(read).fetchone()[0]) for read in reads)
        is_ours = application == self.application_id
        if (is_ours and version != self.version) or (not is_ours and (application or version or tables)):
            raise UnreadableInput(f"{path}: {self.refuse(version if is_ours else None)}")
        return not is_ours

    def create_tables(self, connection: sqlite3.Connection, path: Path) -> None:
        """Create the tables of a new file, all or none; raise UnreadableInput for a file of another kind."""
        if self.is_new(connection, path):
            connection.execute("PRAGMA journal_mode = WAL")
            tables = (files(self.package) / "tables.sql").read_text(encoding="utf-8")
            connection.executescript(
                f"BEGIN IMMEDIATE; {tables} PRAGMA application_id = {self.application_id}; "
                f"PRAGMA user_version = {self.version}; COMMIT"
            )

    def connect_for_reading(self, path: Path, timeout_s: float) -> sqlite3.Connection:
        """Open the file without changing it; once it is closed, nothing is beside it that was not.

        Raises UnreadableInput where it is something else, and what SQLite raises.
        """
        # The last one that may write removes SQLite's log when it closes, and with it what a writer left
        # there: so none may where there is a log.
        if path.with_name(f"{path.name}-wal").exists():
            return self._connect(path, "mode=ro", timeout_s)
        try:
            return self._connect(path, "mode=rw", timeout_s)
        except sqlite3.OperationalError:
            # In a folder that cannot be written, SQLite reads it only as a file that never changes.
            return self._connect(path, "mode=ro&immutable=1", timeout_s)

    def _connect(self, path: Path, options: str, timeout_s: float) -> sqlite3.Connection:
        address = f"{path.absolute().as_uri()}?{options}"
        connection = sqlite3.connect(address, uri=True, timeout=timeout_s, isolation_level=None)
        with closed_on_error(connection):
            if self.is_new(connection, path):
                raise UnreadableInput(f"{path}: {self.empty}")
        return connection


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Close the connection where the block does not end well."""
    try:
        yield
    except BaseException:
        # Ctrl-C too: an open connection would keep its locks until it is collected.
        connection.close()
        raise


def result_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, 0 where the error has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
