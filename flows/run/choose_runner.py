"""Where the batches that need no model run: in this process, in processes of this machine, or on Dask.

Whatever runs them, each is one Prefect task run of the flow, and what it stages is the same.
"""

import asyncio
import importlib.util
import logging
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from perennial.flows.run.code_version import code_version
from perennial.flows.run.process_pool import (
    ProcessPool,
    Runner,
    WorkerLost,
    interrupts_held_back,
    run_work,
    threads_of_share,
)
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.stages.model_calls import before_leaving
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.errors import InvalidOption, PerennialError, add_extra

if TYPE_CHECKING:
    from distributed import Client, Nanny
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner
    from prefect_dask import DaskTaskRunner


# A pool takes about a second to start, and the exact search uses all cores without one.
_WORTH_A_POOL_S = 2.0


@contextmanager
def open_runner(runner: str, workers: int | None, root: str, edition: str) -> "Iterator[Runner | None]":
    """Yield what takes batches elsewhere, None where all of them run here, and end it with the block.

    Raises InvalidOption where the runner does not work, or its workers do not see the data root.
    """
    cores = os.cpu_count() or 1
    if runner != "local":
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


# Batches on Dask workers, through Prefect's own task runner for Dask.

_ANSWER_S = 5.0
_WORKERS_S = 30.0
_KILL_S = 0.5
_LOCAL = "dask"


def check_runner(runner: str) -> None:
    """Raise InvalidOption where the runner's packages are missing, or no scheduler is at its address."""
    if runner == "local":
        return
    if importlib.util.find_spec("prefect_dask") is None or importlib.util.find_spec("distributed") is None:
        raise InvalidOption(f"runner {runner!r} needs more packages: {add_extra('dask')}")
    if runner == _LOCAL:
        return
    host, port = _host_and_port(runner)
    try:
        socket.create_connection((host, port), timeout=_ANSWER_S).close()
    except OSError as error:
        raise InvalidOption(
            f"runner {runner!r}: no Dask scheduler answers at {host}:{port} ({error}): start one there with "
            "`dask scheduler`, or let --runner dask start its own"
        ) from None


@contextmanager
def open_dask(runner: str, workers: int, root: str, edition: str) -> Iterator[Runner]:
    """Yield what takes batches to Dask workers: a cluster of this machine's, or the scheduler that is named.

    Raises InvalidOption where no worker is there, or one has other code or does not see the data root.
    """
    check_runner(runner)
    task_runner = _local_cluster(workers) if runner == _LOCAL else _scheduler(runner)
    with _logging_as_prefect(), task_runner:
        client = _start_cluster(task_runner, runner)
        with _end_on_interrupt(client):
            _check_workers(client, runner, root, edition)
            yield Runner(
                task_runner,
                run_work,
                # Twice what runs at once, so that no worker waits for the next batch.
                lambda: 2 * max(1, sum(client.nthreads().values())),
                threads_of_share(workers) if runner == _LOCAL else _one_thread,
                _counts_from_dask,
            )


def _local_cluster(workers: int) -> "DaskTaskRunner":
    from prefect_dask import DaskTaskRunner

    options = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "scheduler_kwargs": {"dashboard": False},
        "memory_limit": 0,  # as in the local pool: what a batch needs does not depend on the others
        "silence_logs": logging.CRITICAL,
    }
    return DaskTaskRunner(cluster_kwargs=options)


def _scheduler(runner: str) -> "DaskTaskRunner":
    from prefect_dask import DaskTaskRunner

    host, port = _host_and_port(runner)
    return DaskTaskRunner(address=f"tcp://{host}:{port}", client_kwargs={"timeout": _ANSWER_S})


def _host_and_port(runner: str) -> tuple[str, int]:
    host, _, port = runner.removeprefix("dask://").rpartition(":")
    return host.strip("[]"), int(port)


@contextmanager
def _logging_as_prefect() -> Iterator[None]:
    """Let Dask tell as much as Prefect: what matters arrives as an error."""
    import distributed  # noqa: F401  its import sets the level

    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(os.environ.get("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL"))
    try:
        yield
    finally:
        logger.setLevel(before)


def _start_cluster(task_runner: "DaskTaskRunner", runner: str) -> "Client":
    try:
        # Its processes inherit the mask: Ctrl-C reaches this one only, which ends them.
        with interrupts_held_back():
            client = task_runner.client
        client.wait_for_workers(1, timeout=_WORKERS_S)
    except (OSError, TimeoutError) as error:
        raise InvalidOption(
            f"runner {runner!r}: no Dask worker is ready within {_WORKERS_S:.0f} s "
            f"({type(error).__name__}): start some with `dask worker`, in an environment with perennial"
        ) from None
    return client


@contextmanager
def _end_on_interrupt(client: "Client") -> Iterator[None]:
    """Kill the workers of a cluster of our own at Ctrl-C: else it waits seconds for the batches in flight."""
    try:
        yield
    except KeyboardInterrupt:
        if client.cluster is not None:
            client.cluster.sync(_kill, list(client.cluster.workers.values()))
        raise


async def _kill(nannies: "Sequence[Nanny]") -> None:
    killed = (nanny.kill(timeout=_KILL_S, reason="interrupted") for nanny in nannies)
    await asyncio.gather(*killed, return_exceptions=True)


def _check_workers(client: "Client", runner: str, root: str, edition: str) -> None:
    from prefect.settings import get_current_settings

    asked = (root, edition, code_version(), str(get_current_settings().api.url or ""))
    for worker, problem in client.run(_problem, *asked, on_error="return").items():
        if isinstance(problem, BaseException):
            problem = f"cannot run perennial ({problem!r}): install it there as it is here"
        if problem:
            raise InvalidOption(f"runner {runner!r}: worker {worker} {problem}")


def _problem(root: str, edition: str, version: str, prefect_url: str) -> str:
    """Return what keeps a worker from this edition's batches, "" for nothing."""
    if code_version() != version:
        return f"has perennial {code_version()}, expected {version}: install the same version everywhere"
    try:
        open_workspace(root, edition)
    except PerennialError:
        return f"does not see {root}: use a folder that all machines share, or a root such as s3://..."
    if prefect_url and not _answers(f"{prefect_url}/health"):
        return (
            f"does not reach the Prefect server at {prefect_url}: start one that all machines reach with "
            "`prefect server start --host ...` and set PREFECT_API_URL"
        )
    return ""


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=_ANSWER_S).close()
    except urllib.error.HTTPError:
        return True  # it speaks; who may call is Prefect's matter
    except OSError:
        return False
    return True


def _one_thread(_left: int) -> int:
    """A Dask worker with several threads gets as many batches at once."""
    return 1


def _counts_from_dask(ended: "PrefectFuture[Any]") -> Counts:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        counts: Counts = ended.result()
    except KilledWorker as error:
        raise PerennialError(
            "several Dask workers died over the same batch (killed, or out of memory?), the last was "
            f"{error.last_worker}; the same command resumes"
        ) from None
    except FutureCancelledError:
        raise PerennialError(
            "the Dask scheduler was lost; what is staged stays, and the same command resumes"
        ) from None
    return counts
