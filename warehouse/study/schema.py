"""The tables of a study's ledger, and how its file is opened.

A participant has a key of 8 random bytes, which is in each row and each index entry of the participant and
nowhere else: on disk SQLite writes it as these 8 bytes. When the participant withdraws, the key's complement
is all that is kept of it, until a search for the key finds it in no file any more.
"""

import json
import os
import secrets
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from perennial.schemas.errors import Damaged, LedgerBusy, PerennialError, UnreadableInput, in_one_line
from perennial.warehouse.store.sqlite_files import SqliteForm, closed_on_error, result_code

FORM = SqliteForm(
    application_id=0x50725374,
    version=2,
    package=__package__ or "",
    refuse=lambda _version: (
        "not a study of this version of perennial; move it away, or use the version that wrote it"
    ),
    empty="there is no study in it; remove it, or restore it from a copy",
)
# For how long anyone waits for another program that writes; a person waits for each click.
BUSY_TIMEOUT_S = 5.0


def draw_key() -> int:
    """Return a key that SQLite stores in 8 bytes."""
    return secrets.randbits(62) | 1 << 61


def key_bytes(key: int) -> bytes:
    """Return the key as it is on disk."""
    return key.to_bytes(8, "big")


def connect(path: Path, timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Open the file for writing; what is deleted is overwritten, and nothing is written beside it."""
    connection = sqlite3.connect(path, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    with closed_on_error(connection):
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA foreign_keys = ON")
    return connection


def connect_beside(path: Path) -> sqlite3.Connection:
    """Open the file of a study, which another connection writes, for reading: it waits for no writer."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    return connection


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
    return result_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def busy(path: Path) -> LedgerBusy:
    """Return the error for a file that another process has kept locked for too long."""
    return LedgerBusy(
        f"{path}: another process has held it for {BUSY_TIMEOUT_S:.0f} s, and nothing was stored; end that "
        "one, then try again"
    )


def _describe(path: Path, error: sqlite3.Error) -> PerennialError:
    if result_code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Damaged(f"{path}: the study's ledger is damaged ({error}); restore it from a copy")
    if is_busy(error):
        return busy(path)
    return UnreadableInput(
        f"{path}: the study's ledger cannot be read or written ({error}); free some space, and check that "
        "file and folder are on a local disk and allow it"
    )


# Deletion on disk: what somebody who withdrew had stored is gone from every file, or known to be pending.
#
# A deleted row stays readable in three places: in SQLite's log until the log is emptied, which nobody may be
# reading meanwhile; in pages of the ledger that SQLite rearranged, even with `secure_delete`; and in copies.
# So the log is emptied, the ledger is rewritten from the rows that are left, and all files of its folder
# are searched for the participant's key. Nobody waits for that: who is in the way is not hurried, and it is
# tried again.

_ATTEMPT_S = 0.5  # for how long one attempt waits for a moment in which nobody reads
_PAUSE_S = 0.01
_BETWEEN_ATTEMPTS_S = 0.1
_WRITER_S = 2.0  # for how long it waits until another one's row is written
_SEARCH = Path(__file__).with_name("search.py")
_PENDING = "SELECT number, erasing FROM participants WHERE erasing IS NOT NULL ORDER BY number"


@dataclass(frozen=True, slots=True)
class Pending:
    """A deletion on disk that is not done: of whom (numbers), and until when."""

    participants: tuple[int, ...]
    until: str


def erase_withdrawn(path: Path, wait_s: float = 0.0) -> Pending | None:
    """Delete on disk what is pending, and return what still is, None where nothing is.

    It tries for at least `wait_s` seconds and may be interrupted at any time: the next call continues.
    """
    deadline = time.monotonic() + wait_s
    while True:
        pending = _try_to_erase(path)
        if pending is None or time.monotonic() >= deadline:
            return pending
        time.sleep(_BETWEEN_ATTEMPTS_S)


def find_pending(path: Path) -> Pending | None:
    """Return what is pending, without changing the ledger; raise PerennialError where it cannot be read."""
    with plain_errors(path), closing(FORM.connect_for_reading(path, BUSY_TIMEOUT_S)) as connection:
        keys = _read_pending_keys(connection)
    if not keys:
        return None
    all_files = {file for files in _find_files(path, keys).values() for file in files}
    copies = [file for file in all_files if not _is_own(path, file)]
    until = _until_deleted(copies) if copies else f"the study is opened while no other process reads {path}"
    return Pending(tuple(keys), until)


def _try_to_erase(path: Path) -> Pending | None:
    with plain_errors(path), closing(connect(path, _WRITER_S)) as connection:
        keys = _read_pending_keys(connection)
        if not keys:
            return None
        in_the_way = Pending(tuple(keys), f"no other process reads {path}")
        try:
            if not _rewrite(connection):
                return in_the_way
            left_behind = _find_files(path, keys)
            for number in [number for number, files in left_behind.items() if not files]:
                connection.execute("UPDATE participants SET erasing = NULL WHERE number = ?", (number,))
        except sqlite3.Error as error:
            if is_busy(error):
                return in_the_way
            raise
    left = {number: files for number, files in left_behind.items() if files}
    files = {file for files in left.values() for file in files}
    if any(_is_own(path, file) for file in files):
        return in_the_way
    return Pending(tuple(left), _until_deleted(files)) if left else None


def _read_pending_keys(connection: sqlite3.Connection) -> dict[int, int]:
    return {number: ~complement for number, complement in connection.execute(_PENDING)}


def _rewrite(connection: sqlite3.Connection) -> bool:
    """Rewrite the ledger from its rows, with an empty log; return False where somebody was in the way."""
    if not _empty_log(connection):
        return False
    connection.execute("VACUUM")
    return _empty_log(connection)


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Empty SQLite's log at a moment in which nobody reads; return False where there was none."""
    deadline = time.monotonic() + _ATTEMPT_S
    while not _is_log_emptied(connection):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE_S)
    return True


def _is_log_emptied(connection: sqlite3.Connection) -> bool:
    # Waiting inside SQLite would keep all others from writing meanwhile.
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    ((is_blocked, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute(f"PRAGMA busy_timeout = {_WRITER_S * 1000:.0f}")
    return not is_blocked


def _find_files(path: Path, keys: dict[int, int]) -> dict[int, list[Path]]:
    """By number the files of the ledger's folder in which the key is."""
    asked = {"folder": str(path.parent), "wanted": [key_bytes(key).hex() for key in keys.values()]}
    # -I and -S: it needs the standard library alone, and starts fast.
    command = [sys.executable, "-I", "-S", str(_SEARCH)]
    try:
        answer = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UnreadableInput(
            f"{path.parent}: whether data of somebody who withdrew are still in its files cannot be told "
            f"({in_one_line(error)}); check the folder's permissions and this machine's memory"
        ) from None
    return {
        number: [Path(file) for file in files]
        for number, files in zip(keys, json.loads(answer.stdout), strict=True)
    }


def _is_own(path: Path, file: Path) -> bool:
    """Whether the file is the ledger, or one that SQLite keeps beside it."""
    return file.parent == path.parent and file.name in {
        path.name + end for end in ("", "-wal", "-shm", "-journal")
    }


def _until_deleted(files: Iterable[Path]) -> str:
    return f"you delete {', '.join(map(str, sorted(files)))}"
