"""Model calls within one batch of a refresh: the client, its ledger, and which calls the batch used."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flows.console import progress
from flows.stages.workspace import Workspace
from schemas.calls import CallPolicy, ModelRequest, Reply
from schemas.errors import EndpointFailed, UnreadableInput
from tasks.llm.asking import Ask
from tasks.llm.replay import ReplayClient
from tasks.llm.structured import JsonAsker, SchemaSupport
from warehouse.editions.stored_replies import reply_of
from warehouse.ledger.ledger import CallLedger, ledger_file
from warehouse.ledger.prices import load_prices
from warehouse.staging.staging import Rows
from warehouse.store.store import Store

if TYPE_CHECKING:
    from tasks.llm.client import ModelClient

KEY_VARIABLES = ("PERENNIAL_API_KEY", "OPENAI_API_KEY")
Result = TypeVar("Result")


def api_key() -> str:
    """Return the key that the environment holds, "" where there is none (a local server needs none)."""
    return next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), "")


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
        progress.count_call(reply)
        return reply

    def seconds(self, call_id: str) -> float:
        """Return how long the reply to a call of this batch took."""
        return self._used[call_id].latency_s

    def added_to(self, tables: Mapping[str, Rows]) -> dict[str, Rows]:
        """Return the tables with `calls` and `messages`: every answer used, and each call that a row names.

        A failed call that no row names is left out: whether it was made may depend on timing.
        """
        named = {row["call_id"] for rows in tables.values() for row in rows if row.get("call_id")}
        kept = {call_id for call_id, reply in self._used.items() if reply.answered or call_id in named}
        return {**tables, **self._ledger.rows(sorted(kept))}


@dataclass(frozen=True)
class ModelSession:
    """An open client and its ledger, shared by all batches of one task run."""

    client: "ModelClient | ReplayClient"
    ledger: CallLedger
    policy: CallPolicy
    support: SchemaSupport = field(default_factory=SchemaSupport)

    def batch(self) -> BatchCalls:
        """Return a way to ask that remembers its calls."""
        return BatchCalls(self.client.ask, self.ledger)

    def json_asker(self, calls: BatchCalls) -> JsonAsker:
        """Return a way to ask for JSON; all of a session share what they find out of the server."""
        return JsonAsker(calls, self.support)


def run_session(
    workspace: Workspace, policy: CallPolicy, work: Callable[[ModelSession], Awaitable[Result]]
) -> Result:
    """Return what the asynchronous work returns, with a client open while it runs.

    Raises what stops a stage: EndpointFailed and LimitReached; what was answered until then is kept. An
    interrupt (Ctrl-C) lets the calls in flight end, since they are paid for; a second one does not wait.
    """
    try:
        return asyncio.run(_in_session(workspace, policy, work))
    except _Interrupted:
        raise KeyboardInterrupt from None


class _Interrupted(Exception):
    """The operator interrupted, and all calls in flight have ended."""


async def _in_session(
    workspace: Workspace, policy: CallPolicy, work: Callable[[ModelSession], Awaitable[Result]]
) -> Result:
    # It tells every request at the level that `--verbose` shows; the ledger knows them all.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    store = workspace.staging.store
    with CallLedger(ledger_file(store.root), workspace.plan.edition, policy.base_url) as ledger:
        async with _client(policy, ledger, store) as client:
            with _stopping_on_interrupt(client):
                return await work(ModelSession(client, ledger, policy))


def _client(
    policy: CallPolicy, ledger: CallLedger, store: Store
) -> AbstractAsyncContextManager["ModelClient | ReplayClient"]:
    if policy.replay:
        return nullcontext(ReplayClient(partial(_stored_reply, ledger)))
    from tasks.llm.client import ModelClient

    return ModelClient(policy, api_key(), ledger, load_prices(store), ledger.spent())


def _stored_reply(ledger: CallLedger, call_id: str) -> Reply | None:
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
def _stopping_on_interrupt(client: "ModelClient | ReplayClient") -> Iterator[None]:
    """Stop the client at the first interrupt and raise _Interrupted when the block has ended by that."""
    loop = asyncio.get_running_loop()
    interrupted = False

    def stop() -> None:
        nonlocal interrupted
        interrupted = True
        loop.remove_signal_handler(signal.SIGINT)
        progress.note(
            "interrupted: the calls in flight are waited for, as they are paid for; again: leave now"
        )
        client.stop("the refresh was interrupted")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    except EndpointFailed:
        if not interrupted:
            raise
    finally:
        if not interrupted:
            loop.remove_signal_handler(signal.SIGINT)
    if interrupted:
        raise _Interrupted


async def all_settled(work: Iterable[Awaitable[Result]]) -> list[Result]:
    """Return all results in order; where some fail, let the others end first, then raise the first error.

    A call in flight is paid for: it is never cancelled for another one's sake.
    """
    results: list[Any] = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
