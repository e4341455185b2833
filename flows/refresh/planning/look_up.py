"""Look models up before anything is grown: each server answers, and takes its models and their parameters.

A wrong name or a dead server would otherwise be noticed once the questions are drawn. GET /models costs
nothing; then each model is asked one short question, which is kept in the ledger, so that it is never asked
again in this data root.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from perennial.flows.benchmark import find_benchmark
from perennial.flows.models.check import describe_sent, find_doubts, short_request, suggest_remedy
from perennial.flows.refresh.planning.model_checks import known_prices
from perennial.schemas.errors import EndpointFailed, count
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Spent
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.units import LOOK_UP
from perennial.tasks.llm.clients import ModelClients
from perennial.tasks.llm.listing import listed_models
from perennial.tasks.play import models_of
from perennial.warehouse.ledger.ledger import CallLedger, ledger_file
from perennial.warehouse.store.store import Store, root_id

_ANSWER_S = 60.0


def choices_of(plan: EvaluationPlan, authors: Iterable[ModelChoice] = ()) -> list[ModelChoice]:
    """Return the models that an evaluation asks, and these authors, with what their calls pass on."""
    benchmark = find_benchmark(plan.benchmark)
    players = [ModelChoice(model, plan.params_of(model)) for model in models_of(plan.players, benchmark)]
    return [*players, *authors, *benchmark.readers(plan.protocol)]


def look_up(
    settings: RefreshSettings,
    store: Store,
    choices: Sequence[ModelChoice],
    say: Callable[[str], None],
    *,
    resumed: bool = False,
) -> None:
    """Raise EndpointFailed where a server is dead, or refuses a key, a model, a parameter or a role.

    Any other failure is said, and no reason to stop: it may pass. Where work is `resumed`, models that have
    answered before are left alone, as nothing may be left to ask them.
    """
    requests = {one.call_id: one for one in (short_request("player", c.model, c.params) for c in choices)}
    if requests:
        asyncio.run(_look_up(settings, store, list(requests.values()), say, resumed))


async def _look_up(
    settings: RefreshSettings,
    store: Store,
    requests: Sequence[ModelRequest],
    say: Callable[[str], None],
    resumed: bool,
) -> None:
    policy = replace(
        settings.call_policy(),
        max_attempts=1,
        max_calls=None,
        max_cost=None,
        timeout_s=min(_ANSWER_S, settings.timeout),
    )
    endpoints = {name: entry.base_url for name, entry in policy.models.items() if entry.base_url}
    prices = known_prices(settings, store)
    path = ledger_file(store.root)
    with CallLedger(path, LOOK_UP, policy.base_url, root_id(store), endpoints) as ledger:
        new = {one.call_id for one in requests if ledger.find(one.call_id) is None}
        asked = [one for one in requests if one.call_id in new or not resumed]
        async with ModelClients(policy, os.environ, ledger, prices, Spent()) as clients:
            servers = _servers(settings, asked)
            listings = await asyncio.gather(*(_reach(settings, clients, url, asked) for url in servers))
            listed = dict(zip(servers, listings, strict=True))
            ends = await asyncio.gather(
                *(_ask(settings, clients, one, listed) for one in asked), return_exceptions=True
            )
    for end in ends:
        if isinstance(end, BaseException):
            raise end
        if end:
            say(f"note: {end}")
    if not any(ends) and asked:
        names = ", ".join(dict.fromkeys(one.model for one in asked))
        say(f"look-up: {count(len({one.model for one in asked}), 'model')} can be asked: {names}")


def _servers(settings: RefreshSettings, requests: Sequence[ModelRequest]) -> list[str]:
    return list(dict.fromkeys(settings.endpoint(one.model).base_url for one in requests))


async def _reach(
    settings: RefreshSettings, clients: ModelClients, url: str, requests: Sequence[ModelRequest]
) -> set[str] | None:
    """Return the models that a server lists, None where it lists none.

    Raises EndpointFailed where nothing answers GET /models, in whatever way.
    """
    models = list(
        dict.fromkeys(
            request.model for request in requests if settings.endpoint(request.model).base_url == url
        )
    )
    answer = await clients.list_models(models[0])
    if isinstance(answer, str):
        where = settings.endpoint(models[0]).describe()
        raise EndpointFailed(
            f"no server answers at {where} for {', '.join(models)}: {answer.rstrip('.')}: start it, or name "
            "another one with --base-url or in models.toml; nothing was grown or played"
        )
    return listed_models(answer)


async def _ask(
    settings: RefreshSettings,
    clients: ModelClients,
    request: ModelRequest,
    listed: Mapping[str, set[str] | None],
) -> str:
    """Return what is odd about the answer, or went wrong and may pass, else ""; raise where it cannot.

    `listed` are the models that each server lists, by its URL.
    """
    try:
        reply = await clients.ask(request)
    except EndpointFailed as failure:
        raise EndpointFailed(f"{failure}; nothing was grown or played") from None
    endpoint = settings.endpoint(request.model)
    where = f"model {request.model!r} at {endpoint.describe()}"
    if reply.answered:
        doubts = find_doubts(request, reply, listed[endpoint.base_url]).notes
        return f"{where}: {'; '.join(doubts)}; continuing anyway" if doubts else ""
    error = (reply.error or reply.status).rstrip(".")
    remedy = suggest_remedy(error, describe_sent(request)) if reply.status == "rejected" else ""
    if remedy:
        raise EndpointFailed(
            f"{where} refuses how it is asked: {error}: write {remedy} of models.toml; nothing was grown or "
            "played"
        )
    return f"{where} has not answered a short question ({error}); continuing anyway"
