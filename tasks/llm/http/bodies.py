"""Read the JSON of a body that may be made to exhaust its reader, or that streams unasked."""

import json
from collections.abc import Iterator
from typing import Any

# Each list or object takes up to 250 bytes once it is read, for as few as three bytes of text.
_MAX_BRACKETS = 1_000_000
# Python converts no longer number; no count of a reply is as large, and the body is kept as it came.
_MAX_DIGITS = 4_000


_EVENT_LINES = ("data:", "event:", "id:", "retry:", ":")
_DONE = "[DONE]"


class UnreadableBody(Exception):
    """A body that cannot be read as JSON however often it comes, unlike one that was cut or garbled."""


def read_json(text: str) -> Any:
    """Return what the JSON says, None where the text is none.

    Of a number of more than 4,000 digits these are read. Raises UnreadableBody for JSON that is nested too
    deeply, or has more than a million opening brackets.
    """
    if text.count("[") + text.count("{") > _MAX_BRACKETS:
        raise UnreadableBody(f"the body has more than {_MAX_BRACKETS:,} opening brackets")
    try:
        return _load(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise UnreadableBody("the body is nested too deeply") from None


def read_completion(text: str) -> Any:
    """Return what a body says: one JSON document, even if `data: [DONE]` follows it, or a stream of events.

    The chunks of a stream are put together as the one choice of a chat completion. Raises as `read_json`.
    """
    start = text.lstrip()
    if not start.startswith(_EVENT_LINES):
        head, mark, rest = text.rpartition("data:")
        return read_json(head if mark and rest.strip() == _DONE else text)
    chunks = (chunk for event in _events(start) if isinstance(chunk := read_json(event), dict))
    return _join_chunks(chunks, has_ended=start.rstrip().endswith(_DONE))


def _events(text: str) -> Iterator[str]:
    """Yield the data of the events of a stream."""
    data: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").strip())
        elif not line and data:
            # Some servers leave out the empty line between two events.
            whole = "\n".join(data)
            yield from data if read_json(whole) is None else [whole]
            data = []


def _join_chunks(chunks: Iterator[dict[str, Any]], has_ended: bool) -> dict[str, Any] | None:
    """Return the chat completion that the chunks make; one that is whole, or an error, as it is."""
    body: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    lists: dict[str, list[Any]] = {}
    choice: dict[str, Any] = {}
    for chunk in chunks:
        choices = chunk.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if "error" in chunk or (isinstance(first, dict) and isinstance(first.get("message"), dict)):
            return chunk
        body |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
        if not isinstance(first, dict) or first.get("index", 0) != 0:
            continue
        choice |= {name: value for name, value in first.items() if name != "delta" and value is not None}
        delta = first.get("delta")
        for name, value in delta.items() if isinstance(delta, dict) else ():
            if isinstance(value, str) and name != "role":
                texts.setdefault(name, []).append(value)
            elif isinstance(value, list):
                lists.setdefault(name, []).extend(value)
    if not choice:
        return body or None
    if not has_ended:
        # Broken off, unless its last chunk says why the reply ended.
        choice.setdefault("finish_reason", "stream interrupted")
    message = {"role": "assistant", **lists, **{name: "".join(parts) for name, parts in texts.items()}}
    return {**body, "choices": [{**choice, "message": message}]}


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number of more digits than Python converts
        return json.loads(text, parse_int=_parse_int)


def _parse_int(digits: str) -> int:
    return int(digits[:_MAX_DIGITS])
