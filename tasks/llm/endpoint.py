"""The endpoint of a server: its URL and key, what requests carry beside them, and the JSON of a body."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from perennial.schemas.errors import InvalidOption
from perennial.schemas.json_text import JsonBeyondBounds, UnreadableJson, read_json
from perennial.schemas.model_calls import check_base_url

_EVENT_LINES = ("data:", "event:", "id:", "retry:", ":")


_DONE = "[DONE]"


def read_body(text: str) -> Any:
    """What the JSON says, None where the text is none; raise JsonBeyondBounds beyond its bounds."""
    try:
        return read_json(text, any_number=True)
    except JsonBeyondBounds:
        raise
    except UnreadableJson:
        return None


def read_completion(text: str) -> Any:
    """What a body says: one JSON document, even if `data: [DONE]` follows it, or a stream of events.

    The chunks of a stream are put together as the one choice of a chat completion. Raises as `read_body`.
    """
    start = text.lstrip()
    if not start.startswith(_EVENT_LINES):
        head, mark, rest = text.rpartition("data:")
        return read_body(head if mark and rest.strip() == _DONE else text)
    chunks = (chunk for event in _events(start) if isinstance(chunk := read_body(event), dict))
    return _join_chunks(chunks, has_ended=start.rstrip().endswith(_DONE))


def _events(text: str) -> Iterator[str]:
    data: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").strip())
        elif not line and data:
            # Some servers leave out the empty line between two events.
            whole = "\n".join(data)
            yield from data if read_body(whole) is None else [whole]
            data = []


def _join_chunks(chunks: Iterator[dict[str, Any]], has_ended: bool) -> dict[str, Any] | None:
    """The chat completion that the chunks make; one that is whole, or an error, as it is."""
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
    if "tool_calls" in lists:
        lists["tool_calls"] = _join_tool_calls(lists["tool_calls"])
    message = {"role": "assistant", **lists, **{name: "".join(parts) for name, parts in texts.items()}}
    return {**body, "choices": [{**choice, "message": message}]}


def _join_tool_calls(pieces: list[Any]) -> list[dict[str, Any]]:
    """The calls that the pieces make: those of one `index` are one call, with its arguments put together."""
    calls: dict[object, dict[str, Any]] = {}
    arguments: dict[object, list[str]] = {}
    for number, piece in enumerate(piece for piece in pieces if isinstance(piece, dict)):
        key = piece["index"] if type(piece.get("index")) is int else f"piece {number}"
        call = calls.setdefault(key, {"function": {}})
        more = piece.get("function")
        for name, value in more.items() if isinstance(more, dict) else ():
            if name == "arguments" and isinstance(value, str):
                arguments.setdefault(key, []).append(value)
            elif value:
                call["function"][name] = value
        call |= {name: value for name, value in piece.items() if name != "function" and value is not None}
    for key, texts in arguments.items():
        calls[key]["function"]["arguments"] = "".join(texts)
    return list(calls.values())


_QUOTES = ('"', "'", "`")


_SCHEME = re.compile(r"(?:bearer|basic|token)\s*[: ]|authorization\s*:", re.IGNORECASE)


_ASSIGNMENT = re.compile(r"(?:export +)?[A-Z][A-Z0-9_]*=.")


def check_url(base_url: str) -> SplitResult:
    """The base URL in its parts; raise InvalidOption where no request can be sent to it as it is."""
    try:
        return urlsplit(check_base_url(base_url.strip() or "nothing"))
    except ValueError as error:
        raise InvalidOption(f"the base URL (base_url, else OPENAI_BASE_URL): {error}") from None


def strip_url(url: SplitResult) -> str:
    """Remove a trailing slash."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.scheme}://{bracket_host(url.hostname or '')}{port}{url.path.rstrip('/')}"


def bracket_host(host: str) -> str:
    """The host as a URL shows it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def is_loopback(url: SplitResult) -> bool:
    """Whether the URL names this machine."""
    host = url.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_key(key: str, variable: str = "") -> str:
    """The key without spaces around it; raise InvalidOption where no server can know it.

    `variable` is the environment variable that holds it, "" for PERENNIAL_API_KEY or OPENAI_API_KEY.
    """
    key = key.strip()
    fault = _find_fault(key)
    if fault:
        raise InvalidOption(
            f"the key {fault}: set {variable or 'PERENNIAL_API_KEY or OPENAI_API_KEY'} to the key alone, "
            "on one line"
        )
    return key


def _find_fault(key: str) -> str:
    if not key.isascii() or not key.isprintable():
        return "has characters that no request can carry"
    if key[:1] in _QUOTES or key[-1:] in _QUOTES:
        return "has quotes around it, which belong to the shell"
    if _SCHEME.match(key):
        return "begins with the word that each request puts before it"
    if _ASSIGNMENT.match(key):
        return "begins with the name of a variable"
    return "has a space in it" if " " in key else ""


_CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"


@dataclass(frozen=True, slots=True, repr=False)
class RequestExtras:
    """Headers and query of each request to a server.

    `of_environment` are headers that the client adds by itself, but not for a model's own server.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    of_environment: Mapping[str, str] = field(default_factory=dict)
    is_own_server: bool = False

    def hidden(self) -> Iterator[str]:
        """What is never stored or shown: values that are more than words, also without their scheme."""
        for value in (*self.headers.values(), *self.query.values(), *self.of_environment.values()):
            if not value.replace(" ", "").replace("-", "").isalpha():
                yield value
                yield value.rpartition(" ")[2]


def environment_headers(environment: Mapping[str, str]) -> dict[str, str]:
    """The headers that `OPENAI_CUSTOM_HEADERS` adds; raise InvalidOption for a line that is none."""
    lines = filter(str.strip, environment.get(_CUSTOM_HEADERS, "").splitlines())
    parts = [line.partition(":") for line in lines]
    if not all(colon and name.strip() for name, colon, _ in parts):  # not shown: it may be a key
        raise InvalidOption(f"{_CUSTOM_HEADERS}: expected lines such as `Name: value`, one per header")
    return {name.strip(): value.strip() for name, _, value in parts}
