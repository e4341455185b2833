"""Make one HTTP request and say what came of it, without reading what the body says."""

import asyncio
import os
import ssl
import time
from collections.abc import Awaitable, Callable, Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import causes, count, in_one_line
from perennial.schemas.json_text import read_json
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.llm.endpoint import RequestExtras, check_url
from perennial.tasks.llm.retry_policy import HttpResult, retry_after_s

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI


_AUTHORITIES = "SSL_CERT_FILE"


async def post_chat(openai_client: "AsyncOpenAI", body: dict[str, Any], policy: CallPolicy) -> HttpResult:
    """What one POST gives; the body stays text, as only `replies` may say what it is."""
    from perennial.tasks.llm.bounded_http import httpx

    return await receive(
        lambda: openai_client.post("/chat/completions", cast_to=httpx.Response, body=body), policy
    )


async def receive(send: "Callable[[], Awaitable[httpx2.Response]]", policy: CallPolicy) -> HttpResult:
    """What one request gives, whatever becomes of it."""
    import aiohttp
    import openai

    from perennial.tasks.llm.bounded_http import httpx, why_cut

    started = time.perf_counter()
    try:
        async with asyncio.timeout(policy.timeout_s):
            response = await send()
    except openai.APIStatusError as error:
        response = error.response
    except (openai.APIConnectionError, httpx.HTTPError, aiohttp.ClientError, OSError) as error:
        # There never was a connection, so that no server can have received anything.
        never = aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError
        return HttpResult(
            None,
            latency_s=time.perf_counter() - started,
            problem=describe_problem(error, policy),
            was_sent=not any(isinstance(cause, never) for cause in causes(error)),
        )
    return HttpResult(
        response.status_code,
        response.content.decode("utf-8-sig", "replace"),
        time.perf_counter() - started,
        retry_after_s=retry_after_s(response.status_code, response.headers),
        why_cut=why_cut(response),
    )


def describe_problem(error: BaseException, policy: CallPolicy) -> str:
    """Why no whole response came, in the words of the error at the bottom."""
    import aiohttp

    chain = list(causes(error))
    if any(isinstance(cause, aiohttp.ConnectionTimeoutError) for cause in chain):
        return f"no connection within {policy.connect_timeout_s:g} s"
    if any(isinstance(cause, aiohttp.ServerTimeoutError) or type(cause) is TimeoutError for cause in chain):
        return (
            f"no whole response within {policy.timeout_s:g} s: if the server answers one call at a time, set "
            "a lower --concurrency or a higher --timeout"
        )
    if isinstance(chain[-1], ssl.SSLCertVerificationError):
        now = os.environ.get(_AUTHORITIES, "")
        return (
            f"no connection: the server's certificate is not trusted ({chain[-1].verify_message}): set "
            f"{_AUTHORITIES} to a file with the certificates of its authority"
            + (f" (now {now})" if now else "")
        )
    if any(isinstance(cause, aiohttp.ClientConnectorError) for cause in chain):
        return f"no connection: {chain[-1]}"
    return f"the connection was lost: {str(chain[-1]) or type(chain[-1]).__name__}"


# Ask an endpoint which models it lists: GET /models, one attempt.

_SHOWN = 3


async def ask_for_models(
    policy: CallPolicy, key: str, extras: RequestExtras | None = None
) -> "httpx2.Response | str":
    """The answer to GET /models, or why there was none."""
    import aiohttp
    import openai

    from perennial.tasks.llm.bounded_http import httpx, open_client

    url = check_url(policy.base_url)
    try:
        async with asyncio.timeout(policy.timeout_s), open_client(policy, url, key, extras) as client:
            return await client.get("/models", cast_to=httpx.Response)
    except openai.APIStatusError as error:
        return error.response
    except (openai.APIConnectionError, httpx.HTTPError, aiohttp.ClientError, OSError) as error:
        return in_one_line(describe_problem(error, policy))


def listed_models(answer: "httpx2.Response | str") -> set[str] | None:
    """The names of the models in an answer to GET /models, None where it is no such list."""
    if isinstance(answer, str) or answer.status_code != 200:
        return None
    try:
        return {str(model["id"]) for model in read_json(answer.content)["data"]}
    except (ValueError, KeyError, TypeError):
        return None


def is_listed(model: str, listed: Collection[str]) -> bool:
    """Whether a model is among those listed; Ollama lists `NAME:latest` for `NAME`."""
    return model in listed or f"{model}:latest" in listed


def describe_unlisted(model: str, listed: Collection[str]) -> str:
    """In words that a model is not among those listed, with the names that are closest to it."""
    near = get_close_matches(model, sorted(listed), _SHOWN, 0.0)
    more = ", ..." if len(listed) > len(near) else ""
    names = f": {', '.join(near)}{more}" if near else ""
    return f"the endpoint does not list {model!r} among its {count(len(listed), 'model')}{names}"
