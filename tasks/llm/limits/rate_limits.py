"""Keep below an endpoint's limits: requests per minute and tokens per minute."""

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Any

from perennial.schemas.model_calls.calls import ModelRequest, Reply

_SECONDS = 60.0
# What may go at once, as a part of a minute's allowance; the rest flows evenly.
_BURST = 10
_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4
# No tokenizer makes longer tokens of a whole text, of Latin letters or of Chinese signs.
_MOST_LETTERS_PER_TOKEN, _MOST_SIGNS_PER_TOKEN = 6, 3


class RateLimit:
    """At most `per_minute` units in any minute, handed out in the order of asking.

    A tenth of them may go at once; the flow is slower by as much, so that burst and flow together
    stay within the limit. An amount larger than the burst is taken in pieces: it waits, it never hangs.
    """

    def __init__(self, per_minute: int) -> None:
        from aiolimiter import AsyncLimiter

        self._per_minute = per_minute
        self._burst = max(1, per_minute // _BURST)
        flow_per_second = (per_minute - self._burst + 1) / _SECONDS
        self._bucket = AsyncLimiter(self._burst, self._burst / flow_per_second)
        # aiolimiter serves small amounts first, which would starve the large ones.
        self._turn = asyncio.Lock()
        self._owed = 0

    async def take(self, amount: int = 1) -> None:
        """Return once `amount` units, and those owed, may be used."""
        async with self._turn:
            amount, self._owed = amount + self._owed, 0
            while amount > 0:
                piece = min(amount, self._burst)
                await self._bucket.acquire(piece)
                amount -= piece

    def owe(self, amount: int) -> None:
        """Have the next caller also wait for these units, which were used without being taken.

        At most a minute's allowance is owed in all, as an endpoint's own limit looks back no further: so
        nobody waits more than about a minute for what a reply says.
        """
        self._owed = min(self._owed + max(0, amount), self._per_minute)


class RateLimits:
    """The limits of one endpoint; None: no limit.

    An attempt takes its prompt tokens, as `count` counts them, and `max_tokens` beforehand. What
    the reply used beyond that is owed; what it left is not given back, as endpoints count the promise.
    """

    def __init__(
        self,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
        count: Callable[[ModelRequest], int] | None = None,
    ) -> None:
        self._count = count or estimate_prompt
        self._requests = None if requests_per_minute is None else RateLimit(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else RateLimit(tokens_per_minute)

    async def take(self, request: ModelRequest) -> None:
        """Return once an attempt of the request may start."""
        if self._requests is not None:
            await self._requests.take()
        if self._tokens is not None:
            await self._tokens.take(self._expect_tokens(request))

    def correct(self, request: ModelRequest, reply: Reply) -> None:
        """Count the tokens that a reply used beyond the estimate."""
        if self._tokens is not None and reply.tokens is not None:
            self._tokens.owe(reply.tokens - self._expect_tokens(request))

    def _expect_tokens(self, request: ModelRequest) -> int:
        return self._count(request) + (completion_bound(request.params) or 0)


def prompt_texts(request: ModelRequest) -> list[str]:
    """Return the request's text: its messages, and a schema that it passes on."""
    schema = request.params.get("response_format")
    return [message.get("content", "") for message in request.messages] + [str(schema)] * (schema is not None)


def prompt_bytes(request: ModelRequest) -> int:
    """Return the UTF-8 bytes of the request's text."""
    return sum(map(utf8_length, prompt_texts(request)))


def estimate_prompt(request: ModelRequest) -> int:
    """Return an estimate of the prompt's tokens, at 4 bytes per token."""
    return prompt_tokens_at_most(request, _BYTES_PER_TOKEN)


def prompt_tokens_at_most(request: ModelRequest, bytes_per_token: int) -> int:
    """Return an estimate of the prompt's tokens at so many bytes per token, rounded up."""
    return math.ceil(prompt_bytes(request) / bytes_per_token) + _TOKENS_PER_MESSAGE * len(request.messages)


def prompt_tokens_at_least(request: ModelRequest) -> int:
    """Return the fewest tokens that the messages can have: prose has 4.5 letters or 2 signs per token."""
    texts = [message.get("content", "") for message in request.messages]
    letters = sum(len(text.encode("ascii", "ignore")) for text in texts)
    signs = sum(map(len, texts)) - letters
    return letters // _MOST_LETTERS_PER_TOKEN + signs // _MOST_SIGNS_PER_TOKEN


def completion_bound(params: Mapping[str, Any]) -> int | None:
    """Return the most tokens that a reply may have by its parameters, None where they set no bound."""
    bounds = (params.get("max_tokens"), params.get("max_completion_tokens"))
    return next((bound for bound in bounds if type(bound) is int and bound > 0), None)


def utf8_length(text: str) -> int:
    """Return how many bytes the text has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
