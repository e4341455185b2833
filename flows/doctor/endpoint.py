"""A look at the model endpoint: does it answer, take the key, and know the models that are configured?"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flows.doctor.check import Check, Look, report_failure, report_pass, report_warning
from schemas.benchmark import find_benchmark
from schemas.calls import CallPolicy
from schemas.errors import EndpointFailed
from schemas.settings import RefreshSettings
from tasks.llm.http.endpoint import check_key, check_url, strip_url
from tasks.play.model_player import parse_model_player

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


def endpoint_looks(settings: RefreshSettings) -> Iterator[Look]:
    """Yield the look at the model endpoint of these settings; none is needed where no model is named."""
    yield Look("endpoint", _KEY, partial(_endpoint, settings))


def _endpoint(settings: RefreshSettings) -> Check:
    models = _models(settings)
    endpoint = settings.endpoint()
    if not models and endpoint.url_from == "default":
        return report_pass("not configured: no model is named")
    policy = CallPolicy(endpoint.base_url, concurrency=1, timeout_s=_TIMEOUT_S)
    url = check_url(policy.base_url)
    key = check_key(endpoint.key)
    answer = asyncio.run(_ask_for_models(policy, key))
    check = _judge(strip_url(url), key, answer, models)
    return replace(check, seen=f"{check.seen} ({endpoint.describe_sources()})")


def _judge(shown: str, key: str, answer: "httpx2.Response | str", models: list[str]) -> Check:
    if isinstance(answer, str):
        return report_failure(f"{shown} is not reached: {answer}", _REACH, EndpointFailed.exit_code)
    if answer.status_code in (401, 403):
        told = "refuses the key" if key else "asks for a key, and none is set"
        return report_failure(f"{shown} {told} (HTTP {answer.status_code})", _KEY, EndpointFailed.exit_code)
    if answer.status_code >= 500:
        told = f"{shown} answers with HTTP {answer.status_code}"
        return report_failure(told, "try again later, or look at that server", EndpointFailed.exit_code)
    return _with_models(shown, answer, models)


def _models(settings: RefreshSettings) -> list[str]:
    """Return the models that the settings name, each once."""
    playing = find_benchmark(settings.benchmark).playing()
    players = [name for name in settings.players if name not in playing.programs]
    models = (parse_model_player(name, {}, playing.variants).choice.model for name in players)
    named = [*settings.author_models(), *models]
    return list(dict.fromkeys(name for name in named if name))


async def _ask_for_models(policy: CallPolicy, key: str) -> "httpx2.Response | str":
    """Return the answer to GET /models, or why there was none."""
    import httpx2
    import openai

    from tasks.llm.http.bounded_http import open_client

    url = check_url(policy.base_url)
    try:
        async with asyncio.timeout(_TIMEOUT_S), open_client(policy, url, key) as client:
            return await client.get("/models", cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        return error.response
    except (openai.APITimeoutError, TimeoutError):
        return f"no answer within {_TIMEOUT_S:g} s"
    except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
        return " ".join(str(error.__cause__ or error).split())


def _with_models(shown: str, answer: "httpx2.Response", models: list[str]) -> Check:
    try:
        listed = {str(model["id"]) for model in json.loads(answer.content)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        seen = f"{shown} answers with HTTP {answer.status_code} and lists no models"
        return report_warning(seen, "check that base_url ends as the server wants it, often in /v1")
    unlisted = [model for model in models if model not in listed]
    if unlisted:
        seen = f"{shown} answers and does not list {', '.join(unlisted)}"
        return report_warning(seen, "correct the model's name, if the server does not know it unlisted")
    count = f"{len(listed):,} model{'' if len(listed) == 1 else 's'}"
    return report_pass(f"{shown} answers and lists {count}")
