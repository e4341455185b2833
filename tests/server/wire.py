"""The protocol: reading a request's body; the bodies of completions, models and errors in OpenAI's form."""

from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from perennial.schemas.ids import content_id
from tests.server.faults import Completion
from tests.server.script import Asked

CREATED = 1_700_000_000
_CHARACTERS_PER_TOKEN = 4
_SPEAKERS = frozenset({"system", "developer", "user", "assistant", "tool"})


class Refused(Exception):
    """A request that gets no completion: the HTTP status, OpenAI's code, why, and the log's outcome."""

    def __init__(self, status: int, code: str, message: str, outcome: str = "bad_request") -> None:
        super().__init__(message)
        self.status = status
        self.outcome = outcome
        self.body = error_body(status, code, message)


@dataclass(frozen=True, slots=True)
class Call:
    """A request that makes sense."""

    asked: Asked
    digest: str
    max_tokens: int | None


def read_call(body: bytes, *, has_tools: bool = True) -> Call:
    """Return what a body asks for; raise Refused where it is no chat completion request.

    A server without tools does not look at those that it is offered.
    """
    try:
        value = from_json(body)
    except ValueError as error:
        raise _bad(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _bad("the body is not a JSON object")
    model, messages = value.pop("model", None), value.pop("messages", None)
    if not isinstance(model, str):
        raise _bad("`model` is not a string")
    _check_messages(messages)
    if not has_tools:
        value.pop("tools", None)
    try:
        digest = request_digest(model, messages, value)
    except ValueError as error:
        raise _bad(f"a parameter is no JSON value: {error}") from error
    return Call(Asked(model, tuple(messages), value), digest, _check_params(value))


def request_digest(model: str, messages: list[dict[str, str]], params: dict[str, Any]) -> str:
    """Return what the log calls a request: a digest of all that its body says."""
    return content_id("request", model, messages, params)


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not messages:
        raise _bad("`messages` is not a list with at least one message")
    open_calls: set[str] = set()
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("content"), str):
            raise _bad("a message is not an object with a string as `content`")
        if message.get("role") not in _SPEAKERS:
            raise _bad(f"a message's `role` is {message.get('role')!r}: use one of {sorted(_SPEAKERS)}")
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise _bad("a message with role 'tool' answers no open call of `tool_calls`")
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            raise _bad(f"calls of tools without an answer: {sorted(open_calls)}")
        open_calls |= {call["id"] for call in message.get("tool_calls", ())}
    if open_calls:
        raise _bad(f"calls of tools without an answer: {sorted(open_calls)}")


def _check_params(params: dict[str, Any]) -> int | None:
    if params.get("stream"):
        raise _bad("`stream` is not supported")
    if params.get("n") not in (None, 1):
        raise _bad("`n` other than 1 is not supported")
    limits = [
        params[name] for name in ("max_tokens", "max_completion_tokens") if params.get(name) is not None
    ]
    if any(type(limit) is not int or limit < 1 for limit in limits):
        raise _bad("`max_tokens` or `max_completion_tokens` is not a whole number above 0")
    return min(limits, default=None)


def _bad(message: str) -> Refused:
    return Refused(400, "invalid_request_error", message)


def completion_body(call: Call, completion: Completion, seed: int) -> bytes:
    """Return a chat completion as JSON: equal for an equal request and seed."""
    message: dict[str, Any] = {"role": "assistant", "content": completion.content}
    message["refusal"] = completion.refusal
    if completion.reasoning is not None:
        message["reasoning_content"] = completion.reasoning
    finish_reason = completion.finish_reason
    if completion.tool_calls:
        message["tool_calls"] = list(completion.tool_calls)
        finish_reason = "tool_calls"
    if completion.function_call:
        message["function_call"] = completion.function_call
        finish_reason = "function_call"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}
    body: dict[str, Any] = {
        "id": content_id("chatcmpl", seed, call.digest),
        "object": "chat.completion",
        "created": CREATED,
        "model": call.asked.model,
        "choices": [choice],
    }
    if completion.has_usage:
        body["usage"] = _usage(call, completion)
    return to_json(body)


def _usage(call: Call, completion: Completion) -> dict[str, Any]:
    prompt = _tokens(*(message["content"] for message in call.asked.messages))
    called = [call["function"]["arguments"] for call in completion.tool_calls]
    completed = _tokens(completion.content, completion.refusal, completion.reasoning, *called)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completed,
        "total_tokens": prompt + completed,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": _tokens(completion.reasoning)},
    }


def _tokens(*texts: str | None) -> int:
    return -(-sum(len(text) for text in texts if text) // _CHARACTERS_PER_TOKEN)


def models_body(models: tuple[str, ...]) -> bytes:
    """Return the list of models as JSON."""
    data = [{"id": model, "object": "model", "created": CREATED, "owned_by": "perennial"} for model in models]
    return to_json({"object": "list", "data": data})


def error_body(status: int, code: str, message: str) -> bytes:
    """Return an error as JSON, of the type that goes with its status."""
    kind = "invalid_request_error" if status < 500 and status != 429 else "server_error"
    if status == 429:
        kind = "rate_limit_error"
    return to_json({"error": {"message": message, "type": kind, "param": None, "code": code}})
