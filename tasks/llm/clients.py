"""The models of a run, each asked at its own server, by a client of its own where its entry needs one."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from perennial.schemas.model_calls import ModelRequest, Price, Reply, Spent, choose_endpoint
from perennial.schemas.settings.model_entry import CallPolicy, ModelEntry, fill_variables
from perennial.tasks.llm.client import ModelClient
from perennial.tasks.llm.endpoint import RequestExtras, environment_headers
from perennial.tasks.llm.limits import Budget
from perennial.tasks.llm.retry_policy import HttpResult, RetryPolicy
from perennial.tasks.llm.server_batches.use import InBatches
from perennial.tasks.llm.structured import Ledger
from perennial.tasks.tools import ToolRunner

if TYPE_CHECKING:
    import httpx2


class ModelClients:
    """Asks each model at the server of its entry, or of the policy, within one budget for all.

    Where `batches` are given, models whose entry says so are asked in batches of their server. Use it in
    `async with`, within one event loop. Keys and headers come from `environment`.
    """

    def __init__(
        self,
        policy: CallPolicy,
        environment: Mapping[str, str],
        ledger: Ledger,
        prices: Mapping[str, Price],
        spent: Spent,
        retries: RetryPolicy | None = None,
        batches: InBatches | None = None,
    ) -> None:
        self._batches = batches
        self._policy = policy
        self._environment = environment
        self._budget = Budget(policy, prices, spent)
        self._new_client: Callable[..., ModelClient] = lambda policy, key, **options: ModelClient(
            policy, key, ledger, prices, spent, retries, budget=self._budget, **options
        )
        self._tools = ToolRunner(ledger)
        self._clients: dict[str, ModelClient] = {}
        self._stack = AsyncExitStack()
        self._reason_to_stop: str | None = None

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)
        self._clients.clear()

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask as `ModelClient.ask` of the model's client does."""
        if request.role == "tool":
            return await self._tools.ask(request)
        client = await self._client_of(request.model)
        return await client.ask(request)

    async def list_batches(self, model: str) -> HttpResult:
        """What the server of the model says when it is asked for batches."""
        client = await self._client_of(model)
        return await client.list_batches()

    async def list_models(self, model: str) -> "httpx2.Response | str":
        """The answer of the model's server to GET /models, or why there was none."""
        client = await self._client_of(model)
        return await client.list_models()

    def stop(self, reason: str) -> None:
        """Start no call any more: those that wait raise CallsStopped, those in flight end and are kept."""
        self._reason_to_stop = reason
        for client in self._clients.values():
            client.stop(reason)

    async def _client_of(self, model: str) -> ModelClient:
        entry = self._policy.models.get(model)
        name = model if entry is not None and entry.has_own_client else ""
        if name not in self._clients:
            client = self._clients[name] = self._make_client(entry if name else None)
            await self._stack.enter_async_context(client)
            if self._reason_to_stop is not None:
                client.stop(self._reason_to_stop)
        return self._clients[name]

    def _make_client(self, entry: ModelEntry | None) -> ModelClient:
        shared = choose_endpoint(self._policy.base_url, self._environment)
        if entry is None:
            extras = RequestExtras(of_environment=environment_headers(self._environment))
            return self._new_client(self._policy, shared.key, extras=extras)
        endpoint = entry.endpoint(shared, self._environment)
        if entry.key_env and not endpoint.key:
            fill_variables({"key": f"${{{entry.key_env}}}"}, self._environment)
        policy = replace(
            self._policy,
            base_url=endpoint.base_url,
            concurrency=entry.concurrency or self._policy.concurrency,
            requests_per_minute=entry.requests_per_minute or self._policy.requests_per_minute,
            tokens_per_minute=entry.tokens_per_minute or self._policy.tokens_per_minute,
        )
        extras = RequestExtras(
            fill_variables(entry.headers, self._environment),
            fill_variables(entry.query, self._environment),
            environment_headers(self._environment),
            is_own_server=endpoint.is_own,
        )
        if self._batches is None or not entry.batch:
            return self._new_client(policy, endpoint.key, extras=extras, entry=entry)
        # The limits of single calls are not those of batches, in which all calls wait together.
        policy = replace(
            policy, concurrency=self._batches.most_requests, requests_per_minute=None, tokens_per_minute=None
        )
        return self._new_client(policy, endpoint.key, extras=extras, entry=entry, batches=self._batches)


# Answer from stored replies alone: no endpoint, no key, no cost.

NOT_STORED = "not among the stored replies"


class ReplayClient:
    """Asks nobody. `missing` counts the requests, by call id, that no stored reply answers.

    A request without a stored reply counts as rejected: so was, for instance, a first try of structured
    output that the server refused and of which an edition keeps nothing.
    """

    def __init__(self, find: Callable[[str], Reply | None]) -> None:
        self._find = find
        self.missing: set[str] = set()

    async def ask(self, request: ModelRequest) -> Reply:
        """The stored reply, an answer or not, or a rejection that says that there is none."""
        stored = self._find(request.call_id)
        if stored is not None:
            return stored
        self.missing.add(request.call_id)
        return Reply(request.call_id, "rejected", error=NOT_STORED)

    def stop(self, reason: str) -> None:
        """Nothing is in flight: there is nothing to stop."""
