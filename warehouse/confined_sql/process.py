"""A process that runs SQL, as the one that started it sees it: it is watched, and killed past a limit."""

import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any

import psutil

from perennial.schemas import errors
from perennial.schemas.errors import PerennialError, QueryFailed
from perennial.warehouse.catalog.sql.run_sql import memory_error, name_query, time_error
from perennial.warehouse.confined_sql.messages import Failure, Task, read_plain, write_message

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
class Limits:
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
        self, task: Task, limits: Limits, while_waiting: Callable[[], None] | None = None
    ) -> Iterator[tuple[str, Any]]:
        """Yield the answers to the task: ("names", ...) and ("rows", ...), or ("count", ...).

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

    def _watch(self, limits: Limits, ended: Event) -> None:
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
                part = os.read(pipe, min(size, 1 << 20))
                if not part:
                    raise EOFError
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _why_it_ended(self, sql: str, limits: Limits, error: Exception) -> PerennialError:
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
