"""Where the batches that need no model run: in this process, in processes of this machine, or on Dask.

Whatever runs them, each is one Prefect task run of the flow, and what it stages is the same.
"""

import os
import queue
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flows.process_pool import ProcessPool, WorkerLost
from flows.worker import run_batch
from schemas.errors import PerennialError

if TYPE_CHECKING:
    from prefect import Task
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner

Counts = dict[str, int]
# A pool takes about a second to start, and the exact search uses all cores without one.
_WORTH_A_POOL_S = 2.0


@dataclass
class Runner:
    """Takes batches to their workers: `task_runner` submits task runs that call `call`.

    `width` is how many of them to have in flight, `threads` how many threads the search of a batch takes
    with so many batches left, and `read` returns a task run's counts or raises its error. Until batches
    have taken `patience_s` in this process, they stay there.
    """

    task_runner: "TaskRunner[Any]"
    call: Callable[..., Counts]
    width: Callable[[], int]
    threads: Callable[[int], int]
    read: "Callable[[PrefectFuture[Any]], Counts]"
    patience_s: float = field(default=0.0)

    def is_patient(self) -> bool:
        """Whether the next batch stays in this process."""
        return self.patience_s > 0

    def stayed(self, seconds: float) -> None:
        """Be told that a batch took so long in this process."""
        self.patience_s -= seconds

    def run(
        self,
        task: "Task[..., Counts]",
        function: Callable[..., Counts],
        parameters: Sequence[tuple[Any, ...]],
    ) -> Iterator[Counts]:
        """Yield the counts of each batch as it ends; on an error let those in flight end, then raise it."""
        done: queue.SimpleQueue[PrefectFuture[Any]] = queue.SimpleQueue()
        waiting = list(reversed(parameters))
        in_flight = 0
        errors: list[BaseException] = []
        while in_flight or (waiting and not errors):
            while waiting and not errors and in_flight < self.width():
                threads = self.threads(len(waiting))
                given = {"function": function, "values": waiting.pop(), "threads": threads}
                self.task_runner.submit(task, given).add_done_callback(done.put)
                in_flight += 1
            ended = done.get()
            in_flight -= 1
            try:
                counts = self.read(ended)
            except Exception as error:  # noqa: BLE001  it is raised below, when nothing is in flight
                errors.append(error)
            else:
                yield counts
        if errors:
            raise errors[0]


def check_runner(runner: str) -> None:
    """Raise InvalidOption where this runner cannot work: its package is missing, or nobody is there."""
    if runner != "local":
        from flows.dask_workers import check_dask

        check_dask(runner)


@contextmanager
def opened_runner(runner: str, workers: int | None, root: str, edition: str) -> "Iterator[Runner | None]":
    """Yield what takes batches elsewhere, None where all of them run here, and end it with the block.

    Raises InvalidOption where the runner does not work, or its workers do not see the data root.
    """
    cores = os.cpu_count() or 1
    if runner != "local":
        from flows.dask_workers import opened_dask

        with opened_dask(runner, workers or cores, root, edition) as taken:
            yield taken
    elif (workers or cores) == 1:
        yield None
    else:
        with _opened_pool(workers or cores, 0.0 if workers else _WORTH_A_POOL_S) as taken:
            yield taken


def root_for_workers(runner: str, root: str) -> str:
    """Return the data root as workers started elsewhere find it: a local folder by its whole path."""
    return os.path.abspath(root) if "://" in runner and "://" not in root else root


def threads_of_share(workers: int) -> Callable[[int], int]:
    """Return how many threads of this machine's cores each of so many workers may take for its search."""
    cores = os.cpu_count() or 1
    return lambda left: max(1, cores // min(workers, left))


@contextmanager
def _opened_pool(workers: int, patience_s: float) -> Iterator[Runner]:
    from prefect.task_runners import ThreadPoolTaskRunner

    # One more than there are workers: a worker need not wait for the bookkeeping of its last batch.
    width = workers + 1
    task_runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=width)
    with task_runner, ProcessPool(workers) as pool:

        def call(function: Callable[..., Counts], values: Sequence[Any], threads: int) -> Counts:
            return pool.run(run_batch, function, values, threads)

        share = threads_of_share(workers)
        yield Runner(task_runner, call, lambda: width, share, _counts_from_pool, patience_s)


def _counts_from_pool(ended: "PrefectFuture[Any]") -> Counts:
    try:
        counts: Counts = ended.result()
    except WorkerLost as error:
        raise PerennialError(
            f"{error}, and again when it was run anew (killed, or out of memory?): the same command goes on; "
            "fewer --workers need less memory"
        ) from None
    return counts
