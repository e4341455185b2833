"""Requests and replies as rows of the ledger, and back."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Any

from perennial.schemas.errors import Damaged, UnreadableInput
from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.model_calls import ANSWERED_STATUSES, ModelRequest, Reply
from perennial.schemas.tables import CALLS

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
