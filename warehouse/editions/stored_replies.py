"""The calls of a published edition, read back from its tables `calls` and `messages`."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from perennial.schemas.errors import Damaged
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

_REPLY_COLUMNS = tuple(field.name for field in fields(Reply) if field.name not in ("content", "raw"))


def stored_replies(store: Store, edition: str) -> Iterator[tuple[ModelRequest, Reply]]:
    """Each call of the edition: its request and its reply, without the raw body, which no table has.

    Raises Damaged where a request does not give the call id under which it stands: a table was altered.
    """
    if not store.exists(table_file("calls", edition)):
        return
    texts = {
        row["message_id"]: row["content"]
        for row in store.read_table(table_file("messages", edition)).to_pylist()
    }
    for row in store.read_table(table_file("calls", edition)).to_pylist():
        yield _request(row, texts, edition), reply_of(row)


def _request(row: dict[str, Any], texts: dict[str, str], edition: str) -> ModelRequest:
    asked = json.loads(row["request"])
    request = ModelRequest(
        role=row["role"],
        model=asked["model"],
        messages=tuple(_message(item, texts) for item in asked["messages"]),
        params=asked["params"],
        template=row["template"],
        template_hash=row["template_hash"],
        repeat=row["repeat"],
    )
    if request.call_id != row["call_id"]:
        raise Damaged(
            f"the request of call {row['call_id']} in edition {edition!r} gives the id {request.call_id}: "
            "tables calls and messages are not what was written (`perennial verify` says more)"
        )
    return request


def _message(item: dict[str, str], texts: dict[str, str]) -> dict[str, str]:
    rest = {key: value for key, value in item.items() if key not in ("role", "message_id")}
    return {"role": item["role"], "content": texts[item["message_id"]], **rest}


def reply_of(row: dict[str, Any]) -> Reply:
    """The reply that a row of table `calls` holds."""
    return Reply(**{name: row[name] for name in _REPLY_COLUMNS}, content=row["reply"] or "")
