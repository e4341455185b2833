"""How many threads a batch may take: all cores, or this worker's share of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_threads: ContextVar[int | None] = ContextVar("threads", default=None)


def available_threads() -> int:
    """Return how many threads a batch may take here."""
    return _threads.get() or os.cpu_count() or 1


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Let batches take so many threads while the block runs."""
    token = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(token)
