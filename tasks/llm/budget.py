"""Stop before a limit of calls or cost is passed, however many calls are in flight."""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.calls import CallPolicy, ModelChoice, ModelRequest, Price, Reply, Spent
from schemas.errors import InvalidOption, LimitReached
from tasks.llm.rate_limits import completion_bound, prompt_tokens_at_most

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
    prompt_price = max(price.prompt or 0.0, price.cached or 0.0)
    tokens = prompt_tokens_at_most(request, _BYTES_PER_TOKEN)
    return (tokens * prompt_price + bound * (price.completion or 0.0)) / 1e6


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


@dataclass(frozen=True, slots=True)
class Reservation:
    """One call and the most that it can cost, held back until it is settled."""

    cost_usd: float = 0.0


class Budget:
    """What may still be spent. Every call is reserved before it starts and settled when it has ended.

    Settled and reserved calls together never pass a limit. A call that does not fit waits while calls in
    flight may still leave room (they fail, or cost less than their bound), in the order of asking.
    """

    def __init__(self, policy: CallPolicy, prices: Mapping[str, Price], spent: Spent) -> None:
        self._max_calls = policy.max_calls
        self._max_cost = policy.max_cost
        self._prices = prices
        self._calls = spent.calls
        self._cost_usd = spent.cost_usd
        self._unpriced = spent.unpriced
        self._held_calls = 0
        self._held_cost = 0.0
        self._queue: deque[tuple[Reservation, asyncio.Future[None]]] = deque()

    async def reserve(self, request: ModelRequest) -> Reservation:
        """Return a reservation for the call.

        Raises LimitReached where what is settled leaves no room for it, InvalidOption where its cost has
        no bound but is limited.
        """
        wanted = self._reservation(request)
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
                self.settle(wanted, None)
            else:
                self._serve()
            raise
        return wanted

    def settle(self, reservation: Reservation, reply: Reply | None) -> None:
        """Give the reservation back and count what the call came to (None: it was not made).

        An answered call without a known cost counts with its bound, an unanswered one with nothing.
        """
        self._held_calls -= 1
        self._held_cost = self._held_cost - reservation.cost_usd if self._held_calls else 0.0
        if reply is not None and reply.answered:
            self._calls += 1
            self._cost_usd += reservation.cost_usd if reply.cost_usd is None else reply.cost_usd
            self._unpriced += reply.cost_usd is None and not reservation.cost_usd
        self._serve()

    def _reservation(self, request: ModelRequest) -> Reservation:
        return Reservation() if self._max_cost is None else Reservation(cost_at_most(request, self._prices))

    def _hold(self, reservation: Reservation) -> None:
        self._held_calls += 1
        self._held_cost += reservation.cost_usd

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
        if self._max_calls is not None and self._calls + self._held_calls + 1 > self._max_calls:
            return False
        total = self._cost_usd + self._held_cost + wanted.cost_usd
        return self._max_cost is None or total <= self._max_cost + _EPSILON

    def _raise_if_never(self, wanted: Reservation) -> None:
        """Raise LimitReached where the call would pass a limit even if nothing else were in flight."""
        if self._max_calls is not None and self._calls + 1 > self._max_calls:
            raise LimitReached(
                f"the limit of {self._max_calls} calls is reached: {self._describe_spending()}; "
                "the same command with a higher --max-calls resumes from here; nothing is lost"
            )
        if self._max_cost is not None and self._cost_usd + wanted.cost_usd > self._max_cost + _EPSILON:
            raise LimitReached(
                f"the next call may cost ${wanted.cost_usd:.6f}, which would pass the limit of "
                f"${self._max_cost:.6f}: {self._describe_spending()}; "
                "the same command with a higher --max-cost resumes from here; nothing is lost"
            )

    def _describe_spending(self) -> str:
        if self._calls and self._unpriced == self._calls:
            return f"{self._calls} calls are paid for, cost unknown"
        paid = f"{self._calls} calls for ${self._cost_usd:.6f} are paid for"
        return f"{paid}, {self._unpriced} of them at an unknown cost" if self._unpriced else paid
