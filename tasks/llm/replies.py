"""Read what a server sent back: exactly one status for a call, whatever the body holds.

The body is untrusted text. Reasoning is split off, wherever it stands, so that it is never parsed for an
answer; counts that make no sense become None; nothing here raises because of what a body says.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from perennial.schemas.errors import shorten
from perennial.schemas.json_text import JsonBeyondBounds
from perennial.schemas.model_calls import CallStatus, ModelRequest, Price, Reply, UsageStatus
from perennial.tasks.llm.endpoint import read_body, read_completion
from perennial.tasks.llm.limits import completion_bound, prompt_bytes, prompt_tokens_at_least, utf8_length
from perennial.tasks.llm.reasoning import read_parts, read_reasoning_field, split_reasoning
from perennial.tasks.llm.retry_policy import CallAttempt, HttpResult, is_retried_status
from perennial.tasks.llm.server_words import Ending, read_ending, read_failure, read_output_limit

# Tokens and cost of a call, from the usage that a server reports, as far as it can be true.
#
# A server may report anything, and what it reports is published, counts towards limits and makes calls wait.
# So a count is bounded by what prompt and reply can hold:
#
# - a prompt by one token per byte of its text (no tokeniser makes more), 64 per message for the chat format,
#   and 4,096 for what a server may put before it;
# - a completion by one token per byte of its text and reasoning, or `max_tokens` where that is more, and 64
#   for the chat format; without `max_tokens` by 200,000 more, as reasoning need not be in the reply.
#
# A larger count is replaced by the bound, and the call is marked: its `usage` is "bounded". A count that is
# no whole number from 0 up is unknown. A prompt's count that is less than its text can have says that the
# server has cut the prompt: `usage` is "short".
#
# Some servers count reasoning beside the completion (xAI), or show it in `total_tokens` alone. All of it is
# billed, so the completion's count is the largest that what they report allows, and `usage` is "derived". It
# may pass `max_tokens`, as not all of them limit reasoning by it. What was reported is in `usage_reported`.

_TOKENS_PER_MESSAGE = 64
_HIDDEN_PROMPT_TOKENS = 4_096
_HIDDEN_REASONING_TOKENS = 200_000
_MAX_REPORTED_CHARS = 40


@dataclass(frozen=True, slots=True)
class TokenBounds:
    """The most tokens that a prompt and its completion can have, and the fewest of the prompt."""

    prompt: int
    completion: int
    # With reasoning that is not in the reply, and that no `max_tokens` limits.
    hidden: int = 0
    least_prompt: int = 0


def token_bounds(request: ModelRequest, *texts: str | None) -> TokenBounds:
    """The bounds of a call whose reply holds these texts, reasoning included."""
    overhead = _TOKENS_PER_MESSAGE * len(request.messages) + _HIDDEN_PROMPT_TOKENS
    text_tokens = sum(utf8_length(text) for text in texts if text)
    promised = completion_bound(request.params)
    hidden = text_tokens + _HIDDEN_REASONING_TOKENS + _TOKENS_PER_MESSAGE
    completion = hidden if promised is None else max(text_tokens, promised) + _TOKENS_PER_MESSAGE
    return TokenBounds(prompt_bytes(request) + overhead, completion, hidden, prompt_tokens_at_least(request))


def usage_of(usage: object, price: Price | None, bounds: TokenBounds) -> dict[str, Any]:
    """The token counts, `usage`, `usage_reported`, `cost_usd` and `price_source` of a Reply."""
    reported = _read_counts(usage)
    tokens = {name: value if type(value) is int and value >= 0 else None for name, value in reported.items()}
    total = tokens.pop("total_tokens")
    sent = _sum_completion(
        tokens["prompt_tokens"], tokens["completion_tokens"], tokens["reasoning_tokens"], total
    )
    is_derived = sent != tokens["completion_tokens"]
    if is_derived:
        bounds = replace(bounds, completion=max(bounds.completion, bounds.hidden))
    tokens["completion_tokens"] = sent
    most = {"prompt_tokens": bounds.prompt, "cached_tokens": bounds.prompt}
    counts = {
        name: None if count is None else min(most.get(name, bounds.completion), count)
        for name, count in tokens.items()
    }
    prompt, completion, cached = (counts[f"{name}_tokens"] for name in ("prompt", "completion", "cached"))
    if cached is not None and prompt is not None and cached > prompt:
        cached = None
    status: UsageStatus = "bounded" if counts != tokens else "derived" if is_derived else "reported"
    if prompt and prompt < bounds.least_prompt and status == "reported":
        status = "short"
    if prompt is None or completion is None:
        status = "missing"
    is_plain = all(reported[name] is None or reported[name] == count for name, count in counts.items())
    return {
        **counts,
        "cached_tokens": cached,
        "usage": status,
        "usage_reported": None
        if is_plain and not is_derived
        else json.dumps({k: _legible(v) for k, v in reported.items()}),
        "cost_usd": (cost := cost_usd(price, prompt, completion, cached)),
        "price_source": price.source if price is not None and cost is not None else None,
    }


def _sum_completion(
    prompt: int | None, completion: int | None, reasoning: int | None, total: int | None
) -> int | None:
    """All tokens of the reply: reasoning is beside the completion if it is more, or by the total."""
    by_total = None if total is None or prompt is None or total < prompt else total - prompt
    beside = 0
    if completion is not None and reasoning is not None and reasoning > completion:
        beside = completion + reasoning
    counts = [count for count in (completion, by_total) if count is not None]
    return max([*counts, beside]) if counts else None


def _read_counts(usage: object) -> dict[str, Any]:
    """The counts as the server reported them, None where it did not."""
    counts = _object(usage)
    prompt_details = _object(counts.get("prompt_tokens_details"))
    completion_details = _object(counts.get("completion_tokens_details"))
    return {
        "prompt_tokens": _first(counts, "prompt_tokens", "input_tokens"),
        "completion_tokens": _first(counts, "completion_tokens", "output_tokens"),
        "reasoning_tokens": _first({**counts, **completion_details}, "reasoning_tokens"),
        "cached_tokens": _first({**counts, **prompt_details}, "cached_tokens", "prompt_cache_hit_tokens"),
        "total_tokens": counts.get("total_tokens"),
    }


def _first(counts: Mapping[str, Any], *names: str) -> Any:
    return next((counts[name] for name in names if counts.get(name) is not None), None)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _legible(value: object) -> object:
    """A count that any reader of JSON can hold, and anything else as the beginning of its text."""
    if value is None or (type(value) is int and abs(value) < 2**63):
        return value
    if isinstance(value, dict | list):
        return type(value).__name__
    return str(value)[:_MAX_REPORTED_CHARS]


def cost_usd(
    price: Price | None, prompt: int | None, completion: int | None, cached: int | None
) -> float | None:
    """A call's cost in US dollars, None where a price or a needed count is unknown.

    Cached tokens are part of the prompt's; None of them known means that all pay the prompt's price.
    """
    if price is None or prompt is None or completion is None:
        return None
    price, cached = price.for_prompt(prompt), cached or 0
    if price.prompt is None or price.completion is None:
        return None
    cached_price = price.prompt if price.cached is None else price.cached
    return ((prompt - cached) * price.prompt + cached * cached_price + completion * price.completion) / 1e6


MAX_RAW_CHARS = 1_000_000
# No model writes more in one reply; what a reply has beyond that is dropped, and it counts as truncated.
MAX_TEXT_CHARS = 1_000_000
_MAX_ERROR_CHARS, _MAX_NAME_CHARS = 300, 200
_MAX_TOOL_CALLS = 128

_HTML = re.compile(
    r"\s*(?:<\?xml.{0,200}?>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b",
    re.I | re.A | re.S,
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{1,2000})<", re.IGNORECASE | re.ASCII)
_MARKUP = re.compile(r"<[^<>]{0,2000}>")


def read_attempt(
    request: ModelRequest, received: HttpResult, price: Price | None, attempts: int = 1
) -> CallAttempt:
    """What one attempt amounts to; `attempts` is how many there were so far.

    ok, truncated, refused, empty or tool_call for a chat completion; refused or overflow where an error says
    that of this prompt; html_body or invalid_body for another body with status 2xx; rejected for a status
    that is never tried again; unavailable for all else. It is final where the body is too long or too deep
    to be read. Usage that a failed reply reports counts too.
    """
    failed = _Failed(request, received, price, attempts)
    if received.problem is not None or received.http_status is None:
        return failed.end("unavailable", received.problem or "no response")
    if not 200 <= received.http_status <= 299:
        return _read_error(received.http_status, _json(received.body), failed)
    if received.why_cut is not None:
        return failed.end("invalid_body", f"the body {received.why_cut}", is_final=True)
    if _HTML.match(received.body):
        return failed.end("html_body", f"the body is an HTML page: {find_message(received.body)}")
    try:
        body = read_completion(received.body)
    except JsonBeyondBounds as error:
        return failed.end(
            "invalid_body", f"the body is {error}: {_shorten_line(received.body)}", is_final=True
        )
    if not isinstance(body, dict):
        return failed.end("invalid_body", f"the body is no JSON object: {_shorten_line(received.body)}")
    choice = _first_choice(body)
    if choice is None:
        return _read_error(200, body, failed)
    ending = _ending_of(choice)
    defect = _defect_of(choice, ending)
    if defect is not None:
        return failed.end("invalid_body", f"{defect}: {_message_in(body) or _shorten_line(received.body)}")
    message = choice.get("message") or {}
    text, thought_parts, refused = read_parts(message.get("content"))
    text = _storable(text[: MAX_TEXT_CHARS + 1])
    content, thought = split_reasoning(text[:MAX_TEXT_CHARS])
    field = "\n".join(filter(None, (read_reasoning_field(message), thought_parts)))[:MAX_TEXT_CHARS]
    reasoning = "\n".join(part for part in (_storable(field), thought) if part) or None
    refusal, calls = _name(message.get("refusal")), _read_tool_calls(message)
    status: CallStatus = "ok" if content.strip() else "empty"
    if refused or refusal is not None or ending == "refused":
        status = "refused"
    elif ending == "cut" or len(text) > MAX_TEXT_CHARS:
        status = "truncated"
    elif calls:
        status = "tool_call"
        content = json.dumps({"content": content, "tool_calls": calls}, ensure_ascii=False)
    reply = Reply(
        request.call_id,
        status,
        content,
        raw=_bound_text(received.body),
        attempts=attempts,
        reasoning=reasoning,
        reasoning_source="field" if field else "think_tags" if thought else "none",
        finish_reason=_name(choice.get("finish_reason")) or _name(choice.get("native_finish_reason")),
        served_model=_name(body.get("model")),
        latency_s=received.latency_s,
        **usage_of(body.get("usage"), price, token_bounds(request, content, reasoning, refusal)),
    )
    return CallAttempt(replace(received, body=reply.raw or ""), reply)


@dataclass(frozen=True, slots=True)
class _Failed:
    """A call without an answer, so far as it is known before its error is."""

    request: ModelRequest
    received: HttpResult
    price: Price | None
    attempts: int

    def end(self, status: CallStatus, error: str, *, is_final: bool = False) -> CallAttempt:
        # What the server says that the reply used counts too.
        body = _json(self.received.body) if '"usage"' in self.received.body else None
        used = body.get("usage") if isinstance(body, dict) else None
        usage = {}
        if isinstance(used, dict):
            usage = usage_of(used, self.price, token_bounds(self.request, self.received.body))
        reply = Reply(
            self.request.call_id,
            status,
            error=one_line(error),
            raw=_bound_text(self.received.body) or None,
            latency_s=self.received.latency_s,
            attempts=self.attempts,
            **usage,
        )
        return CallAttempt(replace(self.received, body=reply.raw or ""), reply, is_final)

    def refuse(self) -> CallAttempt:
        """A refusal of this prompt, which is an answer: it would be refused again."""
        tried = self.end("refused", "")
        return replace(tried, reply=replace(tried.reply, error=None))


def _read_error(http_status: int, body: object, failed: _Failed) -> CallAttempt:
    """Read an error: an HTTP status from 300 up, or a body of status 200 that holds no reply."""
    if 300 <= http_status <= 399:
        reason = "a redirect, which is not followed, to protect the key: give its target as base URL"
        return failed.end("rejected", f"HTTP {http_status}: {reason}")
    text = failed.received.body
    failure = read_failure(http_status, body or ("" if _HTML.match(text) else text[:_MAX_ERROR_CHARS]))
    if failure == "refused":
        return failed.refuse()
    if http_status == 200:
        status: CallStatus = "invalid_body"
        reason = f"the body is no chat completion: {_message_in(body) or _shorten_line(text)}"
    else:
        retried = failure == "passing" or is_retried_status(http_status)
        status = "unavailable" if retried and not is_out_of_quota(failed.received) else "rejected"
        reason = f"HTTP {http_status}: {find_message(text)}"
    if failure == "overflow":
        return failed.end("overflow", f"prompt and reply do not fit the model's context: {reason}")
    return failed.end(status, reason)


def is_out_of_quota(received: HttpResult) -> bool:
    """Whether the account has no money or quota left; waiting does not change that."""
    if received.http_status == 402:
        return True
    body = _json(received.body) if received.http_status == 429 else None
    error = body.get("error") if isinstance(body, dict) else None
    fields = error if isinstance(error, dict) else {}
    return "insufficient_quota" in (fields.get("code"), fields.get("type"))


def find_output_limit(received: HttpResult) -> tuple[int, bool] | None:
    """The most tokens that a server allows a reply where it refuses the limit sent, else None.

    And whether it allows no reply of the model more.
    """
    return read_output_limit(received.http_status or 0, _json(received.body))


def wants_completion_tokens(received: HttpResult) -> bool:
    """Whether the server refuses `max_tokens` and names `max_completion_tokens` instead."""
    return received.http_status == 400 and "max_completion_tokens" in received.body


# ---- the message


def read_message(message: Mapping[str, Any], finish_reason: str | None = None) -> Reply:
    """The reply of a message that another program asked for, read as if a server had sent it here."""
    body = {"choices": [{"message": message, "finish_reason": finish_reason}]}
    request = ModelRequest("player", "", (), {}, "", "")
    return replace(read_attempt(request, HttpResult(200, json.dumps(body), 0.0), None).reply, raw=None)


def _read_tool_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The functions that a message calls, in the form in which they are sent back; "" for what is no text.

    `function_call` is the older form, of one call without an id.
    """
    listed, older = message.get("tool_calls"), message.get("function_call")
    items = listed if isinstance(listed, list) and listed else [{"function": older}] if older else []
    calls = []
    for item in items[:_MAX_TOOL_CALLS]:
        call = item if isinstance(item, dict) else {}
        function = call.get("function")
        named = function if isinstance(function, dict) else {}
        arguments = named.get("arguments")
        # Some servers send the object itself.
        text = json.dumps(arguments) if isinstance(arguments, dict) else arguments
        parts = {
            "name": _name(named.get("name")) or "",
            "arguments": _bound_text(text) if isinstance(text, str) else "",
        }
        calls.append({"id": _name(call.get("id")) or "", "type": "function", "function": parts})
    return calls


def _first_choice(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first choice of a chat completion, None where the body is none.

    One that a filter or a limit stopped before its first word may have no message.
    """
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return None
    message = choice.get("message")
    is_stopped = message is None and _ending_of(choice) in ("refused", "cut", "broken")
    return choice if isinstance(message, dict) or is_stopped else None


def _ending_of(choice: Mapping[str, Any]) -> Ending:
    # A router brings the word of the server behind it to one form, and what that said may say more.
    return read_ending(choice.get("finish_reason"), choice.get("native_finish_reason"))


def _defect_of(choice: Mapping[str, Any], ending: Ending) -> str | None:
    """Why a choice cannot be used; None: it can."""
    if ending == "broken":
        why = _message_in(choice.get("error")) or f"finish_reason is {choice.get('finish_reason')}"
        return f"the server broke off its reply ({why})"
    content = (choice.get("message") or {}).get("content")
    if content is not None and not isinstance(content, str | list):
        return f"the message's content is neither text nor a list of parts but {type(content).__name__}"
    return None


# ---- text


def _json(text: str) -> Any:
    try:
        return read_body(text)
    except JsonBeyondBounds:
        return None


def find_message(body: str) -> str:
    """The message of an error body: the server's own words, a page's title, or the text."""
    value = _json(body)
    title = _TITLE.search(body[:10_000])
    return _message_in(value) or (title[1] if title else _MARKUP.sub(" ", body[:2000]).strip()) or "(no body)"


def _message_in(value: object, depth: int = 4) -> str | None:
    """The message that an error object holds in one of the usual places, None without one."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list) and value and depth:
        return _message_in(value[0], depth - 1)
    if not isinstance(value, dict) or not depth:
        return None
    named = (_message_in(value.get(name), depth - 1) for name in ("error", "message", "detail", "msg"))
    return next(filter(None, named), None)


def one_line(text: str) -> str:
    """One line, shortened for messages."""
    return shorten(" ".join(_storable(text).split()), _MAX_ERROR_CHARS)


def _shorten_line(text: str) -> str:
    return repr(" ".join(text[:200].split())[:80])


def _bound_text(text: str) -> str:
    return _storable(text[:MAX_RAW_CHARS])


def _storable(text: str) -> str:
    """The text with lone surrogates (half a character) marked as U+FFFD: no file can hold them."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def _name(value: object) -> str | None:
    return _storable(value[:_MAX_NAME_CHARS]) if isinstance(value, str) and value else None
