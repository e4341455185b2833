"""Whether a whole ledger is what was kept: its pages, every call's digest, every message's text."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from schemas.errors import Damaged, in_one_line
from warehouse.ledger.digest import call_digest, message_digest
from warehouse.ledger.rows import CALL_COLUMNS
from warehouse.ledger.schema import (
    ANSWERED_SQL,
    find_ledger_root_id,
    open_at_rest,
    open_for_reading,
    plain_errors,
    trouble,
)

Result = TypeVar("Result")

_MOST_FLAWS = 20
_ROWS_A_STEP = 500
_COUNTS = (
    f"SELECT count(*), count(*) FILTER (WHERE status IN {ANSWERED_SQL}), (SELECT count(*) FROM messages) "
    "FROM calls"
)
_NOT_IN_LEDGER = "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM calls WHERE call_id = value)"
_LOST_MESSAGES = (
    "SELECT DISTINCT json_extract(item.value, '$[1]') FROM calls, json_each(calls.messages) AS item "
    "WHERE NOT EXISTS (SELECT 1 FROM messages WHERE message_id = json_extract(item.value, '$[1]'))"
)


@dataclass(frozen=True, slots=True)
class LedgerState:
    """What was found in a ledger, of which every call and message was checked."""

    calls: int
    answered: int
    messages: int
    flaws: tuple[str, ...]
    root_id: str | None


@dataclass(frozen=True, slots=True)
class MissingCalls:
    """An edition of whose published calls the ledger lacks `missing`, such as `example`."""

    edition: str
    missing: int
    calls: int
    example: str


def check_ledger(path: Path) -> LedgerState:
    """Read the whole ledger and return what was found; neither it nor its folder is changed.

    Raises UnreadableInput where it is none or cannot be read, Damaged where nothing in it can be read.
    """
    return _read(path, lambda connection: _check_open_ledger(connection, path))


def find_missing_calls(
    path: Path, listed: Callable[[], Iterable[tuple[str, list[str]]]]
) -> list[MissingCalls]:
    """Return of which editions the ledger lacks calls; `listed` gives editions with some ids of their calls.

    Neither the ledger nor its folder is changed. Raises as `check_ledger` does.
    """
    return _read(path, lambda connection: _missing(connection, listed()))


def _read(path: Path, read: Callable[[sqlite3.Connection], Result]) -> Result:
    """Return what is read of the ledger, leaving nothing beside it where nobody writes to it."""
    if not path.is_file() or _is_in_use(path):
        return _read_open(path, open_for_reading, read)
    before = path.stat().st_mtime_ns
    result: Result | Damaged
    try:
        result = _read_open(path, open_at_rest, read)
    except Damaged as error:
        result = error
    if _is_in_use(path) or path.stat().st_mtime_ns != before:
        # Somebody began to write meanwhile, and what was read of it is worth nothing.
        return _read_open(path, open_for_reading, read)
    if isinstance(result, Damaged):
        raise result
    return result


def _read_open(
    path: Path, opened: Callable[[Path], sqlite3.Connection], read: Callable[[sqlite3.Connection], Result]
) -> Result:
    with closing(opened(path)) as connection, plain_errors(path):
        return read(connection)


def _is_in_use(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def _check_open_ledger(connection: sqlite3.Connection, path: Path) -> LedgerState:
    flaws = tuple(islice(_flaws(connection, path), _MOST_FLAWS))
    calls, answered, messages = connection.execute(_COUNTS).fetchone()
    root_id = find_ledger_root_id(connection)
    return LedgerState(calls, answered, messages, flaws, root_id)


def _missing(connection: sqlite3.Connection, listed: Iterable[tuple[str, list[str]]]) -> list[MissingCalls]:
    found: dict[str, MissingCalls] = {}
    for edition, call_ids in listed:
        # Sorted: the index is then read from front to back.
        lost = connection.execute(_NOT_IN_LEDGER, [json.dumps(sorted(call_ids))]).fetchall()
        before = found.get(edition, MissingCalls(edition, 0, 0, ""))
        example = before.example or (lost[0][0] if lost else "")
        found[edition] = MissingCalls(
            edition, before.missing + len(lost), before.calls + len(call_ids), example
        )
    return [edition for edition in found.values() if edition.missing]


def _flaws(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    try:
        for (told,) in connection.execute(f"PRAGMA integrity_check({_MOST_FLAWS})"):
            if told != "ok":
                yield in_one_line(told)
        for *cells, digest in _rows(connection, "calls", f"{', '.join(CALL_COLUMNS)}, digest"):
            if call_digest(cells) != digest:
                yield f"call {cells[0]} is not what was kept"
        for message_id, content in _rows(connection, "messages", "message_id, content"):
            if message_digest(content) != message_id:
                yield f"message {message_id} is not what was kept"
        for (message_id,) in connection.execute(_LOST_MESSAGES):
            yield f"message {message_id}, which calls have sent, is missing"
    except sqlite3.Error as error:
        yield str(trouble(path, error))


def _rows(connection: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[str, ...]]:
    """Yield all rows, some at a time, each time in a transaction of its own: writers continue meanwhile."""
    last = -1
    query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?"
    while rows := connection.execute(query, (last, _ROWS_A_STEP)).fetchall():
        yield from (row[1:] for row in rows)
        last = rows[-1][0]
