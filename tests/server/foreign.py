"""What servers say that are not OpenAI's: other words, other counts, other bodies."""

import json
from typing import Any

from aiohttp import web

# Drawn at each attempt, and only where they are asked for by name.
FOREIGN_FAULTS = {
    "filtered": "400 with the code content_filter, for this prompt",
    "flagged": "403: this prompt was flagged",
    "too_long": "400 with the code context_length_exceeded, for this prompt",
    "loading": "503: the model is loading",
    "max_tokens": "a reply cut in the middle, finish_reason MAX_TOKENS",
    "network_error": "a reply cut in the middle, finish_reason network_error",
    "new_word": "finish_reason flurb",
    "cut_prompt": "usage that counts at most 64 tokens of a prompt",
    "blank": "a reply without a word",
    "other_model": "a reply of a model other-1",
}
_ERRORS = {
    "filtered": (400, "content_filter", "The prompt triggered the content management policy."),
    "flagged": (403, "403", "Your input was flagged by moderation."),
    "too_long": (400, "context_length_exceeded", "The maximum context length is 64 tokens."),
    "loading": (503, "unavailable_error", "Loading model"),
}


def foreign_reply(fault: str, body: bytes) -> web.Response:
    """Return the response of a fault to a request whose completion is `body`."""
    if fault in _ERRORS:
        status, code, message = _ERRORS[fault]
        return web.json_response({"error": {"message": message, "code": code}}, status=status)
    return web.json_response(_change(fault, json.loads(body)))


def _change(fault: str, body: dict[str, Any]) -> dict[str, Any]:
    choice, usage = body["choices"][0], body.get("usage") or {}
    if fault in ("max_tokens", "network_error"):
        text = choice["message"]["content"] or ""
        choice["message"]["content"] = text[: len(text) // 2]
        choice["finish_reason"] = fault.upper() if fault == "max_tokens" else fault
    elif fault == "new_word":
        choice["finish_reason"] = "flurb"
    elif fault == "cut_prompt":
        usage["prompt_tokens"] = min(64, usage["prompt_tokens"])
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    elif fault == "blank":
        choice["message"]["content"] = " "
    elif fault == "other_model":
        body["model"] = "other-1"
    return body
