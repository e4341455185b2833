"""Reading a ledger without opening it for calls: lists, totals, and one call whole, for people."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from perennial.schemas.errors import in_one_line, shorten
from perennial.schemas.model_calls import Spent
from perennial.schemas.units import LOOK_UP, split_unit
from perennial.warehouse.ledger.schema import (
    ANSWERED_SQL,
    find_ledger_root_id,
    open_for_reading,
    plain_errors,
    trouble,
)
from perennial.warehouse.ledger.writer import (
    CALL_COLUMNS,
    call_digest,
    message_digest,
    stored_calls,
    sum_attempts,
)

# Why calls failed: their errors, those that differ in numbers and ids alone counted as one.

_SHOWN = 3
_WIDTH = 200
# Ids of requests and traces, addresses and times.
_VARYING = re.compile(r"[0-9a-f]{8,}|\b[\w-]*\d[\w-]*\b", re.IGNORECASE)
Cause = tuple[str, int]


def count_causes(errors: Iterable[tuple[str, int]]) -> list[Cause]:
    """Return the distinct errors with the calls of each, in the order in which they first came."""
    first: dict[str, str] = {}
    counts: dict[str, int] = {}
    for error, calls in errors:
        kind = _VARYING.sub("#", error)
        first.setdefault(kind, error)
        counts[kind] = counts.get(kind, 0) + calls
    return [(first[kind], calls) for kind, calls in counts.items()]


def describe_causes(causes: list[Cause]) -> str:
    """Return the first causes with their counts in words."""
    causes_listed = "; ".join(f"{calls:,} x {shorten(error, _WIDTH)}" for error, calls in causes[:_SHOWN])
    more = len(causes) - _SHOWN
    return causes_listed + (f"; and {more:,} more cause{'s' if more > 1 else ''}" if more > 0 else "")


# Whether a whole ledger is what was kept: its pages, every call's digest, every message's text.

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
    missing: dict[str, MissingCalls] = {}
    with closing(open_for_reading(path)) as connection, plain_errors(path):
        for edition, call_ids in listed:
            # Sorted: the index is then read from front to back.
            lost = connection.execute(_NOT_IN_LEDGER, [json.dumps(sorted(call_ids))]).fetchall()
            before = missing.get(edition, MissingCalls(edition, 0, 0, ""))
            example = before.example or (lost[0][0] if lost else "")
            missing[edition] = MissingCalls(
                edition, before.missing + len(lost), before.calls + len(call_ids), example
            )
    return [edition for edition in missing.values() if edition.missing]


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
    """All rows, some at a time, each time in a transaction of its own: writers continue meanwhile."""
    last = -1
    query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?"
    while rows := connection.execute(query, (last, _ROWS_A_STEP)).fetchall():
        yield from (row[1:] for row in rows)
        last = rows[-1][0]


# A list of calls shows these: none of them is long, as errors are shortened when they are stored.
LISTED_COLUMNS = (
    "call_id",
    "stored_at",
    "edition",
    "role",
    "model",
    "template",
    "status",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "latency_s",
    "attempts",
    "error",
)
_LAST_CHARACTER = chr(0x10FFFF)


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are asked for: those that have all the values that are not None.

    `contains` is text that occurs in the reply, in this spelling; `call_ids` are all that may be meant.
    """

    role: str | None = None
    model: str | None = None
    status: str | None = None
    edition: str | None = None
    template: str | None = None
    contains: str | None = None
    call_ids: tuple[str, ...] | None = None

    def where(self) -> tuple[str, list[str]]:
        """Return the SQL condition and its values."""
        columns = ("role", "model", "status", "template")
        filters = {column: getattr(self, column) for column in columns}
        conditions = [f"{column} = ?" for column, value in filters.items() if value is not None]
        values = [value for value in filters.values() if value is not None]
        if self.edition is not None:
            # Those of its evaluations too, `EDITION@NAME`.
            conditions.append("(edition = ? OR substr(edition, 1, length(?) + 1) = ? || '@')")
            values += [self.edition] * 3
        if self.contains is not None:
            conditions.append("instr(content, ?) > 0")
            values.append(self.contains)
        if self.call_ids is not None:
            conditions.append(f"call_id IN ({', '.join('?' * len(self.call_ids))})")
            values += self.call_ids
        return " AND ".join(conditions) or "true", values


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Sums over calls; `tokens_known` and `cost_known` say over how many of them each is known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    tokens_known: int
    cost_usd: float
    cost_known: int


class LedgerReader(AbstractContextManager["LedgerReader"]):
    """A ledger open for reading; it sees what is stored while it is open.

    Its errors are UnreadableInput, and Damaged where it is no longer what was kept.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing ledger; raise UnreadableInput where there is none or it cannot be read."""
        self._path = path
        self._connection = open_for_reading(path)

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def newest(self, wanted: CallFilter, limit: int) -> list[tuple[Any, ...]]:
        """Return the LISTED_COLUMNS of the newest such calls, newest first, at most `limit` of them."""
        condition, values = wanted.where()
        return self._rows(
            f"SELECT {', '.join(LISTED_COLUMNS)} FROM calls WHERE {condition} "
            "ORDER BY stored_at DESC, rowid DESC LIMIT ?",
            [*values, limit],
        )

    def totals(self, wanted: CallFilter) -> CallTotals:
        """Return the totals of all such calls."""
        condition, values = wanted.where()
        (row,) = self._rows(
            "SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), "
            "count(prompt_tokens + completion_tokens), coalesce(sum(cost_usd), 0.0), count(cost_usd) "
            f"FROM calls WHERE {condition}",
            values,
        )
        return CallTotals(*row)

    def spending(self, edition: str | None = None) -> Spent:
        """Return what was sent in all, look-ups aside, or for an edition and its evaluations."""
        with plain_errors(self._path):
            units = self._connection.execute("SELECT DISTINCT edition FROM attempts").fetchall()
            known_units = [unit for (unit,) in units if unit != LOOK_UP]
            wanted = [unit for unit in known_units if edition in (None, unit, split_unit(unit)[0])]
            return sum_attempts(self._connection, wanted)

    def causes(self, edition: str, role: str) -> list[Cause]:
        """Return why calls of an edition or evaluation in this role failed, with counts, oldest first."""
        return count_causes(
            self._rows(
                "SELECT coalesce(error, status), count(*) FROM calls WHERE edition = ? AND role = ? "
                f"AND status NOT IN {ANSWERED_SQL} GROUP BY 1 ORDER BY min(stored_at), min(rowid)",
                [edition, role],
            )
        )

    def ids_that_begin(self, prefix: str, limit: int) -> list[str]:
        """Return the ids of calls that begin so, sorted, at most `limit` of them."""
        rows = self._rows(
            "SELECT call_id FROM calls WHERE call_id >= ? AND call_id < ? ORDER BY call_id LIMIT ?",
            [prefix, prefix + _LAST_CHARACTER, limit],
        )
        return [call_id for (call_id,) in rows]

    def call(self, call_id: str) -> dict[str, Any]:
        """Return the whole call by column, with `params` and `messages` parsed."""
        with plain_errors(self._path):
            (call,), contents = stored_calls(self._connection, self._path, [call_id])
        messages = [{"content": contents[sent.pop("message_id")], **sent} for sent in call["messages"]]
        return {**call, "messages": messages}

    def _rows(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        with plain_errors(self._path):
            return self._connection.execute(sql, values).fetchall()
