"""Where the batches that need no model run: in this process, in processes of this machine, or on Dask.

Whatever runs them, each is one Prefect task run of the flow, and what it stages is the same.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from perennial.flows.run.batch_runner import Runner, threads_of_share
from perennial.flows.run.process_pool import ProcessPool, WorkerLost, run_work
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.stages.model_calls import before_leaving
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.errors import PerennialError

if TYPE_CHECKING:
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner

# A pool takes about a second to start, and the exact search uses all cores without one.
_WORTH_A_POOL_S = 2.0


def check_runner(runner: str) -> None:
    """Raise InvalidOption where this runner cannot work: its package is missing, or nobody is there."""
    if runner != "local":
        from perennial.flows.run.dask_workers import check_dask

        check_dask(runner)


@contextmanager
def open_runner(runner: str, workers: int | None, root: str, edition: str) -> "Iterator[Runner | None]":
    """Yield what takes batches elsewhere, None where all of them run here, and end it with the block.

    Raises InvalidOption where the runner does not work, or its workers do not see the data root.
    """
    cores = os.cpu_count() or 1
    if runner != "local":
        from perennial.flows.run.dask_workers import open_dask

        with open_dask(runner, workers or cores, root, edition) as taken:
            yield taken
    elif (workers or cores) == 1:
        yield None
    else:
        benchmark = open_workspace(root, edition).plan.benchmark
        with _open_pool(workers or cores, 0.0 if workers else _WORTH_A_POOL_S, benchmark) as taken:
            yield taken


def root_for_workers(runner: str, root: str) -> str:
    """Return the data root as workers started elsewhere find it: a local folder by its whole path."""
    return os.path.abspath(root) if "://" in runner and "://" not in root else root


@contextmanager
def _open_pool(workers: int, patience_s: float, benchmark: str) -> Iterator[Runner]:
    from prefect.task_runners import ThreadPoolTaskRunner

    # One more than there are workers: a worker need not wait for the bookkeeping of its last batch.
    width = workers + 1
    task_runner: TaskRunner[Any] = ThreadPoolTaskRunner(max_workers=width)
    # Workers that start just then would miss what `leave` tidies up.
    with task_runner, ProcessPool(workers, benchmark) as pool, before_leaving(lambda _error: pool.stop()):

        def call(work: Work, threads: int) -> Counts:
            return pool.run(run_work, work, threads)

        share = threads_of_share(workers)
        yield Runner(
            task_runner,
            call,
            width=lambda: width,
            threads=share,
            read=_counts_from_pool,
            patience_s=patience_s,
        )


def _counts_from_pool(ended: "PrefectFuture[Any]") -> Counts:
    try:
        counts: Counts = ended.result()
    except WorkerLost as error:
        raise PerennialError(
            f"{error}, and again when it was repeated (killed, or out of memory?): the same command resumes; "
            "fewer --workers need less memory"
        ) from None
    return counts
