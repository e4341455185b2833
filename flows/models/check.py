"""Try models: one short call to each, as a refresh would make it, and what came of it."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perennial.flows.benchmark import find_benchmark
from perennial.flows.refresh.planning.model_checks import refuse_reserved_names
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.model_calls import AttemptEnd, CallPolicy, ModelRequest, Reply, Role, Spent
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.models import MODELS_FILE, entry_prices
from perennial.tasks.llm.clients import ModelClients
from perennial.tasks.llm.limits import completion_bound
from perennial.tasks.llm.listing import describe_unlisted, is_listed, listed_models
from perennial.tasks.llm.replies import find_message, one_line
from perennial.tasks.llm.server_words import is_same_model, read_ending

_TIMEOUT_S = 60.0
_MOST_TOKENS = 256
QUESTION = "Which word means the opposite of no?"
_MESSAGES = (
    {"role": "system", "content": "Answer with one word."},
    {"role": "user", "content": QUESTION},
)


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
    """Return what came of a call to each model that is named, or to each entry of models.toml.

    Raises InvalidOption where there is none.
    """
    entries = settings.model_entries()
    refuse_reserved_names(settings, find_benchmark(settings.benchmark))
    models = list(dict.fromkeys(named or entries))
    if not models:
        raise InvalidOption(
            f"no model to check: describe some in {settings.models_file or MODELS_FILE} (`perennial init` "
            "writes one), or name one: perennial models check MODEL"
        )
    policy = replace(
        settings.call_policy(), max_attempts=1, max_calls=None, max_cost=None, timeout_s=_TIMEOUT_S
    )
    return asyncio.run(_try_all(settings, policy, models))


async def _try_all(settings: RefreshSettings, policy: CallPolicy, models: Sequence[str]) -> list[TriedModel]:
    return list(await asyncio.gather(*(_try_model(settings, policy, model) for model in models)))


async def _try_model(settings: RefreshSettings, policy: CallPolicy, model: str) -> TriedModel:
    shared = settings.player_params()
    request = short_request("player", model, settings.model_params([model], shared).get(model, shared))
    sent = describe_sent(request)
    tried = TriedModel(model, settings.endpoint(model).describe(), sent)
    prices = entry_prices(settings.model_entries())
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
    """Return what is odd about the answer of a model whose server lists these models (None: no list)."""
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


def short_request(role: Role, model: str, params: Mapping[str, object]) -> ModelRequest:
    """Return one short question with these parameters, of which a limit of the reply is lowered."""
    most = completion_bound(params)
    if most is not None:
        params = {name: min(most, _MOST_TOKENS) if value == most else value for name, value in params.items()}
    return ModelRequest(role, model, messages=_MESSAGES, params=dict(params), template="", template_hash="")


def describe_sent(request: ModelRequest) -> tuple[str, ...]:
    """Return the role of the system message, and the names of the parameters that are sent."""
    role = request.messages[0]["role"]
    return (f"role {role}", *(name for name in request.params if name != "model"))


def suggest_remedy(error: str, sent: Sequence[str]) -> str:
    """Return what to write into the model's entry where the error names what was sent, "" elsewhere."""
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
