"""Try models: one short call to each, as a refresh would make it, and what came of it."""

import asyncio
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.schemas.errors import EndpointFailed, InvalidOption, PerennialError, count
from perennial.schemas.game import TOOLS
from perennial.schemas.model_calls import AttemptEnd, ModelChoice, ModelRequest, Reply, Spent
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.schemas.settings.models import MODELS_FILE
from perennial.schemas.units import LOOK_UP
from perennial.tasks.llm.clients import ModelClients
from perennial.tasks.llm.endpoint import RequestExtras, check_key, check_url, environment_headers
from perennial.tasks.llm.limits import check_budget, completion_bound
from perennial.tasks.llm.listing import ask_for_models, describe_unlisted, is_listed, listed_models
from perennial.tasks.llm.replies import find_message, one_line
from perennial.tasks.llm.server_words import is_same_model, read_ending
from perennial.tasks.play import models_of
from perennial.tasks.sandbox.tier import find_protection
from perennial.tasks.tools import FUNCTION, offers_python, tool_params
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.prices import ModelPrices, load_prices
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store, root_id

# The models of a refresh, checked before any work: are they known, and is there a key, a price, a limit?

_CLOSE = 0.8  # of `difflib`: one letter that is missing, or two that are swapped
_CLOSE_PREFIX = 0.5  # such as opened for closed: few names of models have a colon, and servers list those
_LISTING_TIMEOUT_S = 10.0


def choose_params(
    settings: RefreshSettings, benchmark: Benchmark, players: Sequence[str]
) -> tuple[JsonObject, dict[str, JsonObject]]:
    """What the calls of playing models pass on, and by model what its entry changes."""
    models = models_of(players, benchmark)
    shared = settings.player_params() if models else {}
    return shared, settings.model_params(models, shared)


def state_facts(
    settings: RefreshSettings, benchmark: Benchmark, players: Sequence[str]
) -> dict[str, JsonObject]:
    """What models.toml says of the players that are models; silent ones are left out."""
    entries = settings.model_entries()
    named = [name for name in models_of(players, benchmark) if name in entries]
    return {name: entries[name].facts for name in named if entries[name].facts}


def check_models(
    settings: RefreshSettings,
    benchmark: Benchmark,
    authors: Sequence[ModelChoice],
    players: Sequence[str],
    store: Store,
    *,
    needs_key: bool,
    protocol: Mapping[str, object],
) -> None:
    """Raise InvalidOption where models are named that cannot be called, or not within a limit of cost.

    `protocol` is the evaluation's: it may name models too.
    """
    refuse_reserved_names(settings, benchmark)
    shared, by_model = choose_params(settings, benchmark, players)
    choices = [ModelChoice(model, by_model.get(model, shared)) for model in models_of(players, benchmark)]
    settings.refuse_overridden([choice.model for choice in choices])
    choices += [*authors, *benchmark.readers(protocol)]
    if not choices:
        return
    refuse_tools(settings, benchmark, players)
    for option in ("max_calls", "max_cost"):
        if getattr(settings, option) == 0:
            raise InvalidOption(
                f"--{option.replace('_', '-')} 0: {choices[0].model!r} is a model, and none could be asked: "
                "give a higher limit, or leave the models out"
            )
    if not settings.allow_unlisted:
        for choice in choices:
            _refuse_misspelt(settings, choice.model, benchmark)
    for choice in choices:
        check_url(settings.endpoint(choice.model).base_url)
        if needs_key:
            _require_key(settings, choice.model, benchmark)
    check_budget(settings.call_policy(), choices, known_prices(settings, store))


def known_prices(
    settings: RefreshSettings, store: Store, in_batches: Callable[[str], bool] = lambda model: False
) -> ModelPrices:
    """Prices by model: models.toml, else the data root's prices.csv, else the list of known services."""
    return ModelPrices(settings.model_entries(), settings.endpoint().base_url, load_prices(store), in_batches)


def refuse_reserved_names(settings: RefreshSettings, benchmark: Benchmark) -> None:
    """Raise InvalidOption where an entry of models.toml has the name of a program."""
    for name in settings.model_entries():
        if name in benchmark.programs or name in benchmark.aliases:
            raise InvalidOption(
                f"{settings.models_file or MODELS_FILE}: [{name}]: {name} is the name of a program: give the "
                "table another name, and its own to the key model"
            )


def models_with_tools(players: Iterable[str]) -> list[str]:
    """The models among the players that may run scripts, each once."""
    prefix = f"{TOOLS}:"
    return list(dict.fromkeys(name.removeprefix(prefix) for name in players if name.startswith(prefix)))


def refuse_tools(settings: RefreshSettings, benchmark: Benchmark, players: Iterable[str]) -> None:
    """Raise InvalidOption for a player `tools:MODEL` that cannot be asked as one."""
    for model in models_with_tools(players):
        entry = settings.model_entries().get(model)
        if not benchmark.one_shot:
            why = f"games of {benchmark.name} take several replies: name the model alone"
        elif settings.is_function(model):
            why = "a function of this process is asked questions alone: name it without tools"
        elif entry is not None and entry.batch:
            why = "a result follows a call at once, and batch = true asks in batches: use an entry without it"
        elif any(name in settings.model_params([model], {}).get(model, {}) for name in _TOOL_PARAMETERS):
            why = "its entry of models.toml offers tools of its own: use an entry without them"
        elif find_protection().tier == "none":
            why = "no sandbox works here, which scripts of a model need (see `perennial doctor`)"
        else:
            continue
        raise InvalidOption(f"player {f'{TOOLS}:{model}'!r}: {why}")


def _refuse_misspelt(settings: RefreshSettings, model: str, benchmark: Benchmark) -> None:
    """Refuse a name that is close to a program's or an entry's, unless its server lists such a model.

    Any other name is treated as a model, so that a slip would be thousands of paid calls.
    """
    entries = settings.model_entries()
    if model in entries:
        return
    meant = _find_meant(model, benchmark, entries)
    if not meant:
        return
    endpoint = settings.endpoint()
    if endpoint.url_from == "default" and not endpoint.key:
        why = "no key is set to ask OpenAI whether it is a model"
    else:
        policy = replace(settings.call_policy(), timeout_s=_LISTING_TIMEOUT_S)
        extras = RequestExtras(of_environment=environment_headers(os.environ))
        answer = asyncio.run(ask_for_models(policy, check_key(endpoint.key), extras))
        listed = listed_models(answer)
        if listed is not None and is_listed(model, listed):
            return
        why = (
            f"{endpoint.base_url} lists no models"
            if listed is None
            else f"{endpoint.base_url} does not list it as a model"
        )
    raise InvalidOption(
        f"{model!r} is no program and has no entry in {settings.models_file or MODELS_FILE}, and {why}: did "
        f"you mean {meant!r}? To ask a model of that name, give --allow-unlisted"
    )


def _find_meant(model: str, benchmark: Benchmark, entries: Collection[str]) -> str:
    """The name that this one resembles: a program or an entry, or how to ask a model; else ""."""
    folded_names = {name.casefold(): name for name in (*benchmark.programs, *benchmark.aliases, *entries)}
    for near in get_close_matches(model.casefold(), folded_names, 1, _CLOSE):
        return folded_names[near]
    prefix, colon, rest = model.partition(":")
    ways = get_close_matches(prefix.casefold(), benchmark.variants, 1, _CLOSE_PREFIX) if colon else []
    return f"{ways[0]}:{rest}" if ways else ""


def _require_key(settings: RefreshSettings, model: str, benchmark: Benchmark) -> None:
    endpoint = settings.endpoint(model)
    entry = settings.model_entries().get(model)
    for variable in entry.variables() if entry is not None else ():
        if not os.environ.get(variable, "").strip():
            raise InvalidOption(
                f"{settings.models_file or MODELS_FILE}: [{model}]: the environment variable {variable}, "
                "which it names, is not set: set it"
            )
    check_key(endpoint.key, endpoint.key_from or "")
    if endpoint.url_from == "default" and not endpoint.key:
        raise InvalidOption(
            f"{model!r} is a model (programs: {', '.join(benchmark.programs)}), and no model can be "
            "called: set PERENNIAL_API_KEY or OPENAI_API_KEY, name a server of your own with --base-url, or "
            f"describe it in {MODELS_FILE} (`perennial init` writes one)"
        )


_TIMEOUT_S = 60.0
_MOST_TOKENS = 256
_TOOL_PARAMETERS = ("tools", "functions")
QUESTION = "Which word means the opposite of no?"
_MESSAGES = ({"role": "system", "content": "Answer with one word."}, {"role": "user", "content": QUESTION})
TOOL_QUESTION = f"Call the function {FUNCTION} with the script: print(6 * 7)"
_TOOL_MESSAGES = ({"role": "user", "content": TOOL_QUESTION},)


@dataclass(frozen=True, slots=True)
class TriedModel:
    """What came of the call to one model; `error` and `remedy` are "" where it answered.

    `notes` say what is odd about an answer. `takes_batches`: its entry says batch = true, and its server
    lists batches.
    """

    name: str
    server: str
    sent: tuple[str, ...]
    reply: Reply | None = None
    error: str = ""
    remedy: str = ""
    takes_batches: bool = False
    notes: tuple[str, ...] = ()


def try_models(settings: RefreshSettings, named: Sequence[str] = ()) -> list[TriedModel]:
    """Call each named model once, or each entry of models.toml, and say what happened.

    Raises InvalidOption where there is none.
    """
    entries = settings.model_entries()
    refuse_reserved_names(settings, find_benchmark(settings.benchmark))
    models = list(dict.fromkeys(named or entries))
    if not models or not all(name.strip() for name in models):
        problem = "a blank name is no model" if models else "no model to check"
        raise InvalidOption(
            f"{problem}: describe some in {settings.models_file or MODELS_FILE} (`perennial init` writes "
            "one), or name one: perennial models check MODEL"
        )
    policy = replace(
        settings.call_policy(), max_attempts=1, max_calls=None, max_cost=None, timeout_s=_TIMEOUT_S
    )

    async def try_all() -> list[TriedModel]:
        return list(await asyncio.gather(*(_try_model(settings, policy, model) for model in models)))

    return asyncio.run(try_all())


async def _try_model(settings: RefreshSettings, policy: CallPolicy, model: str) -> TriedModel:
    shared = settings.player_params()
    endpoint = settings.endpoint(model)
    params = settings.model_params([model], shared).get(model, shared)
    request = short_request(model, params, endpoint.base_url)
    sent = describe_sent(request)
    tried = TriedModel(model, endpoint.describe(), sent)
    prices = ModelPrices(settings.model_entries(), policy.base_url)
    try:
        async with ModelClients(policy, os.environ, _NoLedger(), prices, Spent()) as clients:
            reply = await clients.ask(request)
            entry = settings.model_entries().get(model)
            listed = await clients.list_batches(model) if entry is not None and entry.batch else None
            models = listed_models(await clients.list_models(model)) if reply.answered else None
    except PerennialError as failure:
        return replace(tried, error=str(failure), remedy=suggest_remedy(str(failure), sent))
    if reply.answered:
        doubts = find_doubts(request, reply, models)
        tried = replace(tried, reply=reply, takes_batches=listed is not None, notes=tuple(doubts.notes))
        if doubts.error:
            return replace(tried, error=doubts.error, remedy=doubts.remedy)
        if listed is None or listed.http_status == 200:
            return tried
        why = listed.problem or f"HTTP {listed.http_status}: {find_message(listed.body)}"
        error = f"it answers, but batch = true, and GET /batches fails: {one_line(why)}"
        return replace(tried, error=error, takes_batches=False, remedy="remove batch = true from its table")
    error = reply.error or reply.status
    return replace(tried, reply=reply, error=error, remedy=suggest_remedy(error, sent))


@dataclass(slots=True)
class Doubts:
    """What is odd about an answer: `error` where it is none of the model asked, or of another prompt."""

    notes: list[str] = field(default_factory=list)
    error: str = ""
    remedy: str = ""


def find_doubts(request: ModelRequest, reply: Reply, listed: set[str] | None) -> Doubts:
    """What is odd about a model's answer; `listed` are the models of its server (None: no list)."""
    doubts = Doubts()
    name, served = str(request.params.get("model", request.model)), reply.served_model
    is_other = served is not None and not is_same_model(name, served)
    is_unlisted = listed is not None and not is_listed(name, listed)
    if is_other:
        doubts.notes.append(f"the reply is by {served!r}, as the server says, and not by {name!r}")
    if is_unlisted:
        doubts.notes.append(describe_unlisted(name, listed or ()))
    if reply.usage == "short":
        doubts.notes.append(
            f"the server counts {reply.prompt_tokens} prompt tokens, fewer than the prompt can have: it "
            "seems to cut prompts"
        )
    if reply.status == "empty":
        doubts.notes.append("the reply is empty")
    offered = [name for name in _TOOL_PARAMETERS if request.params.get(name)]
    if offered and not offers_python(request.params):
        doubts.notes.append(
            f"its entry offers {' and '.join(offered)}: a reply that calls a tool is no answer, and ends as "
            f"tool_call ({TOOLS}:{request.model} lets it run Python in benchmarks of one reply)"
        )
    if read_ending(reply.finish_reason) == "unknown":
        doubts.notes.append(
            f"finish_reason {reply.finish_reason!r} is not known, and such replies are taken to be whole"
        )
    if is_unlisted and (is_other or served is None):
        doubts.remedy = "name the model as its server does"
    elif reply.usage == "short":
        doubts.remedy = "start the server with a larger context"
    elif reply.status == "empty":
        doubts.remedy = "see what the server does with a prompt, or whether it is a chat model"
    if doubts.remedy:
        doubts.error = "; ".join(doubts.notes)
    return doubts


def short_request(model: str, params: Mapping[str, object], server: str) -> ModelRequest:
    """One short question with these parameters; a limit of the reply is lowered to `_MOST_TOKENS`."""
    most = completion_bound(params)
    if most is not None:
        params = {name: min(most, _MOST_TOKENS) if value == most else value for name, value in params.items()}
    messages = _TOOL_MESSAGES if offers_python(params) else _MESSAGES
    return ModelRequest(
        "player", model, messages, params=dict(params), template="", template_hash="", server=server
    )


def describe_sent(request: ModelRequest) -> tuple[str, ...]:
    """The role of the system message, and the names of the sent parameters."""
    role = request.messages[0]["role"]
    return (f"role {role}", *(name for name in request.params if name != "model"))


def suggest_remedy(error: str, sent: Sequence[str]) -> str:
    """What to write into the model's entry if the error names what was sent; else ""."""
    named = [name for name in sent[1:] if re.search(rf"\b{re.escape(name)}\b", error)]
    if named:
        return f'{named[0]} = "unset" in its table api'
    if any(
        f"{role} role" in error.lower() or f"role {role}" in error.lower() for role in ("system", "developer")
    ):
        return 'system_role = "user"'
    return ""


class _NoLedger:
    """A ledger that keeps nothing: a check is no part of any edition."""

    def find(self, _call_id: str) -> Reply | None:
        return None

    def has_answered(self, _model: str) -> bool:
        return False

    async def store(self, _request: ModelRequest, reply: Reply) -> Reply:
        return reply

    async def begin_attempt(self, _request: ModelRequest, _estimate_usd: float | None) -> int:
        return 0

    async def end_attempt(self, end: AttemptEnd) -> None:
        pass

    def find_last_attempt(self, _call_id: str) -> tuple[int, float | None] | None:
        return None


# Look models up before anything is grown: each server answers, and takes its models and their parameters.
#
# A wrong name or a dead server would otherwise be noticed once the questions are drawn. GET /models costs
# nothing; then each model is asked one short question, which is kept in the ledger, so that it is never asked
# again in this data root while its server is the same.

_ANSWER_S = 60.0


def choices_of(plan: EvaluationPlan, authors: Iterable[ModelChoice] = ()) -> list[ModelChoice]:
    """The models that an evaluation asks and these authors, with what their calls pass on."""
    benchmark = find_benchmark(plan.benchmark)
    players = [ModelChoice(model, plan.params_of(model)) for model in models_of(plan.players, benchmark)]
    with_tools = [
        ModelChoice(model, {**plan.params_of(model), **tool_params()})
        for model in models_with_tools(plan.players)
    ]
    return [*players, *with_tools, *authors, *benchmark.readers(plan.protocol)]


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
    models = [choice for choice in choices if not settings.is_function(choice.model)]
    asked = (
        short_request(choice.model, choice.params, settings.endpoint(choice.model).base_url)
        for choice in models
    )
    requests = {request.call_id: request for request in asked}
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
        new = {request.call_id for request in requests if ledger.find(request.call_id) is None}
        asked = [request for request in requests if request.call_id in new or not resumed]
        async with ModelClients(policy, os.environ, ledger, prices, Spent()) as clients:
            servers = list(dict.fromkeys(settings.endpoint(request.model).base_url for request in asked))
            listings = await asyncio.gather(*(_reach(settings, clients, url, asked) for url in servers))
            listed = dict(zip(servers, listings, strict=True))
            ends = await asyncio.gather(
                *(_ask(settings, clients, request, listed) for request in asked), return_exceptions=True
            )
    for end in ends:
        if isinstance(end, BaseException):
            raise end
        if end:
            say(f"note: {end}")
    if not any(ends) and asked:
        names = ", ".join(dict.fromkeys(request.model for request in asked))
        say(f"look-up: {count(len({request.model for request in asked}), 'model')} can be asked: {names}")


async def _reach(
    settings: RefreshSettings, clients: ModelClients, url: str, requests: Sequence[ModelRequest]
) -> set[str] | None:
    """The models that a server lists; None if it lists none.

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
    """What is odd about the answer, or went wrong and may pass; "" if nothing did; raises if it cannot pass.

    `listed` are the models that each server lists, by its URL.
    """
    try:
        reply = await clients.ask(request)
    except EndpointFailed as failure:
        raise EndpointFailed(f"{failure}; nothing was grown or played") from None
    endpoint = settings.endpoint(request.model)
    where = f"model {request.model!r} at {endpoint.describe()}"
    if offers_python(request.params) and reply.status == "ok":
        raise EndpointFailed(
            f"{where} has answered in words where it was to call the function {FUNCTION}: its server or "
            f"the model knows no tools: leave {TOOLS}:{request.model} out, or start the server with tools "
            "(vLLM: --enable-auto-tool-choice); nothing was grown or played"
        )
    if reply.answered:
        doubts = find_doubts(request, reply, listed[endpoint.base_url]).notes
        return f"{where}: {'; '.join(doubts)}; continuing anyway" if doubts else ""
    error = (reply.error or reply.status).rstrip(".")
    if offers_python(request.params) and reply.status == "rejected":
        raise EndpointFailed(
            f"{where} takes no tools: {error}: leave {TOOLS}:{request.model} out; nothing was grown or played"
        )
    remedy = suggest_remedy(error, describe_sent(request)) if reply.status == "rejected" else ""
    if remedy:
        raise EndpointFailed(
            f"{where} refuses how it is asked: {error}: write {remedy} of models.toml; nothing was grown or "
            "played"
        )
    return f"{where} has not answered a short question ({error}); continuing anyway"
