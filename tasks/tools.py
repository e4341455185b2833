"""The tool of `tools:MODEL`: `python` runs a script in the sandbox, by the protocol of Chat Completions."""

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from perennial.prompts.render import render, template_hash
from perennial.schemas.errors import quote
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.model_calls import Message, ModelRequest, Reply
from perennial.schemas.rows import JsonObject
from perennial.tasks.llm.structured import Ask, Ledger
from perennial.tasks.sandbox.guest.names import MODULES
from perennial.tasks.sandbox.refusal import SandboxRefusal, WorkerLimits
from perennial.tasks.sandbox.tier import find_protection, run_script

# A run is kept in the ledger as a call of its own, of role `tool`, before its output is used. Equal scripts
# are one call: its output never changes, so that what the model is sent next, and with it each later call, is
# the same in every rerun, which runs nothing again. Else a script that ran into its time limit on a busy
# machine would get another result, and the rest of its episode would be asked and paid for once more.


MOST_ROUNDS = 8  # replies that call tools in an episode; the next one must answer
MOST_CALLS = 8  # in one reply: the others are answered by an error
MOST_OUTPUT = 10_000  # characters
FUNCTION = "python"
_TEMPLATE = "tools/python.md.j2"
_LIMITS = WorkerLimits(start_seconds=10.0, cpu_seconds=5)


@lru_cache(maxsize=1)
def tool_params() -> JsonObject:
    """The parameter of Chat Completions that offers the function."""
    description = render(
        _TEMPLATE, seconds=_LIMITS.cpu_seconds, modules=sorted(MODULES), characters=f"{MOST_OUTPUT:,}"
    )
    code = {"type": "string", "description": "the script"}
    parameters = {
        "type": "object",
        "properties": {"code": code},
        "required": ["code"],
        "additionalProperties": False,
    }
    function = {"name": FUNCTION, "description": description.strip(), "parameters": parameters}
    return {"tools": [{"type": "function", "function": function}]}


def offers_python(params: Mapping[str, object]) -> bool:
    """Whether a call with these parameters is one of `tools:MODEL`."""
    return "tools" in params and params["tools"] == tool_params()["tools"]


# What a model calls is data: a call that makes no sense is answered as an error, which the model may correct.
# Only a call that cannot be answered at all ends the episode.


async def answer_calls(ask: Ask, reply: Reply) -> list[Message] | None:
    """Run what a reply of status `tool_call` calls: the reply's message, and one for each result.

    What cannot be run is answered by an error that says why. None where a call has no id of its own, under
    which a result could be sent.
    """
    message = json.loads(reply.content)
    calls = message["tool_calls"]
    ids = {call["id"] for call in calls}
    if "" in ids or len(ids) < len(calls):
        return None
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": await _answer(ask, call, number)}
        for number, call in enumerate(calls)
    ]
    return [{"role": "assistant", **message}, *results]


async def _answer(ask: Ask, call: Mapping[str, Any], number: int) -> str:
    name, text = call["function"]["name"], call["function"]["arguments"]
    if number >= MOST_CALLS:
        return f"error: not run, as a reply may call {MOST_CALLS} times at most"
    if name != FUNCTION:
        return f"error: there is no function {quote(name)}: call {FUNCTION}"
    try:
        arguments = read_json(text, "the arguments")
    except UnreadableJson as error:
        return f"error: {error}"
    if not isinstance(arguments, dict) or set(arguments) != {"code"} or type(arguments["code"]) is not str:
        return 'error: the arguments are not an object with one text, "code", and nothing else'
    run = await ask(_request(arguments["code"]))
    return run.content if run.answered else f"error: {run.error}"


def _request(code: str) -> ModelRequest:
    limits = {"cpu_seconds": _LIMITS.cpu_seconds, "characters": MOST_OUTPUT}
    messages = ({"role": "user", "content": code},)
    return ModelRequest("tool", FUNCTION, messages, limits, _TEMPLATE, template_hash(_TEMPLATE))


class ToolRunner:
    """Answers requests of role `tool`: from the ledger, else by running the script, which is kept first."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._processors = asyncio.Semaphore(os.cpu_count() or 1)

    async def ask(self, request: ModelRequest) -> Reply:
        """The output of the script that the request's message is."""
        kept = self._ledger.find(request.call_id)
        if kept is not None:
            return kept
        async with self._processors:
            begun = time.perf_counter()
            output = await asyncio.to_thread(_run, request.messages[0]["content"])
        reply = Reply(
            request.call_id,
            "ok",
            output,
            prompt_tokens=0,
            completion_tokens=0,
            usage="reported",
            cost_usd=0.0,
            latency_s=time.perf_counter() - begun,
        )
        return await self._ledger.store(request, reply)


def _run(code: str) -> str:
    try:
        printed, error = run_script(code, _LIMITS, find_protection().jail)
    except SandboxRefusal as refusal:
        printed, error = "", str(refusal)
    parts: Sequence[str] = (
        printed[:MOST_OUTPUT].rstrip("\n"),
        f"(cut after {MOST_OUTPUT:,} characters)" if len(printed) > MOST_OUTPUT else "",
        f"error: {error}" if error else "",
    )
    return "\n".join(filter(None, parts)) or "(the script printed nothing)"
