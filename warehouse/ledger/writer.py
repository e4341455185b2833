"""The thread that writes the ledger: it commits in groups whatever waits, then wakes the waiting tasks.

While one commit is on its way to the disk the next group gathers, so that 64 tasks cost little more than
one; a lone call is committed at once, without a timer. A group is a handful of statements, however many
calls it has: after each statement this thread must get Python's lock back from a busy event loop, which
takes up to 5 ms.
"""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import Any, cast

from perennial.schemas.errors import Damaged, UnreadableInput
from perennial.schemas.model_calls import AttemptEnd, Reply, Spent
from perennial.warehouse.ledger.rows import CALL_COLUMNS, LedgerEntry, call_digest, stored_reply
from perennial.warehouse.ledger.schema import ANSWERED_SQL, LedgerPlace, open_for_writing, plain_errors

# Every request that was sent: counted before it is sent, so that no crash makes a limit forget it.
#
# Until an attempt has ended, and where its reply reports no usage, it counts with an estimate. One that no
# server can have received is removed.


_BEGIN = """
    INSERT INTO attempts (number, edition, call_id, batch, estimate_usd, sent_at)
    SELECT ?1 + key, ?2, value ->> 0, ?3, value ->> 1, ?4 FROM json_each(?5)
"""
_END = """
    UPDATE attempts SET cost_usd = ended.value ->> 1, estimate_usd = ended.value ->> 2
    FROM json_each(?) AS ended WHERE number = ended.value ->> 0
"""
_SPENT = """
    SELECT count(*), coalesce(sum(coalesce(cost_usd, estimate_usd)), 0.0),
        count(*) - count(coalesce(cost_usd, estimate_usd)),
        count(*) FILTER (WHERE cost_usd IS NULL AND estimate_usd IS NOT NULL)
    FROM attempts
"""


@dataclass(frozen=True, slots=True)
class AttemptBegin:
    """An attempt of a call that is about to be sent."""

    call_id: str
    estimate_usd: float | None


def begin_attempts(
    connection: sqlite3.Connection,
    edition: str,
    begun: Sequence[AttemptBegin],
    batch: int | None = None,
) -> list[int]:
    """Count these attempts within the open transaction, and return the number of each."""
    if not begun:
        return []
    (first,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM attempts").fetchone()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows = json.dumps([(call.call_id, call.estimate_usd) for call in begun])
    connection.execute(_BEGIN, (first, edition, batch, now, rows))
    return list(range(first, first + len(begun)))


def end_attempts(connection: sqlite3.Connection, ended: Sequence[AttemptEnd]) -> None:
    """Keep within the open transaction what these attempts came to."""
    sent = [(end.number, end.cost_usd, end.estimate_usd) for end in ended if end.was_sent]
    if sent:
        connection.execute(_END, (json.dumps(sent),))
    never_sent = [end.number for end in ended if not end.was_sent]
    if never_sent:
        connection.execute(
            "DELETE FROM attempts WHERE number IN (SELECT value FROM json_each(?))", (json.dumps(never_sent),)
        )


def find_last_attempt(connection: sqlite3.Connection, call_id: str) -> tuple[int, float | None] | None:
    """Return number and estimate of the call's last attempt, None where it has none."""
    row: tuple[int, float | None] | None = connection.execute(
        "SELECT number, estimate_usd FROM attempts WHERE call_id = ? ORDER BY number DESC LIMIT 1", (call_id,)
    ).fetchone()
    return row


def sum_attempts(connection: sqlite3.Connection, units: Sequence[str]) -> Spent:
    """Return what these editions and evaluations have sent."""
    wanted = f"{_SPENT} WHERE edition IN (SELECT value FROM json_each(?))"
    return Spent(*connection.execute(wanted, (json.dumps(list(units)),)).fetchone())


_MOST_A_GROUP = 256
_MOST_KNOWN_MESSAGES = 100_000

_MESSAGES_A_STATEMENT = 1_000
_KEEP_MESSAGES = "INSERT INTO messages VALUES {rows} ON CONFLICT DO NOTHING"
_WRITTEN = (*CALL_COLUMNS, "digest")
_KEEP_CALLS = (
    f"INSERT INTO calls ({', '.join(_WRITTEN)}) VALUES {{rows}} "
    f"ON CONFLICT (call_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _WRITTEN)} "
    f"WHERE calls.status NOT IN {ANSWERED_SQL}"
)
_REFUSED_VALUES = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
    UnicodeEncodeError,
)

# A reply to keep, an attempt that begins, or one that has ended.
Item = LedgerEntry | AttemptBegin | AttemptEnd
Outcomes = list[Reply | int | Exception | None]


@dataclass(eq=False, slots=True)
class _Group:
    """What tasks of one loop wait for.

    `outcomes` has the kept reply of each entry and the number of each attempt that begins, or why there is
    none.
    """

    loop: asyncio.AbstractEventLoop
    items: list[Item] = field(default_factory=list)
    outcomes: asyncio.Future[Outcomes] = field(init=False)
    is_closed: bool = False


class LedgerWriter:
    """Keeps calls of one edition. `endpoints` are those of models not asked at `endpoint`.

    `commits` counts the transactions made so far.
    """

    def __init__(
        self, path: Path, edition: str, endpoint: str, endpoints: Mapping[str, str] | None = None
    ) -> None:
        """Open the ledger; raise UnreadableInput or Damaged where that cannot be."""
        self.commits = 0
        self._path = path
        self._edition, self._endpoint, self._endpoints = edition, endpoint, endpoints or {}
        self._connection = open_for_writing(path)
        self._place = LedgerPlace(path, self._connection)
        self._loss: Damaged | None = None
        self._known_messages: set[str] = set()
        self._group: _Group | None = None
        self._is_closed = False
        self._gate = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "call ledger")

    async def store(self, entry: LedgerEntry) -> Reply:
        """Return the reply that is kept, once it is on the disk.

        Raises UnreadableInput where nothing was kept, Damaged where what was kept before is damaged or the
        ledger's file was deleted or replaced; so do all that write.
        """
        return cast(Reply, await self._write(entry))

    async def begin_attempt(self, begin: AttemptBegin) -> int:
        """Return the number of the attempt, once it is on the disk."""
        return cast(int, await self._write(begin))

    async def end_attempt(self, end: AttemptEnd) -> None:
        """Return once what the attempt came to is on the disk."""
        await self._write(end)

    async def _write(self, item: Item) -> Reply | int | None:
        loop = asyncio.get_running_loop()
        with self._gate:
            if self._is_closed:
                raise RuntimeError(f"the ledger {self._path} is closed: keep calls before it is")
            group = self._group
            if group is None or group.is_closed or group.loop is not loop:
                group = self._group = _Group(loop)
                group.outcomes = loop.run_in_executor(self._thread, self._write_group, group)
            index = len(group.items)
            group.items.append(item)
            group.is_closed = index + 1 == _MOST_A_GROUP
        # A task that no longer waits takes nothing from the others of its group.
        outcome = (await asyncio.shield(group.outcomes))[index]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def close(self) -> None:
        """Keep what still waits, then close the file; closing again does nothing."""
        with self._gate:
            if self._is_closed:
                return
            self._is_closed = True
        self._thread.shutdown()
        if self._loss is not None:
            # With the replies that came since; where that fails, the copy that was made then stays.
            with suppress(sqlite3.Error, OSError):
                self._place.rescue()
        self._connection.close()

    def _write_group(self, group: _Group) -> Outcomes:
        with self._gate:
            group.is_closed = True
        with plain_errors(self._path):
            try:
                return self._commit(group.items)
            except _REFUSED_VALUES:
                return [self._commit_one(item) for item in group.items]

    def _commit_one(self, item: Item) -> Reply | int | Exception | None:
        try:
            return self._commit([item])[0]
        except _REFUSED_VALUES as error:
            what = (
                f"the reply of call {item.reply.call_id}" if isinstance(item, LedgerEntry) else "an attempt"
            )
            return UnreadableInput(f"{self._path}: {what} cannot be kept ({error})")

    def _commit(self, items: list[Item]) -> Outcomes:
        """Commit all in one transaction; return the outcome of each."""
        entries = [item for item in items if isinstance(item, LedgerEntry)]
        begun = [item for item in items if isinstance(item, AttemptBegin)]
        messages = {
            message_id: content
            for entry in entries
            for message_id, content in entry.messages.items()
            if message_id not in self._known_messages
        }
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            self._write_messages(list(messages.items()))
            replies = iter(self._write_calls(entries))
            numbers = iter(begin_attempts(self._connection, self._edition, begun))
            end_attempts(self._connection, [item for item in items if isinstance(item, AttemptEnd)])
        self.commits += 1
        if len(self._known_messages) > _MOST_KNOWN_MESSAGES:
            self._known_messages.clear()
        self._known_messages.update(messages)
        if self._loss is None:
            self._loss = self._place.find_loss()
        if self._loss is not None:
            return [self._loss for _ in items]
        outcomes: dict[type, Iterator[Reply | int | Exception | None]] = {
            LedgerEntry: replies,
            AttemptBegin: numbers,
            AttemptEnd: repeat(None),
        }
        return [next(outcomes[type(item)]) for item in items]

    def _write_messages(self, messages: list[tuple[str, str]]) -> None:
        for start in range(0, len(messages), _MESSAGES_A_STATEMENT):
            self._insert(_KEEP_MESSAGES, messages[start : start + _MESSAGES_A_STATEMENT])

    def _write_calls(self, entries: list[LedgerEntry]) -> list[Reply | Exception]:
        """Write the calls that have no answer yet; return for each the reply that the ledger holds then."""
        if not entries:
            return []
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [
            (*entry.cells, self._edition, self._endpoints.get(entry.model, self._endpoint), now)
            for entry in entries
        ]
        written = self._insert(_KEEP_CALLS, [(*row, call_digest(row)) for row in rows])
        if written == len({entry.reply.call_id for entry in entries}) == len(entries):
            return [entry.reply for entry in entries]
        return [self._read_kept(entry.reply) for entry in entries]

    def _read_kept(self, reply: Reply) -> Reply | Exception:
        """Return the reply that the ledger holds of the call, which may be another than this one."""
        try:
            return stored_reply(self._connection, self._path, reply.call_id) or reply
        except Damaged as error:
            return error

    def _insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> int:
        """Insert the rows with one statement and return how many of them changed the table."""
        marks = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        values = [value for row in rows for value in row]
        return self._connection.execute(statement.format(rows=marks), values).rowcount
