"""Why calls failed: their errors, those that differ in numbers and ids alone counted as one."""

import re
from collections.abc import Iterable

from perennial.schemas.errors import shorten

_SHOWN = 3
_WIDTH = 200
# Ids of requests and traces, addresses and times.
_VARYING = re.compile(r"[0-9a-f]{8,}|\b[\w-]*\d[\w-]*\b", re.IGNORECASE)
Cause = tuple[str, int]


def count_causes(errors: Iterable[tuple[str, int]]) -> list[Cause]:
    """Return the distinct errors with the calls of each, in the order in which they first came."""
    first: dict[str, str] = {}
    counts: dict[str, int] = {}
    for error, calls in errors:
        kind = _VARYING.sub("#", error)
        first.setdefault(kind, error)
        counts[kind] = counts.get(kind, 0) + calls
    return [(first[kind], calls) for kind, calls in counts.items()]


def describe_causes(causes: list[Cause]) -> str:
    """Return the first causes with their counts in words."""
    shown = "; ".join(f"{calls:,} x {shorten(error, _WIDTH)}" for error, calls in causes[:_SHOWN])
    more = len(causes) - _SHOWN
    return shown + (f"; and {more:,} more cause{'s' * (more > 1)}" if more > 0 else "")
