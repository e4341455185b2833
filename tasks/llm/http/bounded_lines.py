"""Read a body line by line, however long it is, keeping no more of it than one line of a bounded length."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import cast

import httpx2

from perennial.tasks.llm.http.bounded_http import CountedStream

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
