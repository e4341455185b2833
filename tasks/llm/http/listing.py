"""Ask an endpoint which models it lists: GET /models, one attempt."""

import asyncio
import json
import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING

from perennial.schemas.errors import count, in_one_line
from perennial.schemas.model_calls.calls import CallPolicy
from perennial.tasks.llm.http.endpoint import check_url
from perennial.tasks.llm.http.extras import Extras
from perennial.tasks.llm.http.posting import describe_problem

if TYPE_CHECKING:
    import httpx2

_SHOWN = 3
_PARTS = re.compile(r"[a-z0-9]+")
# Dates, versions and formats that servers add to a name.
_VERSION = re.compile(
    r"\d+|v\d+|preview|exp|beta|free|gguf|awq|gptq|hf|[bf]p?\d+|int\d|i?q\d\w*|[kmsl]|xs|xl"
)


async def ask_for_models(
    policy: CallPolicy, key: str, extras: Extras | None = None
) -> "httpx2.Response | str":
    """Return the answer to GET /models, or why there was none."""
    import aiohttp
    import httpx2
    import openai

    from perennial.tasks.llm.http.bounded_http import open_client

    url = check_url(policy.base_url)
    try:
        async with asyncio.timeout(policy.timeout_s), open_client(policy, url, key, extras) as client:
            return await client.get("/models", cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        return error.response
    except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
        return in_one_line(describe_problem(error, policy))


def listed_models(answer: "httpx2.Response | str") -> set[str] | None:
    """Return the names of the models in an answer to GET /models, None where it is no such list."""
    if isinstance(answer, str) or answer.status_code != 200:
        return None
    try:
        return {str(model["id"]) for model in json.loads(answer.content)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def is_listed(model: str, listed: Collection[str]) -> bool:
    """Whether a model is among those listed; Ollama lists `NAME:latest` for `NAME`."""
    return model in listed or f"{model}:latest" in listed


def is_same_model(asked: str, served: str) -> bool:
    """Whether a server reports the name of the model asked, up to a folder, a date or a format."""
    asked_parts, served_parts = (
        [part for part in _PARTS.findall(name.casefold()) if part != "latest"] for name in (asked, served)
    )
    shorter, longer = sorted((asked_parts, served_parts), key=len)
    starts = (start for start in range(len(longer) - len(shorter) + 1))
    return any(
        longer[start : start + len(shorter)] == shorter
        and all(map(_VERSION.fullmatch, longer[start + len(shorter) :]))
        and (start == 0 or "/" in max(asked, served, key=len))
        for start in starts
    )


def describe_unlisted(model: str, listed: Collection[str]) -> str:
    """Return in words that a model is not among those listed, with the names that are closest to it."""
    near = get_close_matches(model, sorted(listed), _SHOWN, 0.0)
    more = ", ..." if len(listed) > len(near) else ""
    names = f": {', '.join(near)}{more}" if near else ""
    return f"the endpoint does not list {model!r} among its {count(len(listed), 'model')}{names}"
