"""Whether a whole ledger is what was kept: its pages, every call's digest, every message's text."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from perennial.schemas.errors import in_one_line
from perennial.warehouse.ledger.digest import call_digest, message_digest
from perennial.warehouse.ledger.rows import CALL_COLUMNS
from perennial.warehouse.ledger.schema import (
    ANSWERED_SQL,
    find_ledger_root_id,
    open_for_reading,
    plain_errors,
    trouble,
)

_MOST_FLAWS = 20
_ROWS_A_STEP = 500
_COUNTS = (
    f"SELECT count(*), count(*) FILTER (WHERE status IN {ANSWERED_SQL}), (SELECT count(*) FROM messages) "
    "FROM calls"
)
_NOT_IN_LEDGER = "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM calls WHERE call_id = value)"
_LOST_MESSAGES = (
    "SELECT DISTINCT item.value ->> 'message_id' AS sent FROM calls, json_each(calls.messages) AS item "
    "WHERE NOT EXISTS (SELECT 1 FROM messages WHERE message_id = sent)"
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
    with closing(open_for_reading(path)) as connection, plain_errors(path):
        flaws = tuple(islice(_flaws(connection, path), _MOST_FLAWS))
        calls, answered, messages = connection.execute(_COUNTS).fetchone()
        return LedgerState(calls, answered, messages, flaws, find_ledger_root_id(connection))


def find_missing_calls(path: Path, listed: Iterable[tuple[str, list[str]]]) -> list[MissingCalls]:
    """Return of which editions the ledger lacks calls; `listed` gives editions with some ids of their calls.

    Neither the ledger nor its folder is changed. Raises as `check_ledger` does.
    """
    found: dict[str, MissingCalls] = {}
    with closing(open_for_reading(path)) as connection, plain_errors(path):
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
        for (flaw,) in connection.execute(f"PRAGMA integrity_check({_MOST_FLAWS})"):
            if flaw != "ok":
                yield in_one_line(flaw)
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
