"""A process that runs SQL, as the one that started it sees it: it is watched, and killed past a limit."""

import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from threading import BoundedSemaphore, Event, Lock, Thread
from time import monotonic
from typing import Any

import psutil

from perennial.schemas import errors
from perennial.schemas.errors import PerennialError, QueryFailed
from perennial.warehouse.catalog.catalog import Contents, list_contents
from perennial.warehouse.catalog.confinement import Setting
from perennial.warehouse.catalog.run_sql import Row, memory_error, name_query, time_error
from perennial.warehouse.confined_sql.messages import Failure, SqlTask, read_plain, write_message
from perennial.warehouse.editions.manifest import refuse_damaged
from perennial.warehouse.store.store import Store

_LOOK_S = 0.01
_WAIT_S = 0.2
# DuckDB says itself that its time is over, where it looks at the clock.
_LATE_S = 0.5
# Beside the limit: the process with its code, and what is asked for between two looks.
_BESIDE_BYTES = 180_000_000
# A process that holds more after a query makes room for another one.
_IDLE_BYTES = 300_000_000


class PossibleDamage(QueryFailed):
    """SQL that failed where a damaged file may be the reason."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may use."""

    memory_bytes: int
    seconds: float = inf


class SqlProcess:
    """A started process; it runs one task at a time.

    The kernel ends it with the thread that started it: that thread should live as long as the program.
    """

    def __init__(self, niceness: int = 0) -> None:
        # Ctrl-C is for this process alone.
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "perennial.warehouse.confined_sql.child"),
                *(str(os.getpid()), str(niceness)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        # Written by the watching thread before it kills, read after the end: so the reason is known by then.
        self._killed_for = ""
        self._is_busy = False

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def is_ready(self) -> bool:
        """Whether it lives, has answered its last task in full, and holds little memory."""
        if self._is_busy or self._process.poll() is not None:
            return False
        try:
            return int(psutil.Process(self.pid).memory_info().rss) < _IDLE_BYTES
        except psutil.Error:
            return False

    def answers(
        self, task: SqlTask, limits: QueryLimits, while_waiting: Callable[[], None] | None = None
    ) -> Iterator[tuple[str, Any]]:
        """The answers to the task: ("names", ...) and ("rows", ...), or ("count", ...).

        `while_waiting` is called several times a second until an answer is there; what it raises ends the
        iteration, as leaving it does, and the process is no longer ready then. Raises what the SQL raised.
        """
        self._is_busy = True
        ended = Event()
        watch = Thread(target=self._watch, args=(limits, ended), daemon=True)
        watch.start()
        try:
            assert self._process.stdin is not None
            write_message(self._process.stdin, task)  # type: ignore[arg-type]
            while True:
                kind, value = read_plain(lambda size: self._read(size, while_waiting))
                if kind in ("end", "error"):
                    self._is_busy = False
                if kind == "end":
                    return
                if kind == "error":
                    raise _as_error(value)
                yield kind, value
        except (EOFError, BrokenPipeError, ValueError) as error:
            raise self._why_it_ended(task.sql, limits, error) from None
        finally:
            ended.set()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue

    def _watch(self, limits: QueryLimits, ended: Event) -> None:
        deadline = monotonic() + limits.seconds + _LATE_S
        try:
            process = psutil.Process(self.pid)
            while not ended.wait(_LOOK_S):
                if monotonic() > deadline:
                    self._killed_for = "time"
                elif process.memory_info().rss > limits.memory_bytes + _BESIDE_BYTES:
                    self._killed_for = "memory"
                if self._killed_for:
                    self._process.kill()
                    return
        except psutil.Error:
            return

    def _read(self, size: int, while_waiting: Callable[[], None] | None) -> bytes:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts = []
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while size:
                if while_waiting is not None and not selector.select(_WAIT_S):
                    while_waiting()
                    continue
                # Past Python's buffer, which would hide from the selector what it has read ahead.
                part = os.read(pipe, min(size, 1 << 20))
                if not part:
                    raise EOFError
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _why_it_ended(self, sql: str, limits: QueryLimits, error: Exception) -> PerennialError:
        self._process.kill()
        code = self._process.wait()
        if self._killed_for == "time":
            return time_error(sql, limits.seconds)
        if self._killed_for == "memory":
            return memory_error(sql, "its process was ended")
        reason = f"its process ended with code {code}" if isinstance(error, EOFError) else str(error)
        return PossibleDamage(f"{name_query(sql)} failed: {reason}; ask for less, or in another way")


def _as_error(failure: Failure) -> Exception:
    if not failure.kind:
        return RuntimeError(f"a process that runs SQL failed:\n{failure.text}")
    if failure.may_be_damage:
        return PossibleDamage(failure.text)
    kind = getattr(errors, failure.kind, PerennialError)
    return PerennialError(failure.text) if not issubclass(kind, PerennialError) else kind(failure.text)


# A catalog for a user's SQL: what `Catalog` reads, in a process that is killed past a limit.


class ConfinedCatalog:
    """Runs a user's SQL over a snapshot in the given process, one statement at a time."""

    def __init__(
        self,
        contents: Contents,
        limits: QueryLimits,
        process: SqlProcess,
        while_waiting: Callable[[], None] | None = None,
    ) -> None:
        self._contents = contents
        self._limits = limits
        self._process = process
        self._while_waiting = while_waiting
        self._rows: Iterator[Row] = iter(())

    def stream(self, sql: str, at_most: int | None = None) -> tuple[list[str], Iterator[Row]]:
        """Column names and up to `at_most` rows of the SQL; rows are read as the caller iterates.

        Raises QueryFailed for SQL that is wrong, does more than read, or needs more memory than allowed;
        QueryTimedOut past its time; Damaged where a file that the SQL reads is not what was published.
        """
        answers = self._answers(sql, at_most, counts=False)
        _, names = next(answers)
        self._rows = (row for _, rows in answers for row in rows)
        return names, self._rows

    def count(self, sql: str) -> int:
        """The number of rows of the SQL, without reading them; raise what `stream` raises."""
        for _ in self._rows:  # of the query before: the process ends that first
            continue
        ((_, number),) = self._answers(sql, None, counts=True)
        return int(number)

    def _answers(self, sql: str, at_most: int | None, *, counts: bool) -> Iterator[tuple[str, Any]]:
        try:
            yield from self._process.answers(
                self._task(sql, at_most, counts), self._limits, self._while_waiting
            )
        except PossibleDamage:
            refuse_damaged(self._contents.store, self._contents.files_for(sql))
            raise

    def _task(self, sql: str, at_most: int | None, counts: bool) -> SqlTask:
        contents = self._contents
        settings: dict[str, Setting] = {
            "memory_limit": f"{self._limits.memory_bytes}B",
            # Without a folder for it DuckDB writes no temporary file.
            "temp_directory": "",
        }
        if self._limits.seconds < inf:
            settings["max_execution_time"] = int(self._limits.seconds * 1000)
        views = [(name, contents.sql_of(name)) for name in contents.views_for(sql)]
        return SqlTask(
            contents.store.root,
            files=contents.places,
            settings=settings,
            views=views,
            additions=contents.additions_for(sql),
            known=list(contents.views),
            sql=sql,
            at_most=at_most,
            counts=counts,
            memory_bytes=self._limits.memory_bytes,
        )


@contextmanager
def open_confined(store: Store, limits: QueryLimits) -> Iterator[ConfinedCatalog]:
    """Open a snapshot of what is visible, in a process that ends with the block."""
    process = SqlProcess()
    try:
        yield ConfinedCatalog(list_contents(store), limits, process)
    finally:
        process.kill()


# The processes that run the SQL of many visitors: a few at a time, the next one started beforehand.

_LOOK_S_POOL = 0.2
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
        while not self._free.acquire(timeout=_LOOK_S_POOL):
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
