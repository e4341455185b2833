"""What servers say that are not OpenAI's: other words, other counts, other bodies."""

import json
from typing import Any

from aiohttp import web

# Drawn at each attempt, and only where they are asked for by name.
FOREIGN_FAULTS = {
    "filtered": "400 with the code content_filter, for this prompt",
    "flagged": "403: this prompt was flagged",
    "no_choice": "status 200 without a choice, and with the result of a filter",
    "too_long": "400 with the code context_length_exceeded, for this prompt",
    "loading": "503: the model is loading",
    "provider_error": "400: Provider returned error",
    "max_tokens": "a reply cut in the middle, finish_reason MAX_TOKENS",
    "network_error": "a reply cut in the middle, finish_reason network_error",
    "new_word": "finish_reason flurb",
    "reasoning_beside": "900 tokens of reasoning beside the completion's, as total_tokens shows",
    "cut_prompt": "usage that counts at most 64 tokens of a prompt",
    "blank": "a reply without a word",
    "other_model": "a reply of a model other-1",
    "sse": "a body that streams though nobody asked it to",
    "done_line": "a completion, then a line data: [DONE]",
}
_ERRORS = {
    "filtered": (400, "content_filter", "The prompt triggered the content management policy."),
    "flagged": (403, "403", "Your input was flagged by moderation."),
    "too_long": (400, "context_length_exceeded", "The maximum context length is 64 tokens."),
    "loading": (503, "unavailable_error", "Loading model"),
    "provider_error": (400, "400", "Provider returned error"),
}


def foreign_reply(fault: str, body: bytes) -> web.Response:
    """Return the response of a fault to a request whose completion is `body`."""
    if fault in _ERRORS:
        status, code, message = _ERRORS[fault]
        return web.json_response({"error": {"message": message, "code": code}}, status=status)
    if fault == "sse":
        return web.Response(text=_stream(json.loads(body)), content_type="text/event-stream")
    if fault == "done_line":
        return web.Response(body=body + b"\n\ndata: [DONE]\n\n", content_type="application/json")
    return web.json_response(_change(fault, json.loads(body)))


def _change(fault: str, body: dict[str, Any]) -> dict[str, Any]:
    choice, usage = body["choices"][0], body.get("usage") or {}
    if fault == "no_choice":
        results = [{"content_filter_results": {"violence": {"filtered": True, "severity": "high"}}}]
        return {**body, "choices": [], "prompt_filter_results": results}
    if fault in ("max_tokens", "network_error"):
        text = choice["message"]["content"] or ""
        choice["message"]["content"] = text[: len(text) // 2]
        choice["finish_reason"] = fault.upper() if fault == "max_tokens" else fault
    elif fault == "new_word":
        choice["finish_reason"] = "flurb"
    elif fault == "reasoning_beside":
        usage["completion_tokens_details"] = {"reasoning_tokens": 900}
        usage["total_tokens"] += 900
    elif fault == "cut_prompt":
        usage["prompt_tokens"] = min(64, usage["prompt_tokens"])
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    elif fault == "blank":
        choice["message"]["content"] = " "
    elif fault == "other_model":
        body["model"] = "other-1"
    return body


def _stream(body: dict[str, Any]) -> str:
    """Return the completion as server-sent events, its text in pieces of seven characters."""
    choice = body["choices"][0]
    text = choice["message"]["content"] or ""
    head = {name: body[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    deltas = [{"role": "assistant"}, *({"content": text[at : at + 7]} for at in range(0, len(text), 7))]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks += [{**head, "choices": [last]}, {**head, "choices": [], "usage": body.get("usage")}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
