"""Tokens and cost of a call, from the usage that a server reports: counts that make no sense are unknown."""

from collections.abc import Mapping
from typing import Any

from schemas.calls import Price

_MAX_TOKENS = 10**12


def usage_of(usage: object, price: Price | None) -> dict[str, Any]:
    """Return the token counts, `usage` and `cost_usd` of a Reply."""
    counts = usage if isinstance(usage, dict) else {}
    prompt, completion = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    reasoning = _count(_details(counts, "completion_tokens_details"), "reasoning_tokens")
    cached = _count(_details(counts, "prompt_tokens_details"), "cached_tokens")
    if cached is not None and prompt is not None and cached > prompt:
        cached = None
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "reasoning_tokens": reasoning,
        "cached_tokens": cached,
        "usage": "missing" if prompt is None or completion is None else "reported",
        "cost_usd": cost_usd(price, prompt, completion, cached),
    }


def _details(counts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    details = counts.get(name)
    return details if isinstance(details, dict) else {}


def _count(counts: Mapping[str, Any], name: str) -> int | None:
    value = counts.get(name)
    return value if type(value) is int and 0 <= value <= _MAX_TOKENS else None


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
