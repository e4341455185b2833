"""Spread work that needs no model and no Prefect over processes of this machine."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from perennial.flows.run.process_pool import ProcessPool
from perennial.flows.stages.compute_statistics import Spread


def spread_over(workers: int | None) -> Spread:
    """Return a function that calls another with each of some values, in so many processes.

    By default there are as many as cores. Results come in the order of the values. The
    processes end with the last of them.
    """
    count = workers or os.cpu_count() or 1

    def spread(function: Callable[..., Any], values: Sequence[tuple[object, ...]]) -> Iterator[object]:
        if count == 1 or len(values) < 2:
            yield from (function(*each) for each in values)
            return
        width = min(count, len(values))
        with ProcessPool(width) as pool, ThreadPoolExecutor(width) as threads:
            yield from threads.map(lambda each: pool.run(function, *each), values)

    return spread
