"""A look at the model endpoint: does it answer, take the key, and know the models that are configured?"""

import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from flows.doctor.check import Check, Look, failed, passed, warned
from flows.stages.model_calls import api_key
from schemas.errors import EndpointFailed
from schemas.kumo.authoring import AUTHOR_ROLES
from schemas.model_settings import DEFAULT_BASE_URL
from schemas.settings import RefreshSettings
from tasks.kumo.game import VARIANTS
from tasks.kumo.players import PLAYERS
from tasks.llm.endpoint import checked_key, checked_url, is_loopback, shown_url
from tasks.play.model_player import parse_model_player

if TYPE_CHECKING:
    import httpx2

_TIMEOUT_S = 10.0
_NO_KEY = "none"
_KEY = "set PERENNIAL_API_KEY or OPENAI_API_KEY to a key of this endpoint, or name another one (base_url)"
_REACH = "start the server, or correct base_url (PERENNIAL_BASE_URL, or base_url in perennial.toml)"


def endpoint_looks(settings: RefreshSettings) -> Iterator[Look]:
    """Yield the look at the model endpoint of these settings; none is needed where no model is named."""
    yield Look("endpoint", _KEY, partial(_endpoint, settings))


def _endpoint(settings: RefreshSettings) -> Check:
    models = _models(settings)
    if not models and not settings.base_url:
        return passed("endpoint", "not configured: no model is named")
    url = checked_url(settings.base_url or DEFAULT_BASE_URL)
    key = checked_key(api_key())
    shown = shown_url(url)
    answer = _asked(shown, key, is_local=is_loopback(url))
    if isinstance(answer, str):
        return failed("endpoint", f"{shown} is not reached: {answer}", _REACH, EndpointFailed.exit_code)
    if answer.status_code in (401, 403):
        told = "refuses the key" if key else "asks for a key, and none is set"
        return failed(
            "endpoint", f"{shown} {told} (HTTP {answer.status_code})", _KEY, EndpointFailed.exit_code
        )
    if answer.status_code >= 500:
        told = f"{shown} answers with HTTP {answer.status_code}"
        return failed("endpoint", told, "try again later, or look at that server", EndpointFailed.exit_code)
    return _with_models(shown, answer, models)


def _models(settings: RefreshSettings) -> list[str]:
    """Return the models that the settings name, each once."""
    authors = [getattr(settings, role) for role in ("author", *AUTHOR_ROLES)]
    playing = [name for name in settings.players if name not in PLAYERS]
    named = [*authors, *(parse_model_player(name, {}, VARIANTS).choice.model for name in playing)]
    return list(dict.fromkeys(name for name in named if name))


def _asked(url: str, key: str, *, is_local: bool) -> "httpx2.Response | str":
    """Return the answer to GET /models, or why there was none."""
    import httpx2
    import openai

    # A proxy of the environment cannot reach this machine's own servers.
    transport = openai.DefaultHttpx2Client(timeout=_TIMEOUT_S, follow_redirects=False, trust_env=not is_local)
    try:
        with openai.OpenAI(
            api_key=key or _NO_KEY, base_url=url, max_retries=0, timeout=_TIMEOUT_S, http_client=transport
        ) as client:
            return client.get("/models", cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        return error.response
    except openai.APITimeoutError:
        return f"no answer within {_TIMEOUT_S:g} s"
    except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
        return " ".join(str(error.__cause__ or error).split())


def _with_models(shown: str, answer: "httpx2.Response", models: list[str]) -> Check:
    try:
        listed = {str(model["id"]) for model in json.loads(answer.content)["data"]}
    except (ValueError, KeyError, TypeError):
        seen = f"{shown} answers with HTTP {answer.status_code} and lists no models"
        return warned("endpoint", seen, "check that base_url ends as the server wants it, often in /v1")
    unlisted = [model for model in models if model not in listed]
    if unlisted:
        seen = f"{shown} answers and does not list {', '.join(unlisted)}"
        return warned("endpoint", seen, "correct the model's name, if the server does not know it unlisted")
    count = f"{len(listed):,} model{'' if len(listed) == 1 else 's'}"
    return passed("endpoint", f"{shown} answers and lists {count}")
