"""Batches of first candidates, drawn in this process or in several: what comes out is the same.

Import this module lazily: it loads numpy and numba.
"""

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from perennial.tasks.kumo.encoding import EncodedConfig
from perennial.tasks.kumo.sampling.draw import Candidates, CandidateSource
from perennial.tasks.kumo.sampling.request import SamplingRequest

Batch = tuple[int, Candidates]

# Large enough that the cost of a batch is that of its draws; searched ones are spread over the processes.
_SIZE = 4096
_SEARCHED_SIZE = 64
_AHEAD = 2

_sources: list[CandidateSource] = []


def batches(
    encoded: EncodedConfig, request: SamplingRequest, workers: int, source: CandidateSource
) -> Generator[Batch, None, None]:
    """Yield (first index, candidates) for all indices of the request, in ascending order.

    Processes are started only where there is more than one batch to draw.
    """
    size = _SEARCHED_SIZE if request.is_searched else _SIZE
    end = request.first_index + request.count
    parts = [(first, min(first + size, end)) for first in range(request.first_index, end, size)]
    if workers == 1 or len(parts) == 1:
        for first, last in parts:
            yield first, source.next_candidates(np.arange(first, last))
    else:
        yield from _in_processes(parts, min(workers, len(parts)), encoded, request)


def _in_processes(
    parts: list[tuple[int, int]], workers: int, encoded: EncodedConfig, request: SamplingRequest
) -> Generator[Batch, None, None]:
    # Spawned, not forked: the caller may run threads.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (encoded, request))
    waiting: deque[Future[Batch]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(_draw_batch, *part))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker(encoded: EncodedConfig, request: SamplingRequest) -> None:
    _sources.append(CandidateSource(encoded, request))


def _draw_batch(first: int, last: int) -> Batch:
    return first, _sources[0].next_candidates(np.arange(first, last))
