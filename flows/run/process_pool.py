"""Worker processes of this machine, for batches that need no model.

They import the batch functions and the kernels, not Prefect. However the parent ends, they end too: each
reads a pipe whose other end only the parent holds, and leaves when that closes.
"""

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from perennial.flows.benchmark import find_benchmark
from perennial.flows.process import collect_seldom
from perennial.flows.stages.compute_statistics import Spread
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.stages.workspace import limit_threads

if TYPE_CHECKING:
    from uuid import UUID

    from prefect import Task
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner


# What takes batches to workers: several in flight, each as one Prefect task run of the flow.


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

    def note_local_batch(self, seconds: float) -> None:
        """Note that a batch took this long in this process."""
        self.patience_s -= seconds

    def run(
        self, task: "Task[..., Counts]", works: Iterable[Work], wait_for: Any, note: "Callable[[UUID], None]"
    ) -> Iterator[Counts]:
        """Yield the counts of each work as it ends; on an error let those in flight end, then raise it.

        `wait_for` are states of earlier task runs, and `note` is called with the id of each task run.
        """
        done: queue.SimpleQueue[PrefectFuture[Any]] = queue.SimpleQueue()
        waiting = list(works)[::-1]
        in_flight = 0
        errors: list[BaseException] = []
        # After an error those in flight still end: their batches are staged, and need not be run again.
        while in_flight or (waiting and not errors):
            # Asked each time: a cluster's width changes while it runs.
            while waiting and not errors and in_flight < self.width():
                threads = self.threads(len(waiting))
                parameters = {"work": waiting.pop(), "threads": threads}
                future = self.task_runner.submit(task, parameters, wait_for)
                note(future.task_run_id)
                future.add_done_callback(done.put)
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


def threads_of_share(workers: int) -> Callable[[int], int]:
    """Return how many threads of this machine's cores each of so many workers may take for its search."""
    cores = os.cpu_count() or 1
    return lambda left: max(1, cores // min(workers, left))


# What a worker does: a process of this machine's pool, or of Dask's.


def prepare_worker(benchmark: str) -> None:
    """Import what batches need, without Prefect, before the first batch."""
    find_benchmark(benchmark).stages()


def run_work(work: Work, threads: int) -> Counts:
    """Return the counts of the work; a batch takes so many threads."""
    with limit_threads(threads):
        return work.run()


Result = TypeVar("Result")


class WorkerLost(ChildProcessError):
    """A worker process ended before its batch did; the batch may be run again."""


class PoolStopped(Exception):
    """The pool was stopped before the batch ended."""


class ProcessPool:
    """So many processes at most that run functions, each started when it is first needed.

    One that starts is made ready for the benchmark, where one is named. Ends them all on leaving, whatever
    they are doing. A pool that lost a worker starts again.
    """

    def __init__(self, workers: int, benchmark: str = "") -> None:
        self._workers = workers
        self._benchmark = benchmark
        self._crew: _Crew | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def run(self, function: Callable[..., Result], *values: object) -> Result:
        """Return what the function returns in a worker, or raise what it raises there.

        Raises WorkerLost where a worker died (those in flight in the others are lost with it), and
        PoolStopped where the pool was stopped meanwhile.
        """
        crew = self._current_crew()
        try:
            return crew.submit(function, *values).result()
        except BrokenExecutor:
            self._dismiss(crew)
            raise WorkerLost("a worker process ended before its batch did") from None

    def stop(self) -> None:
        """End all workers at once and take no more work; what they have staged stays."""
        with self._lock:
            self._stopped = True
            if self._crew is not None:
                self._crew.end()

    def _current_crew(self) -> "_Crew":
        with self._lock:
            if self._stopped:
                raise PoolStopped
            if self._crew is None or self._crew.is_dismissed:
                self._crew = _Crew(self._workers, self._benchmark)
            return self._crew

    def _dismiss(self, crew: "_Crew") -> None:
        with self._lock:
            if self._stopped:
                raise PoolStopped from None
            crew.end()


class _Crew:
    """One set of worker processes; when one of them dies, so do the others."""

    def __init__(self, workers: int, benchmark: str) -> None:
        # Not forked: the parent has threads, whose locks a fork would copy in whatever state they are.
        context = multiprocessing.get_context("spawn")
        self._held, self._lifeline = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_begin, initargs=(self._held, benchmark)
        )
        self.is_dismissed = False

    def submit(self, function: Callable[..., Result], *values: object) -> "Future[Result]":
        """Hand the work to a worker, starting one where none is idle."""
        # The executor starts processes in here, which inherit the mask of the thread that starts them.
        with interrupts_held_back():
            return self._executor.submit(function, *values)

    def end(self) -> None:
        """Let the workers leave now: they hold nothing that is not in a file."""
        if not self.is_dismissed:
            self.is_dismissed = True
            # First: workers then leave at once; `shutdown` would wait for the batches they are at.
            self._lifeline.close()
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._held.close()


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C and SIGHUP do not reach: a terminal sends them too, the parent decides."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(lifeline: Connection, benchmark: str) -> None:
    threading.Thread(target=_leave_with, args=(lifeline,), daemon=True).start()
    collect_seldom()
    if benchmark:
        prepare_worker(benchmark)


def _leave_with(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        # Not `sys.exit`, which would end only this thread.
        os._exit(1)


# Spread work that needs no model and no Prefect over processes of this machine.


def spread_over(workers: int | None) -> Spread:
    """Return a function that calls another with each of some values, in so many processes.

    By default there are as many as cores. Results come in the order of the values. The
    processes end with the last of them.
    """
    count = workers or os.cpu_count() or 1

    def spread(function: Callable[..., Any], values: Sequence[tuple[object, ...]]) -> Iterator[object]:
        if count == 1 or len(values) < 2:
            yield from (function(*arguments) for arguments in values)
            return
        width = min(count, len(values))
        # A thread for each process, as `run` waits for its result.
        with ProcessPool(width) as pool, ThreadPoolExecutor(width) as threads:
            yield from threads.map(lambda arguments: pool.run(function, *arguments), values)

    return spread
