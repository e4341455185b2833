"""The HTTP client of model calls: it reads a body up to a limit, then drops the connection.

The limit holds for the bytes on the wire and for the decoded ones, so that neither an endless body nor one
that a small download decompresses to takes more; a body that decodes to nothing, as what
follows the end of a compressed one does, is dropped sooner. Bodies of more than `_SMALL` bytes are read a
few at a time: what all of them hold together stays near `_LARGE_TOGETHER`, however many calls are in
flight; one that waits for its turn does so within the call's time-out. Headers are bounded by aiohttp.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult

from openai import VERSION, AsyncOpenAI, DefaultAioHttpClient, Omit, Timeout

from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.endpoint import RequestExtras, bracket_host, is_loopback, strip_url

# openai 3 sends by httpx2, openai 2 by httpx: their classes have the same names.
if TYPE_CHECKING or int(VERSION.partition(".")[0]) >= 3:
    import httpx2 as _httpx
else:
    import httpx as _httpx
httpx = _httpx

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
    """A client of the endpoint whose responses are bounded; close it after use."""
    extras = extras or RequestExtras()
    http_client = _BoundedHttpClient(
        policy.max_reply_bytes,
        timeout=Timeout(policy.timeout_s, connect=policy.connect_timeout_s, pool=None),
        limits=httpx.Limits(max_connections=policy.concurrency),
        # A redirect would carry the key to a host that nobody named.
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
        # The policy of `retry_policy` tries again; two layers would multiply the attempts, and hide them.
        max_retries=0,
        http_client=http_client,
        default_headers=cast(dict[str, str], headers | dict(extras.headers)),
        default_query=dict(extras.query),
    )


def why_cut(response: httpx.Response) -> str | None:
    """Why only the beginning of the response's body was kept, None where it is whole."""
    why: str | None = response.extensions.get(_WHY_CUT)
    return why


class _BoundedHttpClient(DefaultAioHttpClient):
    def __init__(self, max_body_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._max_body_bytes = max_body_bytes
        self._large = asyncio.Semaphore(max(1, _LARGE_TOGETHER // max_body_bytes))

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """The response with its body, decoded, or with the beginning of one that is too long.

        A streamed one that is no error is returned before its body is read: `bounded_lines` reads it.
        """
        response = await super().send(request, stream=True, **options)
        if stream and response.is_success:
            return response
        limit = self._max_body_bytes if response.is_success else min(self._max_body_bytes, _ERROR_BODY)
        described = f"{limit / 1e6:g} MB, the limit that max_reply_mb (--max-reply-mb) sets"
        kept: list[bytes] = []
        why_cut = None
        async with AsyncExitStack() as turn:
            # A large body takes its turn among the large ones, and keeps it until it is read.
            amount = _Amount(limit, described, lambda: turn.enter_async_context(self._large))
            try:
                async with aclosing(_read_parts(response, amount)) as parts:
                    async for part in parts:
                        kept.append(part)
            except TooMuch as why:
                why_cut, kept = str(why), [b"".join(kept)[:_SMALL]]
        headers = response.headers.raw
        return httpx.Response(
            response.status_code,
            headers=[pair for pair in headers if pair[0].decode("latin-1").lower() not in _WIRE_HEADERS],
            content=b"".join(kept),
            extensions={_WHY_CUT: why_cut},
            request=request,
        )


class TooMuch(Exception):
    """Why no more of a body is read."""


class _Amount:
    """How much of a body was read; raises TooMuch beyond `limit`, which `described` tells.

    `wait_for_turn` is awaited once the body proves to be large.
    """

    def __init__(
        self, limit: int, described: str, wait_for_turn: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._limit = limit
        self._described = described
        self._wait_for_turn = wait_for_turn
        self._received = self._decoded = self._idle = 0

    async def receive(self, count: int) -> None:
        """Count bytes of the wire."""
        self._received += count
        self._idle += count
        # What decodes to nothing would be read without end.
        if self._idle > _SMALL:
            raise TooMuch("has 1 MB that decodes to nothing")
        # The bytes of the wire too: of a body that decodes to little they are what takes memory and time.
        await self._check(self._received)

    async def decode(self, count: int) -> None:
        self._decoded += count
        self._idle = 0 if count else self._idle
        await self._check(self._decoded)

    async def _check(self, size: int) -> None:
        if size > self._limit:
            raise TooMuch(f"is longer than {self._described}")
        if size > _SMALL and self._wait_for_turn is not None:
            wait, self._wait_for_turn = self._wait_for_turn, None
            await wait()


async def _read_parts(response: httpx.Response, amount: _Amount) -> AsyncGenerator[bytes, None]:
    """The body's parts, decoded and counted; leaving the loop closes the connection."""
    response.stream = _CountedStream(cast(httpx.AsyncByteStream, response.stream), amount.receive)
    async with aclosing(response.aiter_bytes()) as parts:
        async for part in parts:
            yield part
            await amount.decode(len(part))


class _CountedStream(httpx.AsyncByteStream):
    """The stream of a response; `receive` gets the number of bytes of each part."""

    def __init__(self, stream: httpx.AsyncByteStream, receive: Callable[[int], Awaitable[None]]) -> None:
        self._stream = stream
        self._receive = receive

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            await self._receive(len(part))
            yield part

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


async def read_bounded_lines(
    response: httpx.Response, max_line_bytes: int, most_in_all: int
) -> AsyncIterator[tuple[bytes, bool]]:
    """The lines of a streamed body, decoded and without their ends, however long the body is.

    Of a line of more than `max_line_bytes` bytes the beginning is yielded, with True. Raises TooMuch after
    `most_in_all` bytes, of the wire or decoded, and after 1 MB that decodes to nothing.
    """
    line = _Line(max_line_bytes)
    async with aclosing(_read_parts(response, _Amount(most_in_all, f"{most_in_all / 1e6:,.0f} MB"))) as parts:
        async for part in parts:
            *ends, rest = part.split(b"\n")
            for end in ends:
                line.add(end)
                yield line.take()
            line.add(rest)
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
        """Take the line, and whether it is only a beginning; the next line begins."""
        taken = bytes(self.kept), self._is_cut
        self.kept, self._is_cut = bytearray(), False
        return taken
