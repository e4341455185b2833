"""What keeps calls within limits."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import InvalidOption, LimitReached, add_extra, count, in_one_line
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Price, Reply, Spent
from perennial.tasks.llm.retry_policy import HttpResult

if TYPE_CHECKING:
    from perennial.schemas.settings.model_entry import CallPolicy

# Keep below an endpoint's limits: requests per minute and tokens per minute.

_SECONDS = 60.0
# What may go at once, as a part of a minute's allowance; the rest flows evenly.
_BURST = 10
_BYTES_PER_TOKEN_RATE_LIMITS = 4
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
        # Any minute holds a whole burst and a minute's flow, which together may be `per_minute`.
        flow_per_second = (per_minute - self._burst + 1) / _SECONDS
        self._bucket = AsyncLimiter(self._burst, self._burst / flow_per_second)
        # aiolimiter serves small amounts first, which would starve the large ones.
        self._turn = asyncio.Lock()
        self._owed = 0

    async def take(self, amount: int = 1) -> None:
        """Wait until `amount` units, and those owed, may be used."""
        async with self._turn:
            # Whoever asks next pays what is owed: an endpoint counts it against the account, not a call.
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
        """Wait until an attempt of the request may start."""
        if self._requests is not None:
            await self._requests.take()
        if self._tokens is not None:
            await self._tokens.take(self._expect_tokens(request))

    def correct(self, request: ModelRequest, reply: Reply) -> None:
        """Count the tokens that a reply used beyond the estimate."""
        if self._tokens is not None and reply.tokens is not None:
            self._tokens.owe(reply.tokens - self._expect_tokens(request))

    def _expect_tokens(self, request: ModelRequest) -> int:
        # With `max_tokens`, not a guess of the reply: endpoints count the promise when they admit a request.
        return self._count(request) + (completion_bound(request.params) or 0)


def prompt_texts(request: ModelRequest) -> list[str]:
    """The request's text: its messages with what they call, and the schema and tools that it passes on."""
    passed = [request.params.get(name) for name in ("response_format", "tools")]
    passed += [message.get("tool_calls") for message in request.messages]
    texts = [message.get("content", "") for message in request.messages]
    return texts + [str(value) for value in passed if value is not None]


def prompt_bytes(request: ModelRequest) -> int:
    """The UTF-8 bytes of the request's text."""
    return sum(map(utf8_length, prompt_texts(request)))


def estimate_prompt(request: ModelRequest) -> int:
    """An estimate of the prompt's tokens, at 4 bytes per token."""
    return prompt_tokens_at_most(request, _BYTES_PER_TOKEN_RATE_LIMITS)


def prompt_tokens_at_most(request: ModelRequest, bytes_per_token: int) -> int:
    """An estimate of the prompt's tokens at so many bytes per token, rounded up."""
    return math.ceil(prompt_bytes(request) / bytes_per_token) + _TOKENS_PER_MESSAGE * len(request.messages)


def prompt_tokens_at_least(request: ModelRequest) -> int:
    """The fewest tokens that the messages can have: prose has 4.5 letters or 2 signs per token."""
    texts = [message.get("content", "") for message in request.messages]
    letters = sum(len(text.encode("ascii", "ignore")) for text in texts)
    signs = sum(map(len, texts)) - letters
    return letters // _MOST_LETTERS_PER_TOKEN + signs // _MOST_SIGNS_PER_TOKEN


def completion_bound(params: Mapping[str, Any]) -> int | None:
    """The most tokens that a reply may have by its parameters, None where they set no bound."""
    bounds = (params.get("max_tokens"), params.get("max_completion_tokens"))
    return next((bound for bound in bounds if type(bound) is int and bound > 0), None)


def utf8_length(text: str) -> int:
    """How many bytes the text has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


# Stop before a limit of requests or cost is passed, however many are in flight.
#
# What counts is what a server may bill: every attempt that was sent, whatever came back. Its cost is by the
# usage that the reply reports; without that it is estimated: by the prompt alone where the server refused the
# request (HTTP 3xx or 4xx), else by the greatest cost that it can have.

# Few tokenisers make more than one token of three bytes of prose: an upper bound for practical use.
_BYTES_PER_TOKEN = 3
_EPSILON = 1e-9


def check_budget(policy: "CallPolicy", models: Iterable[ModelChoice], prices: Mapping[str, Price]) -> None:
    """Raise InvalidOption where `max_cost` cannot be kept: a model has no price or no `max_tokens`."""
    if policy.max_cost is None:
        return
    for choice in models:
        _require_price(choice.model, prices)
        _require_bound(choice.model, choice.params)


def cost_at_most(request: ModelRequest, prices: Mapping[str, Price]) -> float:
    """An upper bound of the call's cost in US dollars; raise InvalidOption where there is none.

    Prompt tokens are estimated at 3 bytes each, completion tokens are `max_tokens`. A server that counts
    more tokens than that can pass the bound.
    """
    price = _for_prompt_of(request, _require_price(request.model, prices))
    bound = _require_bound(request.model, request.params)
    return _prompt_cost(request, price) + bound * (price.completion or 0.0) / 1e6


def estimate_cost(
    request: ModelRequest, price: Price | None, received: HttpResult | None = None
) -> float | None:
    """What an attempt counts for where no usage is reported, None where that has no bound.

    `received` is None as long as nothing came back.
    """
    if price is None or price.prompt is None or price.completion is None:
        return None
    price = _for_prompt_of(request, price)
    status = None if received is None else received.http_status
    if status is not None and 300 <= status <= 499:
        return _prompt_cost(request, price)
    bound = completion_bound(request.params)
    return None if bound is None else _prompt_cost(request, price) + bound * (price.completion or 0.0) / 1e6


def _for_prompt_of(request: ModelRequest, price: Price) -> Price:
    return price.for_prompt(prompt_tokens_at_most(request, _BYTES_PER_TOKEN))


def _prompt_cost(request: ModelRequest, price: Price) -> float:
    # An upper bound: whether the prompt is cached is known only afterwards.
    prompt_price = max(price.prompt or 0.0, price.cached or 0.0)
    return prompt_tokens_at_most(request, _BYTES_PER_TOKEN) * prompt_price / 1e6


def _require_price(model: str, prices: Mapping[str, Price]) -> Price:
    price = prices.get(model)
    if price is None or price.prompt is None or price.completion is None:
        raise InvalidOption(
            f"--max-cost cannot be kept for model {model!r}: models.toml, prices.csv in the data root and "
            "the list of known services have no price of it: add its price, or limit calls with --max-calls"
        )
    return price


def _require_bound(model: str, params: Mapping[str, Any]) -> int:
    bound = completion_bound(params)
    if bound is None:
        raise InvalidOption(
            f"--max-cost cannot be kept for model {model!r}: its replies have no greatest length: "
            "set --max-tokens (for authors --author-max-tokens), or limit calls with --max-calls"
        )
    return bound


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """One attempt of a model and its estimate, held back until it is settled; None: it has no bound."""

    model: str
    estimate_usd: float | None = None


class Budget:
    """What may still be spent. Every attempt is reserved before it is sent and settled when it has ended.

    Settled and reserved attempts together never pass a limit. One that does not fit waits while others in
    flight may still leave room (they are not sent, or cost less than their bound), in the order of asking.
    Some servers bill reasoning that `max_tokens` does not limit: so under a limit of cost the first attempt
    of a model is sent alone, and where one cost more than its estimate, as much more is held back for the
    next.
    """

    def __init__(self, policy: "CallPolicy", prices: Mapping[str, Price], spent: Spent) -> None:
        self._max_requests = policy.max_calls
        self._max_cost = policy.max_cost
        self._prices = prices
        self._requests = spent.requests
        self._cost_usd = spent.cost_usd
        self._unpriced = spent.unpriced
        self._estimated = spent.estimated
        self._held: dict[Reservation, float] = {}
        self._held_cost = 0.0
        self._queue: deque[tuple[Reservation, asyncio.Future[None]]] = deque()
        # By model, once an attempt has ended: the most that one cost, as a part of its estimate, or 1.
        self._overruns: dict[str, float] = {}
        self._asked_first: set[str] = set()

    async def reserve(self, request: ModelRequest, in_batch: bool = False) -> Reservation:
        """A reservation for one attempt of the call; in a batch of a server none goes first.

        Raises LimitReached where what is settled leaves no room for it, InvalidOption where its cost has
        no bound but is limited.
        """
        is_limited = self._max_cost is not None
        price = self._prices.get(request.model)
        estimate = cost_at_most(request, self._prices) if is_limited else estimate_cost(request, price)
        wanted = Reservation(request.model, estimate)
        if in_batch:
            self._overruns.setdefault(request.model, 1.0)
        self._raise_if_never(wanted)
        # Not past those who wait: a small call would let a dear one starve.
        if not self._queue and self._fits(wanted):
            self._hold(wanted)
            return wanted
        granted = asyncio.get_running_loop().create_future()
        self._queue.append((wanted, granted))
        try:
            await granted
        except asyncio.CancelledError:
            # Granted and cancelled in the same turn of the loop: what was held would stay held for good.
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.cancel(wanted)
            else:
                self._serve()
            raise
        return wanted

    def cancel(self, reservation: Reservation) -> None:
        """Give the reservation back: nothing was sent."""
        self._release(reservation)
        self._serve()

    def settle(self, reservation: Reservation, cost_usd: float | None, estimate_usd: float | None) -> None:
        """Count an attempt that was sent: with its cost, or else with the estimate; None: not known."""
        self._release(reservation)
        # Never below 1: a cheap reply does not show that the next one cannot use its whole bound.
        overrun = cost_usd / reservation.estimate_usd if cost_usd and reservation.estimate_usd else 1.0
        self._overruns[reservation.model] = max(overrun, self._overruns.get(reservation.model, 1.0))
        self._requests += 1
        self._add_cost(cost_usd, estimate_usd, 1)
        self._serve()

    def correct(self, before: float | None, cost_usd: float | None, estimate_usd: float | None) -> None:
        """Replace the estimate of an attempt that was counted `before` it ended."""
        self._add_cost(None, None if before is None else -before, -1)
        self._add_cost(cost_usd, estimate_usd, 1)
        self._serve()

    def _add_cost(self, cost_usd: float | None, estimate_usd: float | None, requests: int) -> None:
        if cost_usd is not None:
            self._cost_usd += cost_usd
        elif estimate_usd is not None:
            self._cost_usd += estimate_usd
            self._estimated += requests
        else:
            self._unpriced += requests

    def _release(self, reservation: Reservation) -> None:
        held_usd = self._held.pop(reservation)
        # Zero when nothing is held: rounding of many sums would otherwise add up.
        self._held_cost = self._held_cost - held_usd if self._held else 0.0
        self._asked_first.discard(reservation.model)

    def _cost_at_most(self, reservation: Reservation) -> float:
        return (reservation.estimate_usd or 0.0) * self._overruns.get(reservation.model, 1.0)

    def _hold(self, reservation: Reservation) -> None:
        self._held[reservation] = self._cost_at_most(reservation)
        self._held_cost += self._held[reservation]
        if reservation.model not in self._overruns:
            self._asked_first.add(reservation.model)

    def _serve(self) -> None:
        """Grant or refuse the calls at the head of the queue, as far as it is decided."""
        while self._queue:
            wanted, granted = self._queue[0]
            if not granted.done():
                try:
                    self._raise_if_never(wanted)
                except LimitReached as error:
                    granted.set_exception(error)
                else:
                    if not self._fits(wanted):
                        return
                    self._hold(wanted)
                    granted.set_result(None)
            self._queue.popleft()

    def _fits(self, wanted: Reservation) -> bool:
        # Those in flight count as sent: all of them may be.
        if self._max_requests is not None and self._requests + len(self._held) + 1 > self._max_requests:
            return False
        if self._max_cost is None:
            return True
        total = self._cost_usd + self._held_cost + self._cost_at_most(wanted)
        return wanted.model not in self._asked_first and total <= self._max_cost + _EPSILON

    def _raise_if_never(self, wanted: Reservation) -> None:
        """Raise LimitReached where the attempt would pass a limit even if nothing else were in flight."""
        if self._max_requests is not None and self._requests + 1 > self._max_requests:
            raise LimitReached(
                f"the limit of {self._max_requests} calls is reached: {self._describe_spending()}; "
                "the same command with a higher --max-calls resumes from here; nothing is lost"
            )
        cost_usd = self._cost_at_most(wanted)
        if self._max_cost is not None and self._cost_usd + cost_usd > self._max_cost + _EPSILON:
            raise LimitReached(
                f"the next request may cost ${cost_usd:.6f}, which would pass the limit of "
                f"${self._max_cost:.6f}: {self._describe_spending()}; "
                "the same command with a higher --max-cost resumes from here; nothing is lost"
            )

    def _describe_spending(self) -> str:
        return describe_spending(Spent(self._requests, self._cost_usd, self._unpriced, self._estimated))


def describe_spending(spent: Spent) -> str:
    """In words what was sent and what it cost, and how far that is an estimate."""
    sent = f"{count(spent.requests, 'request')} sent"
    if spent.requests and spent.unpriced == spent.requests:
        return f"{sent}, cost unknown"
    notes = [f"estimated for {spent.estimated:,} without reported usage"] * (spent.estimated > 0)
    notes += [f"{spent.unpriced:,} at an unknown cost"] * (spent.unpriced > 0)
    return f"{sent} for ${spent.cost_usd:.6f}" + (f" ({', '.join(notes)})" if notes else "")


# Count a prompt's tokens: by the model's own tokeniser where its entry names one, else at 4 bytes each.

CountTokens = Callable[[ModelRequest], int]


def token_counter(tokenizer: str) -> CountTokens:
    """What counts the tokens of a request's prompt, by a file tokenizer.json, or estimates them ("").

    Raises InvalidOption where the file, or the package that reads it, is not there.
    """
    return partial(_count, _load(tokenizer)) if tokenizer else estimate_prompt


def text_counter(tokenizer: str) -> Callable[[str], int]:
    """What counts the tokens of a text by a file tokenizer.json; raises as `token_counter` does."""
    loaded = _load(tokenizer)
    return lambda text: len(loaded.encode(text, add_special_tokens=False))


def _count(tokenizer: Any, request: ModelRequest) -> int:
    texts = prompt_texts(request)
    coded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return sum(map(len, coded)) + _TOKENS_PER_MESSAGE * len(request.messages)


@lru_cache(maxsize=8)
def _load(path: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise InvalidOption(
            f"tokenizer {path!r} needs the package tokenizers: "
            f"{add_extra('tokenizers')}, or leave the key out"
        ) from None
    try:
        return Tokenizer.from_file(path)
    except Exception as error:  # noqa: BLE001  it raises Exception itself, for whatever is wrong
        raise InvalidOption(
            f"tokenizer {path!r}: expected a file tokenizer.json ({in_one_line(error)})"
        ) from None
