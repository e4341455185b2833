"""Stop before a limit of requests or cost is passed, however many are in flight.

What counts is what a server may bill: every attempt that was sent, whatever came back. Its cost is by the
usage that the reply reports; without that it is estimated: by the prompt alone where the server refused the
request (HTTP 3xx or 4xx), else by the greatest cost that it can have.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from perennial.schemas.errors import InvalidOption, LimitReached, count
from perennial.schemas.model_calls.calls import CallPolicy, ModelChoice, ModelRequest, Spent
from perennial.schemas.model_calls.price import Price
from perennial.tasks.llm.limits.rate_limits import completion_bound, prompt_tokens_at_most
from perennial.tasks.llm.retry_policy import Received

# Few tokenisers make more than one token of three bytes of prose: an upper bound for practical use.
_BYTES_PER_TOKEN = 3
_EPSILON = 1e-9


def check_budget(policy: CallPolicy, models: Iterable[ModelChoice], prices: Mapping[str, Price]) -> None:
    """Raise InvalidOption where `max_cost` cannot be kept: a model has no price or no `max_tokens`."""
    if policy.max_cost is None:
        return
    for choice in models:
        _require_price(choice.model, prices)
        _require_bound(choice.model, choice.params)


def cost_at_most(request: ModelRequest, prices: Mapping[str, Price]) -> float:
    """Return an upper bound of the call's cost in US dollars; raise InvalidOption where there is none.

    Prompt tokens are estimated at 3 bytes each, completion tokens are `max_tokens`. A server that counts
    more tokens than that can pass the bound.
    """
    price = _require_price(request.model, prices)
    bound = _require_bound(request.model, request.params)
    return _prompt_cost(request, price) + bound * (price.completion or 0.0) / 1e6


def estimate_cost(
    request: ModelRequest, price: Price | None, received: Received | None = None
) -> float | None:
    """Return what an attempt counts for where no usage is reported, None where that has no bound.

    `received` is None as long as nothing came back.
    """
    if price is None or price.prompt is None or price.completion is None:
        return None
    status = None if received is None else received.http_status
    if status is not None and 300 <= status <= 499:
        return _prompt_cost(request, price)
    bound = completion_bound(request.params)
    return None if bound is None else _prompt_cost(request, price) + bound * price.completion / 1e6


def _prompt_cost(request: ModelRequest, price: Price) -> float:
    prompt_price = max(price.prompt or 0.0, price.cached or 0.0)
    return prompt_tokens_at_most(request, _BYTES_PER_TOKEN) * prompt_price / 1e6


def _require_price(model: str, prices: Mapping[str, Price]) -> Price:
    price = prices.get(model)
    if price is None or price.prompt is None or price.completion is None:
        raise InvalidOption(
            f"--max-cost cannot be kept for model {model!r}: prices.csv in the data root has none for it: "
            "add its price, or limit the number of calls with --max-calls"
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

    def __init__(self, policy: CallPolicy, prices: Mapping[str, Price], spent: Spent) -> None:
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
        """Return a reservation for one attempt of the call; in a batch of a server none goes first.

        Raises LimitReached where what is settled leaves no room for it, InvalidOption where its cost has
        no bound but is limited.
        """
        wanted = self._reservation(request)
        if in_batch:
            self._overruns.setdefault(request.model, 1.0)
        self._raise_if_never(wanted)
        if not self._queue and self._fits(wanted):
            self._hold(wanted)
            return wanted
        granted = asyncio.get_running_loop().create_future()
        self._queue.append((wanted, granted))
        try:
            await granted
        except asyncio.CancelledError:
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
        self._held_cost = self._held_cost - held_usd if self._held else 0.0
        self._asked_first.discard(reservation.model)

    def _reservation(self, request: ModelRequest) -> Reservation:
        if self._max_cost is not None:
            return Reservation(request.model, cost_at_most(request, self._prices))
        return Reservation(request.model, estimate_cost(request, self._prices.get(request.model)))

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
    """Return in words what was sent and what it cost, and how far that is an estimate."""
    sent = f"{count(spent.requests, 'request')} sent"
    if spent.requests and spent.unpriced == spent.requests:
        return f"{sent}, cost unknown"
    notes = [f"estimated for {spent.estimated:,} without reported usage"] * (spent.estimated > 0)
    notes += [f"{spent.unpriced:,} at an unknown cost"] * (spent.unpriced > 0)
    return f"{sent} for ${spent.cost_usd:.6f}" + (f" ({', '.join(notes)})" if notes else "")
