"""Ask an endpoint which models it lists: GET /models, one attempt."""

import asyncio
import json
from typing import TYPE_CHECKING

from schemas.calls import CallPolicy
from tasks.llm.http.endpoint import check_url
from tasks.llm.http.extras import Extras

if TYPE_CHECKING:
    import httpx2


async def ask_for_models(
    policy: CallPolicy, key: str, extras: Extras | None = None
) -> "httpx2.Response | str":
    """Return the answer to GET /models, or why there was none."""
    import httpx2
    import openai

    from tasks.llm.http.bounded_http import open_client

    url = check_url(policy.base_url)
    try:
        async with asyncio.timeout(policy.timeout_s), open_client(policy, url, key, extras) as client:
            return await client.get("/models", cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        return error.response
    except (openai.APITimeoutError, TimeoutError):
        return f"no answer within {policy.timeout_s:g} s"
    except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
        return " ".join(str(error.__cause__ or error).split())


def listed_models(answer: "httpx2.Response | str") -> set[str] | None:
    """Return the names of the models in an answer to GET /models, None where it is no such list."""
    if isinstance(answer, str) or answer.status_code != 200:
        return None
    try:
        return {str(model["id"]) for model in json.loads(answer.content)["data"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
