"""Batches on Dask workers, through Prefect's own task runner for Dask."""

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

from perennial.flows.run.batch_runner import Runner, threads_of_share
from perennial.flows.run.code_version import code_version
from perennial.flows.run.process_pool import interrupts_held_back, run_work
from perennial.flows.stages.grow import Counts
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.errors import InvalidOption, PerennialError

if TYPE_CHECKING:
    from distributed import Client, Nanny
    from prefect.futures import PrefectFuture
    from prefect_dask import DaskTaskRunner

_ANSWER_S = 5.0
_WORKERS_S = 30.0
_KILL_S = 0.5
_LOCAL = "dask"


def check_dask(runner: str) -> None:
    """Raise InvalidOption where the packages are missing or the scheduler's address does not answer."""
    if importlib.util.find_spec("prefect_dask") is None or importlib.util.find_spec("distributed") is None:
        raise InvalidOption(
            f"runner {runner!r} needs more packages: pip install -e '.[dask]' in perennial's clone"
        )
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
    check_dask(runner)
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
