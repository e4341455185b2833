"""What the operator sees while a refresh runs: a bar for the stage at work, a line for each one done."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Advance = Callable[[dict[str, int]], None]
_console: ContextVar[Console | None] = ContextVar("progress_console", default=None)


@contextmanager
def shown_on(console: Console) -> Iterator[None]:
    """Show progress on this console while the block runs; without one nothing is shown."""
    token = _console.set(console)
    try:
        yield
    finally:
        _console.reset(token)


def note(text: str) -> None:
    """Show one line that is no stage."""
    console = _console.get()
    if console is not None:
        console.print(text, highlight=False)


@contextmanager
def stage(name: str, batches: int) -> Iterator[Advance]:
    """Show a stage of so many batches; call what it yields with the row counts of each batch done."""
    console = _console.get()
    started = time.monotonic()
    totals: dict[str, int] = {}
    done = 0

    with Progress(
        TextColumn(f"{name:<12}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("batches"),
        TimeElapsedColumn(),
        console=console or Console(quiet=True),
        transient=True,
        disable=console is None or not console.is_terminal,
    ) as bar:
        shown = bar.add_task(name, total=batches)

        def advance(counts: dict[str, int]) -> None:
            nonlocal done
            done += 1
            for table, rows in counts.items():
                totals[table] = totals.get(table, 0) + rows
            bar.advance(shown)

        yield advance
    rows = ", ".join(f"{count:,} {table}" for table, count in totals.items())
    note(f"{name:<12} {done}/{batches} batches  {time.monotonic() - started:6.1f} s  {rows}")
