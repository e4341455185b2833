"""The thread that writes the ledger: it commits in groups whatever waits, then wakes the waiting tasks.

While one commit is on its way to the disk the next group gathers, so that 64 tasks cost little more than
one; a lone call is committed at once, without a timer. A group is a handful of statements, however many
calls it has: after each statement this thread must get Python's lock back from a busy event loop, which
takes up to 5 ms.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from schemas.calls import Reply
from schemas.errors import Damaged, UnreadableInput
from warehouse.ledger.digest import call_digest
from warehouse.ledger.place import LedgerPlace
from warehouse.ledger.rows import CALL_COLUMNS, Entry, stored_reply
from warehouse.ledger.schema import ANSWERED_SQL, open_for_writing, patiently, trouble

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
)

Future = asyncio.Future[Reply]


@dataclass(frozen=True, slots=True)
class _Waiting:
    entry: Entry
    future: Future
    loop: asyncio.AbstractEventLoop


class LedgerWriter:
    """Keeps calls of one edition and endpoint. `commits` counts the transactions made so far."""

    def __init__(self, path: Path, edition: str, endpoint: str) -> None:
        """Open the ledger and start the thread; raise UnreadableInput or Damaged where that cannot be."""
        self.commits = 0
        self._path = path
        self._paid_by = (edition, endpoint)
        self._connection = open_for_writing(path)
        self._place = LedgerPlace(path, self._connection)
        self._loss: Damaged | None = None
        self._known_messages: set[str] = set()
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._write_groups, name="call ledger", daemon=True)
        self._thread.start()

    def submit(self, entry: Entry) -> Future:
        """Return a future of the running loop: the reply that is kept, once it is on the disk.

        It raises UnreadableInput where nothing was kept, Damaged where what was kept before is damaged or
        the ledger's file was deleted or replaced.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(entry, loop.create_future(), loop)
        with self._gate:
            if self._closed:
                raise RuntimeError(f"the ledger {self._path} is closed: keep calls before it is")
            self._queue.put(waiting)
        return waiting.future

    def close(self) -> None:
        """Keep what still waits, then close the file; closing again does nothing."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()
        if self._loss is not None:
            # With the replies that came since; where that fails, the copy that was made then stays.
            with suppress(sqlite3.Error, OSError):
                self._place.rescue()
        self._connection.close()

    def _write_groups(self) -> None:
        while (first := self._queue.get()) is not None:
            group = [first, *self._also_waiting()]
            _wake(group, self._outcomes([waiting.entry for waiting in group]))

    def _also_waiting(self) -> list[_Waiting]:
        also: list[_Waiting] = []
        while len(also) < _MOST_A_GROUP:
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                break
            if waiting is None:
                # Closed behind these: the end is found again once they are kept.
                self._queue.put(None)
                break
            also.append(waiting)
        return also

    def _outcomes(self, entries: list[Entry]) -> list[Reply | Exception]:
        """Commit the calls in one transaction; return each one's kept reply, or why it has none."""
        try:
            return patiently(lambda: self._commit(entries))
        except _REFUSED_VALUES as error:
            if len(entries) > 1:
                return [outcome for entry in entries for outcome in self._outcomes([entry])]
            call_id = entries[0].reply.call_id
            return [UnreadableInput(f"{self._path}: the reply of call {call_id} cannot be kept ({error})")]
        except sqlite3.Error as error:
            return [trouble(self._path, error) for _ in entries]
        except Exception as error:  # noqa: BLE001 - the waiting caller must get the error, or waits for ever
            return [error for _ in entries]

    def _commit(self, entries: list[Entry]) -> list[Reply | Exception]:
        messages = {
            message_id: content
            for entry in entries
            for message_id, content in entry.messages.items()
            if message_id not in self._known_messages
        }
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._write_messages(list(messages.items()))
            replies = self._write_calls(entries)
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self.commits += 1
        if len(self._known_messages) > _MOST_KNOWN_MESSAGES:
            self._known_messages.clear()
        self._known_messages.update(messages)
        if self._loss is None:
            self._loss = self._place.find_loss()
        return replies if self._loss is None else [self._loss for _ in entries]

    def _write_messages(self, messages: list[tuple[str, str]]) -> None:
        for start in range(0, len(messages), _MESSAGES_A_STATEMENT):
            self._insert(_KEEP_MESSAGES, messages[start : start + _MESSAGES_A_STATEMENT])

    def _write_calls(self, entries: list[Entry]) -> list[Reply | Exception]:
        """Write the calls that have no answer yet; return for each the reply that the ledger holds then."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [(*entry.cells, *self._paid_by, now) for entry in entries]
        written = self._insert(_KEEP_CALLS, [(*row, call_digest(row)) for row in rows])
        if written == len({entry.reply.call_id for entry in entries}) == len(entries):
            return [entry.reply for entry in entries]
        return [self._keep(entry.reply) for entry in entries]

    def _keep(self, reply: Reply) -> Reply | Exception:
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


def _wake(group: list[_Waiting], outcomes: list[Reply | Exception]) -> None:
    """Tell each task its outcome, on its own loop; one whose loop has ended waits no more."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Future, Reply | Exception]]] = {}
    for waiting, outcome in zip(group, outcomes, strict=True):
        by_loop.setdefault(waiting.loop, []).append((waiting.future, outcome))
    for loop, told in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, told)
        except RuntimeError:
            continue


def _settle(told: Iterable[tuple[Future, Reply | Exception]]) -> None:
    for future, outcome in told:
        if future.done():
            continue
        if isinstance(outcome, Reply):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
