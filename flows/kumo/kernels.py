"""Make compiled kernels ready before they are needed, say what that took, and share the cores among them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tasks.kumo import sampling, search
from tasks.kumo.kernel_sources import Preparation

_KERNELS: dict[str, Callable[[], Preparation]] = {"sampling": sampling.prepare, "search": search.prepare}
_threads: ContextVar[int | None] = ContextVar("search_threads", default=None)


def prepare_kernels(*names: str) -> str:
    """Make `sampling` or `search` or both ready, and return a clause that says how and how long."""
    done = [_KERNELS[name]() for name in names]
    how = (
        "compiled, and cached for next time,"
        if any(one.compiled for one in done)
        else "loaded from the cache"
    )
    return f"{' and '.join(names)} {how} in {sum(one.seconds for one in done):.1f} s"


def search_threads() -> int:
    """Return how many threads the exact search may take here: all cores, or this worker's share of them."""
    return _threads.get() or os.cpu_count() or 1


@contextmanager
def limited_threads(threads: int) -> Iterator[None]:
    """Limit the exact search to this many threads while the block runs."""
    token = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(token)
