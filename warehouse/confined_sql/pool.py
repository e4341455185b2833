"""The processes that run the SQL of many visitors: a few at a time, the next one started beforehand."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock
from time import monotonic

from perennial.schemas.errors import QueryFailed
from perennial.warehouse.confined_sql.process import SqlProcess

_LOOK_S = 0.2
_NICENESS = 10  # whatever a visitor computes, the other pages come first


class SqlPool:
    """Lends processes up to a maximum at a time; a caller that waits past the time limit is refused."""

    def __init__(self, most: int, wait_s: float) -> None:
        self._most = most
        self._wait_s = wait_s
        self._free = BoundedSemaphore(most)
        self._lock = Lock()
        self._idle: list[SqlProcess] = []
        self._lent: set[SqlProcess] = set()
        self._is_closed = False
        # The kernel ends a process with the thread that started it, and a visit's own thread ends soon.
        self._starter = ThreadPoolExecutor(1, "sql-starter")

    def warm_up(self) -> None:
        """Start a process in the background unless one is there."""
        with self._lock:
            if not self._is_closed and not self._idle and not self._lent:
                self._starter.submit(self._start_idle)

    @contextmanager
    def borrow(self, while_waiting: Callable[[], None]) -> Iterator[SqlProcess]:
        """Lend a process for the block; one that is not ready after it is killed.

        `while_waiting` is called several times a second until one is free; what it raises ends the wait.
        Raises QueryFailed where none gets free in time.
        """
        self._wait(while_waiting)
        try:
            process = self._take_idle() or self._starter.submit(SqlProcess, _NICENESS).result()
            with self._lock:
                self._lent.add(process)
            try:
                yield process
            finally:
                self._give_back(process)
        finally:
            self._free.release()

    def close(self) -> None:
        """Kill all processes; none is started from now on."""
        with self._lock:
            self._is_closed = True
            processes = [*self._idle, *self._lent]
            self._idle.clear()
        for process in processes:
            process.kill()
        self._starter.shutdown(wait=True, cancel_futures=True)

    def _wait(self, while_waiting: Callable[[], None]) -> None:
        deadline = monotonic() + self._wait_s
        while not self._free.acquire(timeout=_LOOK_S):
            while_waiting()
            if monotonic() > deadline:
                raise QueryFailed(
                    f"{self._most} other queries are running, as many as are run at a time: try again in a "
                    "moment, or use `perennial query`"
                )

    def _take_idle(self) -> SqlProcess | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                process = self._idle.pop()
            if process.is_ready:
                return process
            process.kill()

    def _give_back(self, process: SqlProcess) -> None:
        keeps = process.is_ready
        with self._lock:
            self._lent.discard(process)
            if keeps and not self._is_closed:
                self._idle.append(process)
                return
        process.kill()
        # For the next visitor.
        with suppress(RuntimeError):  # the pool was closed
            self._starter.submit(self._start_idle)

    def _start_idle(self) -> None:
        with self._lock:
            if self._is_closed or len(self._idle) + len(self._lent) >= self._most:
                return
        process = SqlProcess(_NICENESS)
        with self._lock:
            if not self._is_closed:
                self._idle.append(process)
                return
        process.kill()
