"""Whether a whole ledger is what was kept: its pages, every call's digest, every message's text."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from schemas.errors import Damaged, in_one_line
from warehouse.ledger_digest import call_digest, message_digest
from warehouse.ledger_rows import CALL_COLUMNS, has_digests
from warehouse.ledger_schema import ANSWERED_SQL, open_at_rest, open_for_reading, trouble

_MOST_FLAWS = 20
_ROWS_A_STEP = 500
_COUNTS = (
    f"SELECT count(*), count(*) FILTER (WHERE status IN {ANSWERED_SQL}), (SELECT count(*) FROM messages) "
    "FROM calls"
)
_LOST_MESSAGES = (
    "SELECT DISTINCT json_extract(item.value, '$[1]') FROM calls, json_each(calls.messages) AS item "
    "WHERE NOT EXISTS (SELECT 1 FROM messages WHERE message_id = json_extract(item.value, '$[1]'))"
)


@dataclass(frozen=True, slots=True)
class LedgerState:
    """What was found in a ledger. `is_digested`: its calls have digests (since version 2), all checked."""

    calls: int
    answered: int
    messages: int
    is_digested: bool
    flaws: tuple[str, ...]


def check_ledger(path: Path) -> LedgerState:
    """Read the whole ledger and return what was found; neither it nor its folder is changed.

    Raises UnreadableInput where it is none or cannot be read, Damaged where nothing in it can be read.
    """
    if not path.is_file() or _is_in_use(path):
        return _checked(path, open_for_reading)
    before = path.stat().st_mtime_ns
    state: LedgerState | Damaged
    try:
        state = _checked(path, open_at_rest)
    except Damaged as error:
        state = error
    if _is_in_use(path) or path.stat().st_mtime_ns != before:
        # Somebody began to write meanwhile, and what was read of it is worth nothing.
        return _checked(path, open_for_reading)
    if isinstance(state, Damaged):
        raise state
    return state


def _is_in_use(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def _checked(path: Path, opened: Callable[[Path], sqlite3.Connection]) -> LedgerState:
    with closing(opened(path)) as connection:
        flaws = tuple(islice(_flaws(connection, path), _MOST_FLAWS))
        try:
            calls, answered, messages = connection.execute(_COUNTS).fetchone()
            return LedgerState(calls, answered, messages, has_digests(connection), flaws)
        except sqlite3.Error as error:
            raise trouble(path, error) from None


def _flaws(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    try:
        for (told,) in connection.execute(f"PRAGMA integrity_check({_MOST_FLAWS})"):
            if told != "ok":
                yield in_one_line(told)
        if has_digests(connection):
            for *cells, digest in _rows(connection, "calls", (*CALL_COLUMNS, "digest")):
                if call_digest(cells) != digest:
                    yield f"call {cells[0]} is not what was kept"
        for message_id, content in _rows(connection, "messages", ("message_id", "content")):
            if message_digest(content) != message_id:
                yield f"message {message_id} is not what was kept"
        for (message_id,) in connection.execute(_LOST_MESSAGES):
            yield f"message {message_id}, which calls have sent, is missing"
    except sqlite3.Error as error:
        yield str(trouble(path, error))


def _rows(connection: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield all rows, some at a time, each time in a transaction of its own: writers go on meanwhile."""
    last = -1
    query = f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?"
    while rows := connection.execute(query, (last, _ROWS_A_STEP)).fetchall():
        yield from (row[1:] for row in rows)
        last = rows[-1][0]
