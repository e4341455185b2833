"""The program of a process that runs SQL: a task from standard input, its rows to standard output, and again.

It ends when its input ends, or with the thread that started it (on Linux), whatever it is doing.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from traceback import format_exc
from typing import Any, BinaryIO

from perennial.schemas.errors import PerennialError, QueryFailed, in_one_line
from perennial.warehouse.catalog.run_sql import Row, may_be_damage, memory_error, name_query, open_runner
from perennial.warehouse.confined_sql.messages import (
    MOST_BYTES,
    Failure,
    SqlTask,
    pack,
    read_task,
    write_message,
)

_PR_SET_PDEATHSIG = 1
_ROWS_AT_ONCE = 256
# Beside DuckDB's own limit: Python, the code of both, rows on their way.
_BESIDE_BYTES = 150_000_000


def main() -> None:
    """Run tasks until the input ends."""
    # The process that asks decides what Ctrl-C ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(int(sys.argv[1]))
    os.nice(int(sys.argv[2]))
    replies = os.fdopen(os.dup(1), "wb")
    import duckdb  # noqa: F401  the first query shall not wait for it

    # Whatever a library prints belongs neither among the messages nor on the user's terminal.
    void = os.open(os.devnull, os.O_RDWR)
    os.dup2(void, 1)
    os.dup2(void, 2)
    tasks: SimpleQueue[SqlTask] = SimpleQueue()
    # Another thread reads, so that the end of the input is seen, and ends this process, during a query.
    Thread(target=_receive, args=(tasks,), daemon=True).start()
    while True:
        _run(tasks.get(), replies)


def _die_with(parent: int) -> None:
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have ended before prctl was called, and would send no signal any more.
    if os.getppid() != parent:
        os._exit(1)


def _receive(tasks: "SimpleQueue[SqlTask]") -> None:
    with open(0, "rb", closefd=False) as requests:
        while (task := read_task(requests)) is not None:
            tasks.put(task)
    os._exit(0)


def _run(task: SqlTask, replies: BinaryIO) -> None:
    try:
        for message in _answers(task):
            write_message(replies, message)
        last: Any = ("end", None)
    except BrokenPipeError:
        os._exit(0)
    except PerennialError as error:
        last = ("error", Failure(type(error).__name__, str(error), may_be_damage(error)))
    except MemoryError:
        past = memory_error(task.sql, "the limit is reached")
        last = ("error", Failure(type(past).__name__, str(past)))
    except Exception as error:  # noqa: BLE001  the process that asked raises it
        # Only its text is sent: the class is DuckDB's, and the reader takes plain values only.
        if may_be_damage(error):
            text = f"{name_query(task.sql)} failed: {in_one_line(error)}"
            last = ("error", Failure(QueryFailed.__name__, text, may_be_damage=True))
        else:
            last = ("error", Failure("", format_exc()))
    write_message(replies, last)


def _answers(task: SqlTask) -> Iterator[Any]:
    runner = open_runner(task.root, task.files, task.settings, task.known)
    with closing(runner), _MemoryLimit(task.memory_bytes):
        for name, sql in task.views:
            runner.connection.execute(f'CREATE VIEW "{name}" AS {sql}')
        for statement in task.additions:
            runner.connection.execute(statement)
        if task.counts:
            yield "count", runner.count(task.sql)
            return
        names, rows = runner.stream(task.sql, task.at_most)
        yield "names", names
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            yield from _pack(batch, task.sql)


def _pack(rows: Sequence[Row], sql: str) -> Iterator[bytes]:
    """Pack the rows into as many messages as they need."""
    content = pack(("rows", rows))
    if len(content) <= MOST_BYTES:
        yield content
        return
    # Before the halves are packed: both at once could pass the memory limit.
    del content
    if len(rows) == 1:
        raise QueryFailed(
            f"{name_query(sql)} has a row of more than {MOST_BYTES // 1_000_000} MB: ask for a part of it, "
            "for example by substr or by fewer columns"
        )
    middle = len(rows) // 2
    yield from _pack(rows[:middle], sql)
    yield from _pack(rows[middle:], sql)


class _MemoryLimit:
    """The kernel refuses this process more memory than that, beside what it holds already (on Linux)."""

    def __init__(self, memory_bytes: int) -> None:
        self._bytes = memory_bytes

    def __enter__(self) -> None:
        if held := _held_bytes():
            # On top of what is held already: the interpreter, and what earlier queries left.
            self._set(held + self._bytes + _BESIDE_BYTES)

    def __exit__(self, *_: object) -> None:
        self._set(-1)

    def _set(self, size: int) -> None:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        # Of anonymous memory alone: DuckDB reserves and maps far more than it uses.
        wanted = hard if size < 0 or size > hard >= 0 else size
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _held_bytes() -> int:
    """The size of this process's data, 0 where the system does not tell."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
