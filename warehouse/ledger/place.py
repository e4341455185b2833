"""Whether an open ledger is still the file at its path.

SQLite does not notice that its file was deleted or replaced, and nobody finds what it writes then. The open
connection still reads that file, so that all of it can be copied into a new one.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from perennial.schemas.errors import Damaged
from perennial.warehouse.ledger.schema import open_for_writing
from perennial.warehouse.local_draft import draft_of


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
        place = _blocks.pop(path)
        if place is not None:
            place.connection.close()


def require_same_ledger(path: Path) -> None:
    """Raise Damaged where the ledger at the path is another file than before in this `one_ledger` block."""
    place = _blocks.get(path)
    loss = place.find_loss() if place is not None else None
    if loss is not None:
        raise loss


def keep_same_ledger(path: Path) -> None:
    """Note which file the ledger is, for a `one_ledger` block; it stays open until the block ends."""
    if path in _blocks and _blocks[path] is None:
        _blocks[path] = LedgerPlace(path, open_for_writing(path))


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino
