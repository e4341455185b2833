"""One request to a model: counted in the budget and in the ledger before it is sent, and settled after."""

from collections.abc import Awaitable, Callable, Mapping

from perennial.schemas.model_calls.calls import AttemptEnd, ModelRequest
from perennial.schemas.model_calls.price import Price
from perennial.tasks.llm.asking import Ledger
from perennial.tasks.llm.limits.budget import Budget, Reservation, estimate_cost
from perennial.tasks.llm.retry_policy import Tried

Send = Callable[[], Awaitable[Tried]]


class Attempts:
    """Sends requests, of which each counts from before it is sent.

    What is not settled here, as the process ended or the task was cancelled, stays counted with its estimate.
    """

    def __init__(self, budget: Budget, ledger: Ledger, prices: Mapping[str, Price]) -> None:
        self._budget = budget
        self._ledger = ledger
        self._prices = prices

    async def alone(
        self, request: ModelRequest, reservation: Reservation, check: Callable[[], None], send: Send
    ) -> Tried:
        """Return what a request of its own gives; `check` raises where it is not to be sent any more."""
        number = None
        try:
            number = await self._ledger.begin_attempt(request, reservation.estimate_usd)
            check()
        except BaseException:
            self._budget.cancel(reservation)
            if number is not None:
                await self._ledger.end_attempt(AttemptEnd(number, None, None, was_sent=False))
            raise
        tried = await self._send(request, reservation, send)
        if not tried.received.was_sent:
            await self._ledger.end_attempt(AttemptEnd(number, None, None, was_sent=False))
        else:
            await self._keep(request, tried, number, reservation.estimate_usd)
        return tried

    async def in_batch(self, request: ModelRequest, reservation: Reservation, send: Send) -> Tried:
        """Return what a request in a batch gives: the ledger counts it with its batch."""
        tried = await self._send(request, reservation, send)
        if tried.received.was_sent:
            await self._keep_last(request, tried)
        return tried

    async def resume(self, request: ModelRequest, send: Send) -> Tried:
        """Return what a request gives that was counted when it was submitted, maybe by an earlier run."""
        tried = await send()
        if tried.received.was_sent:
            before = await self._keep_last(request, tried)
            self._budget.correct(before, tried.reply.cost_usd, self._estimate(request, tried))
        return tried

    async def _send(self, request: ModelRequest, reservation: Reservation, send: Send) -> Tried:
        try:
            tried = await send()
        except BaseException:
            self._budget.settle(reservation, None, reservation.estimate_usd)
            raise
        if tried.received.was_sent:
            self._budget.settle(reservation, tried.reply.cost_usd, self._estimate(request, tried))
        else:
            self._budget.cancel(reservation)
        return tried

    async def _keep_last(self, request: ModelRequest, tried: Tried) -> float | None:
        """Keep what the call's last attempt came to, and return its estimate until now."""
        found = self._ledger.find_last_attempt(request.call_id)
        if found is None:
            return None
        await self._keep(request, tried, *found)
        return found[1]

    async def _keep(self, request: ModelRequest, tried: Tried, number: int, before: float | None) -> None:
        cost_usd, estimate_usd = tried.reply.cost_usd, self._estimate(request, tried)
        if cost_usd is not None or estimate_usd != before:
            await self._ledger.end_attempt(AttemptEnd(number, cost_usd, estimate_usd))

    def _estimate(self, request: ModelRequest, tried: Tried) -> float | None:
        return estimate_cost(request, self._prices.get(request.model), tried.received)
