"""Model calls within one batch of a refresh: the client, its ledger, and which calls the batch used."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import util
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from perennial.flows.console import progress
from perennial.flows.console.interrupts import first_signal
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.errors import EndpointFailed, PerennialError, UnreadableInput
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.schemas.rows import Rows
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.clients import ReplayClient
from perennial.tasks.llm.server_batches.use import MOST_REQUESTS, InBatches
from perennial.tasks.llm.structured import Ask, JsonAsker, SchemaSupport
from perennial.warehouse.editions.publish import reply_of
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.prices import ModelPrices, load_prices
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store, root_id

if TYPE_CHECKING:
    from perennial.tasks.llm.clients import ModelClients


# Leave a process early, from any thread: after calls in flight have ended, without waiting for Prefect.

Step = Callable[[PerennialError], None]

_steps: list[Step] = []
_changing = threading.Lock()


@contextmanager
def before_leaving(step: Step) -> Iterator[None]:
    """Let `leave` call the step, with its error, while the block runs."""
    with _changing:
        _steps.append(step)
    try:
        yield
    finally:
        with _changing:
            _steps.remove(step)


def leave(error: PerennialError) -> NoReturn:
    """Print the error in one line, take the steps, the latest first, and end the process with its exit code.

    No other thread begins or ends a step meanwhile: what would follow it waits for the end of the process.
    """
    _changing.acquire()
    logging.disable(logging.CRITICAL)
    _print(f"perennial: error: {error}\n")
    take_steps(error)
    with suppress(Exception):
        sys.stdout.flush()
        # Else Python warns, in lines of its own, of the semaphores that worker processes share.
        util._run_finalizers(0)  # type: ignore[attr-defined]
    os._exit(error.exit_code)


def take_steps(error: PerennialError) -> None:
    """Take the steps before leaving, the latest first: no call begins any more, and those in flight end."""
    for step in reversed(_steps):
        with suppress(Exception):  # whatever it is, the run must end
            step(error)


def _print(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(line)
        sys.stderr.flush()


Result = TypeVar("Result")


class CallsFailed(Exception):
    """Model calls of a batch failed for good, so that it is not staged: how many episodes that leaves."""

    def __init__(self, episodes: int) -> None:
        super().__init__(episodes)
        self.episodes = episodes


class BatchCalls:
    """Ask on behalf of one batch, and remember which calls it used."""

    def __init__(self, ask: Ask, ledger: CallLedger) -> None:
        self._ask = ask
        self._ledger = ledger
        self._used: dict[str, Reply] = {}

    async def __call__(self, request: ModelRequest) -> Reply:
        """Return the reply, kept in the ledger before."""
        reply = await self._ask(request)
        self._used[reply.call_id] = reply
        if request.role != "tool":
            progress.count_call(reply)
        return reply

    def seconds(self, call_id: str) -> float:
        """Return how long the reply to a call of this batch took."""
        return self._used[call_id].latency_s

    def add_to(self, tables: Mapping[str, Rows]) -> dict[str, Rows]:
        """Return the tables with `calls` and `messages`: every answer used, and each call that a row names.

        A failed call that no row names is left out: whether it was made may depend on timing.
        """
        named = {row["call_id"] for rows in tables.values() for row in rows if row.get("call_id")}
        kept = {call_id for call_id, reply in self._used.items() if reply.answered or call_id in named}
        return {**tables, **self._ledger.rows(sorted(kept))}


@dataclass(frozen=True)
class ModelSession:
    """An open client and its ledger, shared by all batches of one task run.

    `together` are the models that are asked in batches of their server.
    """

    client: "ModelClients | ReplayClient"
    ledger: CallLedger
    policy: CallPolicy
    support: SchemaSupport = field(default_factory=SchemaSupport)
    together: Collection[str] = ()

    def batch(self) -> BatchCalls:
        """Return a way to ask that remembers its calls."""
        return BatchCalls(self.client.ask, self.ledger)

    def concurrency(self, model: str) -> int:
        """Return how many calls of a model may be under way."""
        return MOST_REQUESTS if model in self.together else self.policy.concurrency

    def json_asker(self, calls: BatchCalls) -> JsonAsker:
        """Return a way to ask for JSON; all of a session share what they find out of the server."""
        return JsonAsker(calls, self.support)


def run_session(
    workspace: Workspace,
    policy: CallPolicy,
    work: Callable[[ModelSession], Awaitable[Result]],
    *,
    in_batches: bool = False,
) -> Result:
    """Do the work of a batch of an edition or evaluation: see `run_calls`."""
    store, unit = workspace.staging.store, workspace.plan.unit
    return run_calls(store, unit, policy, work, in_batches=in_batches)


def run_calls(
    store: Store,
    unit: str,
    policy: CallPolicy,
    work: Callable[[ModelSession], Awaitable[Result]],
    *,
    in_batches: bool = False,
) -> Result:
    """Return what the asynchronous work returns, with a client open while it runs.

    The ledger keeps its calls for `unit`. `in_batches`: models whose entry says so are asked in batches of
    their server.

    Raises what stops a stage: EndpointFailed and LimitReached; what was answered until then is kept. Ctrl-C,
    SIGTERM and SIGHUP let the calls in flight end, since they are paid for; a second one does not wait.
    """
    try:
        return asyncio.run(_in_session(store, unit, policy, work, in_batches))
    except _Interrupted as interrupted:
        # For handlers outside of model calls: Python, Prefect, the operating system.
        signal.raise_signal(interrupted.number)
        raise KeyboardInterrupt from None


class _Interrupted(Exception):
    """A signal interrupted, and all calls in flight have ended."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


async def _in_session(
    store: Store,
    unit: str,
    policy: CallPolicy,
    work: Callable[[ModelSession], Awaitable[Result]],
    in_batches: bool,
) -> Result:
    # They log every request at the level that `--verbose` shows; the ledger has them all.
    for library in ("httpx", "httpx2"):
        logging.getLogger(library).setLevel(logging.WARNING)
    path = ledger_file(store.root)
    endpoints = {name: entry.base_url for name, entry in policy.models.items() if entry.base_url}
    with CallLedger(path, unit, policy.base_url, root_id(store), endpoints) as ledger:
        async with _client(policy, ledger, store, in_batches) as client:
            with _calls_end_first(client.stop):
                together = {name for name, entry in policy.models.items() if in_batches and entry.batch}
                return await work(ModelSession(client, ledger, policy, SchemaSupport(together), together))


def _client(
    policy: CallPolicy, ledger: CallLedger, store: Store, in_batches: bool
) -> AbstractAsyncContextManager["ModelClients | ReplayClient"]:
    if policy.replay:
        return nullcontext(ReplayClient(partial(_read_stored_reply, ledger)))
    from perennial.tasks.llm.clients import ModelClients

    prices = ModelPrices(policy.models, policy.base_url, load_prices(store), lambda model: in_batches)
    batches = InBatches(ledger, progress.show_server_batch) if in_batches else None
    return ModelClients(
        policy, os.environ, ledger, prices, ledger.sum_spending(policy.units), batches=batches
    )


def _read_stored_reply(ledger: CallLedger, call_id: str) -> Reply | None:
    """Return what the ledger keeps of a call, an answer or not; None where it keeps nothing."""
    answer = ledger.find(call_id)
    if answer is not None:
        return answer
    try:
        (row,) = ledger.rows([call_id])["calls"]
    except UnreadableInput:
        return None
    return reply_of(row)


@contextmanager
def _calls_end_first(stop: Callable[[str], None]) -> Iterator[None]:
    """Let the calls in flight end before a signal, or `leave`, ends the process; `stop` prevents new ones.

    Raises _Interrupted when the block has ended by a signal.
    """
    loop = asyncio.get_running_loop()
    ended = threading.Event()

    def stop_and_say_so() -> None:
        stop("the refresh was interrupted")
        progress.note(
            "interrupted: waiting for the calls in flight, as they are paid for; interrupt again to leave now"
        )

    def on_signal() -> None:
        loop.call_soon_threadsafe(stop_and_say_so)

    def stop_and_wait(error: PerennialError) -> None:
        loop.call_soon_threadsafe(stop, str(error))
        ended.wait()

    with before_leaving(stop_and_wait):
        try:
            with first_signal(on_signal) as received:
                try:
                    yield
                except EndpointFailed:
                    if not received:
                        raise
            if received:
                raise _Interrupted(received[0])
        finally:
            ended.set()


async def settle_all(work: Iterable[Awaitable[Result]]) -> list[Result]:
    """Return all results in order; where some fail, let the others end first, then raise the first error.

    A call in flight is paid for: it is never cancelled for another one's sake.
    """
    results: list[Any] = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
