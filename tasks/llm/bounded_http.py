"""The HTTP client of model calls: it reads a body up to a limit, then drops the connection.

The limit holds for the bytes on the wire and for the decoded ones, so that neither an endless body nor one
that a small download decompresses to takes more; a body that decodes to nothing, as what
follows the end of a compressed one does, is dropped sooner. Bodies of more than `_SMALL` bytes are read a
few at a time: what all of them hold together stays near `_LARGE_TOGETHER`, however many calls are in
flight; one that waits for its turn does so within the call's time-out. Headers are bounded by aiohttp.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit

import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient, Omit

from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import CallPolicy, find_misplaced_path

# Read the JSON of a body that may be made to exhaust its reader, or that streams unasked.


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


# The base URL and the key of an endpoint: checked before use, and the URL as it may be shown.


_QUOTES = ('"', "'", "`")
_SCHEME = re.compile(r"(?:bearer|basic|token)\s*[: ]|authorization\s*:", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"(?:export +)?[A-Z][A-Z0-9_]*=.")


def check_url(base_url: str) -> SplitResult:
    """Return the base URL in its parts; raise InvalidOption where no request can be sent to it as it is."""
    try:
        url = urlsplit(base_url.strip())
        valid = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise InvalidOption(
            "the base URL (base_url, else OPENAI_BASE_URL) is not one that can be asked: "
            "give it as http://host:port/v1 or https://host/v1"
        )
    if url.username or url.password or url.query:
        raise InvalidOption(
            "the base URL (base_url, else OPENAI_BASE_URL) holds a user, a password or a query, "
            "which would be shown and stored: "
            "give it without, and set PERENNIAL_API_KEY or OPENAI_API_KEY"
        )
    misplaced = find_misplaced_path(url.path)
    if misplaced:
        raise InvalidOption(
            f"the base URL (base_url, else OPENAI_BASE_URL) ends in {misplaced}, which each request adds: "
            "give it without, such as http://host:port/v1"
        )
    return url


def strip_url(url: SplitResult) -> str:
    """Return the URL without a trailing slash."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.scheme}://{bracket_host(url.hostname or '')}{port}{url.path.rstrip('/')}"


def bracket_host(host: str) -> str:
    """Return the host as a URL shows it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def is_loopback(url: SplitResult) -> bool:
    """Whether the URL names this machine."""
    host = url.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_key(key: str, variable: str = "") -> str:
    """Return the key without spaces around it; raise InvalidOption where no server can know it.

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


# What requests carry beside their body and the key: those of models.toml and of the environment.
#
# The protocol's client adds the headers of `OPENAI_CUSTOM_HEADERS` by itself, one `Name: value` a line.


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
        """Yield what is never stored or shown: values that are more than words, also without their scheme."""
        for value in (*self.headers.values(), *self.query.values(), *self.of_environment.values()):
            if not value.replace(" ", "").replace("-", "").isalpha():
                yield value
                yield value.rpartition(" ")[2]


def environment_headers(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that `OPENAI_CUSTOM_HEADERS` adds, read as the protocol's client reads them."""
    lines = environment.get(_CUSTOM_HEADERS, "").split("\n")
    parts = (line.partition(":") for line in lines if ":" in line)
    return {name.strip(): value.strip() for name, _, value in parts}


_SMALL = 1_000_000
_LARGE_TOGETHER = 128_000_000
# The body of an error is read for its message alone.
_ERROR_BODY = 1_000_000
_WHY_CUT = "perennial_why_cut"
# They describe the body on the wire, and not what was decoded of it.
_WIRE_HEADERS = ("content-encoding", "content-length", "transfer-encoding")
# Local servers need no key, the protocol's client does.
_NO_KEY = "none"


def open_client(
    policy: CallPolicy, url: SplitResult, key: str, extras: RequestExtras | None = None
) -> AsyncOpenAI:
    """Return a client of the endpoint whose responses are bounded; close it after use."""
    extras = extras or RequestExtras()
    http_client = _BoundedHttpClient(
        policy.max_reply_bytes,
        timeout=httpx2.Timeout(policy.timeout_s, connect=policy.connect_timeout_s, pool=None),
        limits=httpx2.Limits(max_connections=policy.concurrency),
        follow_redirects=False,
        # A proxy of the environment cannot reach this machine's own servers.
        mounts={f"all://{bracket_host(url.hostname or '')}": None} if is_loopback(url) else None,
    )
    headers: dict[str, str | Omit] = {}
    if extras.is_own_server:
        # The client would add the environment's headers, which belong to another server.
        headers = {name: Omit() for name in extras.of_environment if name.lower() != "authorization"}
        headers["Authorization"] = f"Bearer {key or _NO_KEY}"
    return AsyncOpenAI(
        api_key=key or _NO_KEY,
        base_url=strip_url(url),
        max_retries=0,
        http_client=http_client,
        default_headers=cast(dict[str, str], headers | dict(extras.headers)),
        default_query=dict(extras.query),
    )


def why_cut(response: httpx2.Response) -> str | None:
    """Return why only the beginning of the response's body was kept, None where it is whole."""
    why: str | None = response.extensions.get(_WHY_CUT)
    return why


class _BoundedHttpClient(DefaultAioHttpClient):
    def __init__(self, max_body_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._max_body_bytes = max_body_bytes
        self._large = asyncio.Semaphore(max(1, _LARGE_TOGETHER // max_body_bytes))

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Return the response with its body, decoded, or with the beginning of one that is too long.

        A streamed one that is no error is returned before its body is read: `bounded_lines` reads it.
        """
        response = await super().send(request, stream=True, **options)
        if stream and response.is_success:
            return response
        limit = self._max_body_bytes if response.is_success else min(self._max_body_bytes, _ERROR_BODY)
        async with AsyncExitStack() as turn:
            body = _Body(limit, self._large, turn)
            content = await body.read(response)
        return httpx2.Response(
            response.status_code,
            headers=[(name, value) for name, value in response.headers.raw if _is_kept(name)],
            content=content,
            extensions={_WHY_CUT: body.why_cut},
            request=request,
        )


def _is_kept(header: bytes) -> bool:
    return header.decode("latin-1").lower() not in _WIRE_HEADERS


class _TooMuch(Exception):
    """Why no more of a body is read."""


class _Body:
    """A body as it is read; a large one takes its turn among the large ones and keeps it in `turn`."""

    def __init__(self, limit: int, large: asyncio.Semaphore, turn: AsyncExitStack) -> None:
        self.why_cut: str | None = None
        self._limit = limit
        self._large = large
        self._turn = turn
        self._is_large = False
        self._received = 0
        self._decoded = 0
        self._idle = 0

    async def read(self, response: httpx2.Response) -> bytes:
        """Return the decoded body and close the response; of a body that is too long, the beginning."""
        response.stream = CountedStream(cast(httpx2.AsyncByteStream, response.stream), self.receive)
        kept: list[bytes] = []
        try:
            # Leaving the loop closes the connection; what is still to come is not waited for.
            async with aclosing(response.aiter_bytes()) as parts:
                async for part in parts:
                    self._decoded += len(part)
                    self._idle = 0 if part else self._idle
                    await self._check(self._decoded)
                    kept.append(part)
        except _TooMuch as why:
            self.why_cut = str(why)
            return b"".join(kept)[:_SMALL]
        return b"".join(kept)

    async def receive(self, count: int) -> None:
        """Count bytes of the wire."""
        self._received += count
        self._idle += count
        if self._idle > _SMALL:
            raise _TooMuch("has 1 MB that decodes to nothing")
        await self._check(self._received)

    async def _check(self, size: int) -> None:
        if size > self._limit:
            megabytes = f"{self._limit / 1e6:g} MB"
            raise _TooMuch(f"is longer than {megabytes}, the limit that max_reply_mb (--max-reply-mb) sets")
        if size > _SMALL and not self._is_large:
            await self._large.acquire()
            self._is_large = True
            self._turn.callback(self._large.release)


class CountedStream(httpx2.AsyncByteStream):
    """The stream of a response; `receive` gets the number of bytes of each part."""

    def __init__(self, stream: httpx2.AsyncByteStream, receive: Callable[[int], Awaitable[None]]) -> None:
        self._stream = stream
        self._receive = receive

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            await self._receive(len(part))
            yield part

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


# Read a body line by line, however long it is, keeping no more of it than one line of a bounded length.


# As for a whole body: what decodes to nothing would be read without end.
_MOST_IDLE = 1_000_000


class TooMuch(Exception):
    """Why no more of a body is read."""


async def read_bounded_lines(
    response: httpx2.Response, max_line_bytes: int, most_in_all: int
) -> AsyncIterator[tuple[bytes, bool]]:
    """Yield the lines of a streamed body, decoded and without their ends.

    Of a line of more than `max_line_bytes` bytes the beginning is yielded, with True. Raises TooMuch after
    `most_in_all` bytes, of the wire or decoded, and after 1 MB that decodes to nothing.
    """
    amount = _Amount(most_in_all)
    response.stream = CountedStream(cast(httpx2.AsyncByteStream, response.stream), amount.receive)
    line = _Line(max_line_bytes)
    async with aclosing(response.aiter_bytes()) as parts:
        async for part in parts:
            *ends, rest = part.split(b"\n")
            for end in ends:
                line.add(end)
                yield line.take()
            line.add(rest)
            amount.decode(len(part))
    if line.kept:
        yield line.take()


class _Line:
    """The line that is being read."""

    def __init__(self, most: int) -> None:
        self.kept = bytearray()
        self._most = most
        self._is_cut = False

    def add(self, part: bytes) -> None:
        room = self._most - len(self.kept)
        self.kept += part[:room]
        self._is_cut = self._is_cut or len(part) > room

    def take(self) -> tuple[bytes, bool]:
        """Return it, and whether that is only its beginning; the next line begins."""
        taken = bytes(self.kept), self._is_cut
        self.kept, self._is_cut = bytearray(), False
        return taken


class _Amount:
    """How much was read of a body."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._received = self._decoded = self._idle = 0

    async def receive(self, count: int) -> None:
        """Count bytes of the wire."""
        self._received += count
        self._idle += count
        if self._idle > _MOST_IDLE:
            raise TooMuch("has 1 MB that decodes to nothing")
        self._check(self._received)

    def decode(self, count: int) -> None:
        """Count decoded bytes."""
        self._decoded += count
        self._idle = 0 if count else self._idle
        self._check(self._decoded)

    def _check(self, size: int) -> None:
        if size > self._most:
            raise TooMuch(f"is longer than {self._most / 1e6:,.0f} MB")
