"""Whether an open ledger is still the file at its path.

SQLite does not notice that its file was deleted or replaced, and nobody finds what it writes then. The open
connection still reads that file, so that all of it can be copied into a new one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import Damaged
from warehouse.ledger.schema import open_for_writing


class LedgerPlace:
    """The files that an open ledger was found in, and the connection that keeps it open."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._rescued = path.with_name(f"{path.stem}-rescued-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{path.suffix}")
        # SQLite keeps its log beside the file until the last connection is closed.
        self._files = {file: _identity(file) for file in (path, path.with_name(f"{path.name}-wal"))}

    def find_loss(self) -> Damaged | None:
        """Return None where the files are still there; else copy the ledger, and return what to report."""
        lost = next((file for file, found in self._files.items() if _identity(file) != found), None)
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
        draft = self._rescued.with_name(f".{self._rescued.name}.draft")
        try:
            with closing(sqlite3.connect(draft)) as copy:
                self._connection.backup(copy)
            os.replace(draft, self._rescued)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


class _OneLedger:
    """The ledger that all who open it within a block must find; it stays open between them."""

    def __init__(self) -> None:
        self.connection: sqlite3.Connection | None = None
        self.place: LedgerPlace | None = None


_blocks: dict[Path, _OneLedger] = {}


@contextmanager
def one_ledger(path: Path) -> Iterator[None]:
    """Let the ledger at the path be the same file for the whole block, from the first time that it is opened.

    Raises Damaged at the end of the block where it no longer is.
    """
    block = _blocks[path] = _OneLedger()
    try:
        yield
        require_same_ledger(path)
    finally:
        del _blocks[path]
        if block.connection is not None:
            block.connection.close()


def require_same_ledger(path: Path) -> None:
    """Raise Damaged where the ledger at the path is another file than before in this `one_ledger` block."""
    block = _blocks.get(path)
    loss = block.place.find_loss() if block is not None and block.place is not None else None
    if loss is not None:
        raise loss


def keep_same_ledger(path: Path) -> None:
    """Note which file the ledger is, where a `one_ledger` block wants to know."""
    block = _blocks.get(path)
    if block is not None and block.place is None:
        block.connection = open_for_writing(path)
        block.place = LedgerPlace(path, block.connection)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino
