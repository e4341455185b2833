"""Tokens and cost of a call, from the usage that a server reports, as far as it can be true.

A server may report anything, and what it reports is published, counts towards limits and makes calls wait.
So a count is bounded by what prompt and reply can hold:

- a prompt by one token per byte of its text (no tokeniser makes more), 64 per message for the chat format,
  and 4,096 for what a server may put before it;
- a completion by one token per byte of its text and reasoning, or `max_tokens` where that is more, and 64 for
  the chat format; without `max_tokens` by 200,000 more, as reasoning need not be in the reply.

A larger count is replaced by the bound, and the call is marked: its `usage` is "bounded". A count that is no
whole number from 0 up is unknown. A prompt's count that is less than its text can have says that the server
has cut the prompt: `usage` is "short".

Some servers count reasoning beside the completion (xAI), or show it in `total_tokens` alone. All of it is
billed, so the completion's count is the largest that what they report allows, and `usage` is "derived". It
may pass `max_tokens`, as not all of them limit reasoning by it. What was reported is in `usage_reported`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from perennial.schemas.model_calls.calls import ModelRequest, UsageStatus
from perennial.schemas.model_calls.price import Price
from perennial.tasks.llm.limits.rate_limits import (
    completion_bound,
    prompt_bytes,
    prompt_tokens_at_least,
    utf8_length,
)

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
    """Return the bounds of a call whose reply holds these texts, reasoning included."""
    overhead = _TOKENS_PER_MESSAGE * len(request.messages) + _HIDDEN_PROMPT_TOKENS
    said = sum(utf8_length(text) for text in texts if text)
    promised = completion_bound(request.params)
    hidden = said + _HIDDEN_REASONING_TOKENS + _TOKENS_PER_MESSAGE
    completion = hidden if promised is None else max(said, promised) + _TOKENS_PER_MESSAGE
    return TokenBounds(prompt_bytes(request) + overhead, completion, hidden, prompt_tokens_at_least(request))


def usage_of(usage: object, price: Price | None, bounds: TokenBounds) -> dict[str, Any]:
    """Return the token counts, `usage`, `usage_reported` and `cost_usd` of a Reply."""
    reported = _read_counts(usage)
    known = {name: _count(value) for name, value in reported.items()}
    total = known.pop("total_tokens")
    sent = _sum_completion(
        known["prompt_tokens"], known["completion_tokens"], known["reasoning_tokens"], total
    )
    is_derived = sent != known["completion_tokens"]
    if is_derived:
        bounds = replace(bounds, completion=max(bounds.completion, bounds.hidden))
    known["completion_tokens"] = sent
    counts = {name: _at_most(_bound(name, bounds), count) for name, count in known.items()}
    prompt, completion, cached = (counts[f"{name}_tokens"] for name in ("prompt", "completion", "cached"))
    if cached is not None and prompt is not None and cached > prompt:
        cached = None
    status: UsageStatus = "bounded" if counts != known else "derived" if is_derived else "reported"
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
        "cost_usd": cost_usd(price, prompt, completion, cached),
    }


def _sum_completion(
    prompt: int | None, completion: int | None, reasoning: int | None, total: int | None
) -> int | None:
    """Return all tokens of the reply: reasoning is beside the completion if it is more, or by the total."""
    by_total = None if total is None or prompt is None or total < prompt else total - prompt
    beside = 0
    if completion is not None and reasoning is not None and reasoning > completion:
        beside = completion + reasoning
    known = [count for count in (completion, by_total) if count is not None]
    return max([*known, beside]) if known else None


def _read_counts(usage: object) -> dict[str, Any]:
    """Return the counts as the server reported them, None where it did not."""
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


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _bound(name: str, bounds: TokenBounds) -> int:
    return bounds.prompt if name in ("prompt_tokens", "cached_tokens") else bounds.completion


def _at_most(bound: int, count: int | None) -> int | None:
    return None if count is None else min(bound, count)


def _legible(value: object) -> object:
    """Return a count that any reader of JSON can hold, and anything else as the beginning of its text."""
    if value is None or (type(value) is int and abs(value) < 2**63):
        return value
    if isinstance(value, dict | list):
        return type(value).__name__
    return str(value)[:_MAX_REPORTED_CHARS]


def cost_usd(
    price: Price | None, prompt: int | None, completion: int | None, cached: int | None
) -> float | None:
    """Return a call's cost in US dollars, None where a price or a needed count is unknown.

    Cached tokens are part of the prompt's; None of them known means that all pay the prompt's price.
    """
    if price is None or price.prompt is None or price.completion is None:
        return None
    if prompt is None or completion is None:
        return None
    cached = cached or 0
    cached_price = price.prompt if price.cached is None else price.cached
    return ((prompt - cached) * price.prompt + cached * cached_price + completion * price.completion) / 1e6
