"""Requests and replies as rows of the ledger, and back.

Text of a server that is no Unicode (lone surrogates, which JSON can spell) does not fit a TEXT cell: it is
kept as a BLOB and comes back unchanged. Tables are UTF-8 throughout: there such a character is written
as its escape, such as \\ud83d.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from schemas.call_tables import CALLS
from schemas.calls import ANSWERED_STATUSES, Message, ModelRequest, Reply
from schemas.errors import UnreadableInput
from schemas.ids import canonical_json
from warehouse.ledger.digest import check_call, check_message, message_digest

REPLY_COLUMNS = tuple(field.name for field in fields(Reply))
REQUEST_COLUMNS = ("role", "model", "template", "template_hash", "repeat", "params", "messages")
CALL_COLUMNS = (*REPLY_COLUMNS, *REQUEST_COLUMNS, "edition", "endpoint", "stored_at")

_IDS_A_QUERY = 500
_REAL_COLUMNS = ("cost_usd", "latency_s")
_SELECT = f"SELECT {', '.join(CALL_COLUMNS)}, digest FROM calls"
_reply_values = attrgetter(*REPLY_COLUMNS)


@dataclass(frozen=True, slots=True)
class Entry:
    """A call as it is written: its cells (those of CALL_COLUMNS but the last three), its messages by id."""

    reply: Reply
    cells: tuple[Any, ...]
    messages: dict[str, str]


def entry(request: ModelRequest, reply: Reply) -> Entry:
    """Return what the ledger keeps of a call; raise UnreadableInput where request and reply do not fit."""
    if reply.call_id != request.call_id:
        raise UnreadableInput(
            f"a reply of call {reply.call_id} was given for call {request.call_id}; nothing was kept"
        )
    messages: dict[str, str] = {}
    listed = [_list_message(message, messages, request.call_id) for message in request.messages]
    cells = (
        *(map(_cell, REPLY_COLUMNS, _reply_values(reply))),
        request.role,
        request.model,
        request.template,
        request.template_hash,
        request.repeat,
        canonical_json(request.params),
        canonical_json(listed),
    )
    return Entry(reply, cells, messages)


def stored_reply(connection: sqlite3.Connection, path: Path, call_id: str) -> Reply | None:
    """Return the kept reply of a call, answered or not, or None; raise Damaged where it was altered."""
    row = connection.execute(f"{_SELECT} WHERE call_id = ?", (call_id,)).fetchone()
    if row is None:
        return None
    *cells, digest = row
    check_call(path, call_id, cells, digest)
    values: list[Any] = [_text(value) if isinstance(value, bytes) else value for value in cells]
    return Reply(*values[: len(REPLY_COLUMNS)])


def stored_calls(
    connection: sqlite3.Connection, path: Path, call_ids: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """Yield the stored calls in the order given, each once, by column, with `params` and `messages` parsed.

    Raises UnreadableInput for an id that is not stored, Damaged where a call or a message was altered.
    """
    wanted = iter(dict.fromkeys(call_ids))
    while some := list(islice(wanted, _IDS_A_QUERY)):
        found = {call["call_id"]: call for call in _calls(connection, path, some)}
        missing = next((call_id for call_id in some if call_id not in found), None)
        if missing is not None:
            raise UnreadableInput(
                f"no model call {missing!r} in this ledger; it may belong to another data root, or its "
                "ledger was moved away"
            )
        contents = _contents(connection, path, found.values())
        for call_id in some:
            call = found[call_id]
            call["listed"] = call["messages"]
            call["messages"] = [_message(item, contents) for item in call["listed"]]
            yield call


def table_row(call: dict[str, Any]) -> dict[str, Any]:
    """Return a stored call as a row of table `calls`; its request names each message by its id."""
    messages = [_message_by_id(item) for item in call["listed"]]
    asked = {"model": call["model"], "params": call["params"], "messages": messages}
    kept = {name: utf8(value) if isinstance(value, str) else value for name, value in call.items()}
    answered = kept["status"] in ANSWERED_STATUSES
    reply = kept["content"] if answered or kept["content"] else None
    row = {**kept, "request": canonical_json(asked), "reply": reply}
    return {column.name: row[column.name] for column in CALLS.columns}


def message_rows(calls: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of these stored calls as rows of table `messages`, each once, sorted by id."""
    contents = {
        item[1]: message["content"]
        for call in calls
        for item, message in zip(call["listed"], call["messages"], strict=True)
    }
    return [{"message_id": key, "content": utf8(content)} for key, content in sorted(contents.items())]


def utf8(text: str) -> str:
    """Return the text with lone surrogates written as their escapes; any other text is unchanged."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _list_message(message: Message, messages: dict[str, str], call_id: str) -> list[Any]:
    """Return `[role, message id]`, with further keys of the message as a third item; note its content."""
    rest = dict(message)
    role, content = rest.pop("role", None), rest.pop("content", None)
    if not isinstance(role, str) or not isinstance(content, str):
        raise UnreadableInput(f"a message of call {call_id} has no role or no text; it could not be kept")
    message_id = message_digest(content)
    messages[message_id] = content
    return [role, message_id, rest] if rest else [role, message_id]


def _message(item: list[Any], contents: dict[str, str]) -> Message:
    role, message_id, *rest = item
    return {"role": role, "content": contents[message_id], **(rest[0] if rest else {})}


def _message_by_id(item: list[Any]) -> dict[str, Any]:
    role, message_id, *rest = item
    return {"role": role, "message_id": message_id, **(rest[0] if rest else {})}


def _calls(connection: sqlite3.Connection, path: Path, call_ids: list[str]) -> Iterator[dict[str, Any]]:
    found = connection.execute(f"{_SELECT} WHERE call_id IN ({_marks(call_ids)})", call_ids)
    for *cells, digest in found:
        check_call(path, str(cells[0]), cells, digest)
        call = {
            name: _text(value) if isinstance(value, bytes) else value
            for name, value in zip(CALL_COLUMNS, cells, strict=True)
        }
        yield {**call, "params": json.loads(call["params"]), "messages": json.loads(call["messages"])}


def _contents(connection: sqlite3.Connection, path: Path, calls: Iterable[dict[str, Any]]) -> dict[str, str]:
    wanted = iter(dict.fromkeys(item[1] for call in calls for item in call["messages"]))
    contents: dict[str, str] = {}
    while some := list(islice(wanted, _IDS_A_QUERY)):
        contents.update(
            connection.execute(
                f"SELECT message_id, content FROM messages WHERE message_id IN ({_marks(some)})", some
            )
        )
        for message_id in some:
            check_message(path, message_id, contents.get(message_id))
    return contents


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _cell(column: str, value: Any) -> Any:
    """Return the value as SQLite gives it back, so that its digest stays the same."""
    if column in _REAL_COLUMNS and value is not None:
        return float(value)
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def _text(cell: bytes) -> str:
    return cell.decode("utf-8", "surrogatepass")
