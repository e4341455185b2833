"""A look at the model endpoint: does it answer, take the key, and know the models that are configured?"""

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from perennial.flows.benchmark import find_benchmark
from perennial.flows.doctor.check import Check, Look, fail, warn
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import CallPolicy
from perennial.schemas.settings import RefreshSettings
from perennial.tasks.llm.bounded_http import check_key, check_url, strip_url
from perennial.tasks.llm.listing import ask_for_models, listed_models
from perennial.tasks.play import parse_model_player

if TYPE_CHECKING:
    import httpx2

_TIMEOUT_S = 10.0
_KEY = (
    "set PERENNIAL_API_KEY to a key of this endpoint (OPENAI_API_KEY goes to the host of OPENAI_BASE_URL, "
    "or to OpenAI's, alone), or name another one (base_url)"
)
_REACH = (
    "start the server, or correct base_url (PERENNIAL_BASE_URL, or base_url in perennial.toml) or "
    "OPENAI_BASE_URL"
)


def endpoint_look(settings: RefreshSettings) -> Look:
    """Return the look at the model endpoint of these settings; none is needed where no model is named."""
    return Look("endpoint", _KEY, partial(_endpoint, settings))


def _endpoint(settings: RefreshSettings) -> str | Check:
    models = _models(settings)
    endpoint = settings.endpoint()
    if not models and endpoint.url_from == "default":
        return "not configured: no model is named"
    policy = CallPolicy(endpoint.base_url, concurrency=1, timeout_s=_TIMEOUT_S)
    shown = strip_url(check_url(policy.base_url))
    key = check_key(endpoint.key)
    found = _judge(shown, key, asyncio.run(ask_for_models(policy, key)), models)
    sources = f" ({endpoint.describe_sources()})"
    return found + sources if isinstance(found, str) else replace(found, seen=found.seen + sources)


def _judge(shown: str, key: str, answer: "httpx2.Response | str", models: list[str]) -> str | Check:
    if isinstance(answer, str):
        return fail(f"{shown} is not reached: {answer}", _REACH, EndpointFailed.exit_code)
    status = f"(HTTP {answer.status_code})"
    if answer.status_code in (401, 403):
        problem = "refuses the key" if key else "asks for a key, and none is set"
        return fail(f"{shown} {problem} {status}", _KEY, EndpointFailed.exit_code)
    if answer.status_code >= 500:
        remedy = "try again later, or look at that server"
        return fail(f"{shown} answers with an error {status}", remedy, EndpointFailed.exit_code)
    listed = listed_models(answer)
    if listed is None:
        remedy = "check that base_url ends as the server wants it, often in /v1"
        return warn(f"{shown} answers and lists no models {status}", remedy)
    unlisted = [model for model in models if model not in listed]
    if unlisted:
        remedy = "correct the model's name, if the server does not know it unlisted"
        return warn(f"{shown} answers and does not list {', '.join(unlisted)}", remedy)
    return f"{shown} answers and lists {len(listed):,} model{'' if len(listed) == 1 else 's'}"


def _models(settings: RefreshSettings) -> list[str]:
    """Return the models that the settings name, each once."""
    benchmark = find_benchmark(settings.benchmark)
    players = [name for name in settings.players if name not in {*benchmark.programs, *benchmark.aliases}]
    models = (parse_model_player(name, {}, benchmark.variants).choice.model for name in players)
    named = [*settings.author_models(), *models]
    return list(dict.fromkeys(name for name in named if name))
