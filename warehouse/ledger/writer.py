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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import repeat
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from perennial.schemas.errors import Damaged, UnreadableInput
from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.model_calls import ANSWERED_STATUSES, AttemptEnd, ModelRequest, Reply, Spent
from perennial.schemas.tables import CALLS
from perennial.warehouse.ledger.schema import ANSWERED_SQL, LedgerPlace, open_for_writing, plain_errors

# Requests and replies as rows of the ledger, and back.

# Whether a stored call or message is still what was kept: SQLite does not notice a byte that changed.
#
# A call's row holds a digest of all its other cells, as they lie in the file; a message is kept under a
# digest of its text.

_DIGEST_BYTES = 16


def call_digest(cells: Sequence[Any]) -> str:
    """Return 32 hexadecimal digits derived from the cells of a call, which are those of CALL_COLUMNS."""
    # Damage may turn a cell into bytes.
    text = json.dumps(cells, separators=(",", ":"), default=repr)
    return blake2b(text.encode("ascii"), digest_size=_DIGEST_BYTES).hexdigest()


def check_call(path: Path, call_id: str, cells: Sequence[Any], digest: str) -> None:
    """Raise Damaged unless the stored cells of a call are those that the digest was made of."""
    if call_digest(cells) != digest:
        raise Damaged(
            f"{path}: call {call_id} is damaged, its digest differs: restore the ledger from a copy, or drop "
            f"this call with `sqlite3 {path} \"DELETE FROM calls WHERE call_id = '{call_id}'\"`; the same "
            "command then makes it again and pays for it again"
        )


def check_message(path: Path, message_id: str, content: str | None) -> None:
    """Raise Damaged unless the text (None: there is none) is what was kept under that id."""
    if content is None or message_digest(content) != message_id:
        fault = "is missing" if content is None else "is damaged, its text is not what its id says"
        drop = (
            f"DELETE FROM messages WHERE message_id = '{message_id}'; "
            f"DELETE FROM calls WHERE messages LIKE '%{message_id}%'"
        )
        raise Damaged(
            f"{path}: message {message_id} {fault}: restore the ledger from a copy, or drop the calls that "
            f'sent it with `sqlite3 {path} "{drop}"`; the same command then repeats them and pays for '
            "them again"
        )


@lru_cache(maxsize=512)
def message_digest(content: str) -> str:
    """Return the id of a message: a book is asked about again with every turn of its runs."""
    return content_id("msg", content)


REPLY_COLUMNS = tuple(field.name for field in fields(Reply))
REQUEST_COLUMNS = ("role", "model", "template", "template_hash", "repeat", "params", "messages")
CALL_COLUMNS = (*REPLY_COLUMNS, *REQUEST_COLUMNS, "edition", "endpoint", "stored_at")

_SELECT = f"SELECT {', '.join(CALL_COLUMNS)}, digest FROM calls"
_SELECT_CALLS = f"{_SELECT} WHERE call_id IN (SELECT value FROM json_each(?))"
_SELECT_MESSAGES = (
    "SELECT message_id, content FROM messages WHERE message_id IN (SELECT value FROM json_each(?))"
)
_reply_values = attrgetter(*REPLY_COLUMNS)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A call as it is written: its cells (those of CALL_COLUMNS but the last three), its messages by id."""

    reply: Reply
    cells: tuple[Any, ...]
    messages: dict[str, str]
    model: str = ""


def entry(request: ModelRequest, reply: Reply) -> LedgerEntry:
    """Return what the ledger keeps of a call; raise UnreadableInput where request and reply do not fit.

    Its messages are `{"role": ..., "message_id": ...}`, with further keys of the message.
    """
    if reply.call_id != request.call_id:
        raise UnreadableInput(
            f"a reply of call {reply.call_id} was given for call {request.call_id}; nothing was kept"
        )
    contents: dict[str, str] = {}
    sent = []
    for message in request.messages:
        message_id = message_digest(message["content"])
        contents[message_id] = message["content"]
        sent.append({"message_id": message_id, **{k: v for k, v in message.items() if k != "content"}})
    cells = (
        *_reply_values(reply),
        request.role,
        request.model,
        request.template,
        request.template_hash,
        request.repeat,
        canonical_json(request.params),
        canonical_json(sent),
    )
    return LedgerEntry(reply, cells, contents, request.model)


def stored_reply(connection: sqlite3.Connection, path: Path, call_id: str) -> Reply | None:
    """Return the kept reply of a call, answered or not, or None; raise Damaged where it was altered."""
    row = connection.execute(f"{_SELECT} WHERE call_id = ?", (call_id,)).fetchone()
    if row is None:
        return None
    *cells, digest = row
    check_call(path, call_id, cells, digest)
    return Reply(*cells[: len(REPLY_COLUMNS)])


def stored_calls(
    connection: sqlite3.Connection, path: Path, call_ids: Iterable[str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the stored calls by column, in the order given, each once, and their messages' texts by id.

    `params` and `messages` are parsed. Raises UnreadableInput for an id that is not stored, Damaged where a
    call or a message was altered.
    """
    wanted = list(dict.fromkeys(call_ids))
    calls = {}
    for *cells, digest in connection.execute(_SELECT_CALLS, [json.dumps(wanted)]):
        check_call(path, str(cells[0]), cells, digest)
        call = dict(zip(CALL_COLUMNS, cells, strict=True))
        call |= {name: json.loads(call[name]) for name in ("params", "messages")}
        calls[call["call_id"]] = call
    for call_id in wanted:
        if call_id not in calls:
            raise UnreadableInput(
                f"no model call {call_id!r} in this ledger; it may belong to another data root, or its "
                "ledger was moved away"
            )
    sent = sorted({message["message_id"] for call in calls.values() for message in call["messages"]})
    contents = dict(connection.execute(_SELECT_MESSAGES, [json.dumps(sent)]))
    for message_id in sent:
        check_message(path, message_id, contents.get(message_id))
    return [calls[call_id] for call_id in wanted], contents


def table_row(call: dict[str, Any]) -> dict[str, Any]:
    """Return a stored call as a row of table `calls`; its request names each message by its id."""
    request = canonical_json({name: call[name] for name in ("model", "params", "messages")})
    is_answered = call["status"] in ANSWERED_STATUSES
    reply = call["content"] if is_answered or call["content"] else None
    row = {**call, "request": request, "reply": reply}
    return {column.name: row[column.name] for column in CALLS.columns}


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
        # One thread: connections of SQLite belong to one, and while it writes the next group collects.
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
                # One by one: a reply that SQLite refuses must not take those of other calls with it.
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
        # For writing at once: a transaction that began by reading may be refused to write later.
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
        # After the commit, as the file may have been replaced up to then.
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
        # The usual case: each row is new, so that none has to be read back to see which reply was kept.
        if written == len({entry.reply.call_id for entry in entries}) == len(entries):
            return [entry.reply for entry in entries]
        return [self._read_kept(entry.reply) for entry in entries]

    def _read_kept(self, reply: Reply) -> Reply | Exception:
        """The reply that the ledger holds of the call, which may be another than this one."""
        try:
            return stored_reply(self._connection, self._path, reply.call_id) or reply
        except Damaged as error:
            return error

    def _insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> int:
        """Insert the rows with one statement and return how many of them changed the table."""
        marks = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        values = [value for row in rows for value in row]
        return self._connection.execute(statement.format(rows=marks), values).rowcount
