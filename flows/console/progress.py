"""What the operator sees while a refresh runs: a bar for the stage at work, a line for each one done."""

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from perennial.flows.console import messages
from perennial.flows.console.messages import is_quiet
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.model_calls import Reply

# What a command is at while it takes long: a changing line on a terminal, else lines on standard error.

FIRST_S = 2.0  # what takes less prints nothing
_LONGEST_S = 60.0


@contextmanager
def show_steps(command: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error what the block is at; call what it yields with the name of each step."""
    if is_quiet():
        yield lambda name: None
        return
    console = Terminal(stderr=True, soft_wrap=True)
    at = "starting"

    def step(name: str) -> None:
        nonlocal at
        at = name

    # A changing line takes standard output over, which is left alone where it is a file.
    if console.is_terminal and sys.stdout.isatty():
        with console.status(f"{command}: {at}") as status:
            yield lambda name: status.update(f"{command}: {name}")
    else:
        with print_while(lambda seconds: f"{command:<12} {seconds:6.0f} s  {at}", console.print):
            yield step


@contextmanager
def print_while(describe: Callable[[float], str], tell: Callable[[str], None]) -> Iterator[None]:
    """Tell how far the block is, after so many seconds: 2, 4, 8 and so on, later every minute."""
    ended = threading.Event()

    def run() -> None:
        wait, seconds = FIRST_S, 0.0
        while not ended.wait(wait):
            seconds += wait
            tell(describe(seconds))
            wait = min(seconds, _LONGEST_S)

    thread = threading.Thread(target=run, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


_RATE_OVER_S = 30.0
_WIDE = 120
_BAR_WIDTH, _SHORT_BAR_WIDTH = 30, 6
_FIXED_WIDTH = 32
Advance = Callable[[dict[str, int]], None]


@dataclass(frozen=True, slots=True)
class _Display:
    """Where the block at work shows its progress, and its stage."""

    console: Console | None = None
    slow: Console | None = None
    log: Callable[[str], None] | None = None
    stage: "_StageLine | None" = None


_NO_DISPLAY = _Display()
_display: ContextVar[_Display] = ContextVar("progress", default=_NO_DISPLAY)


@contextmanager
def _showing(**changes: Any) -> Iterator[None]:
    token = _display.set(replace(_display.get(), **changes))
    try:
        yield
    finally:
        _display.reset(token)


@contextmanager
def show_on(console: Console, slow: Console | None = None) -> Iterator[None]:
    """Show progress on this console while the block runs; without one nothing is shown.

    Where it is no terminal, lines about a stage that takes long go to `slow`, or to the console too.
    """
    with _showing(**({} if is_quiet() else {"console": console, "slow": slow or console})):
        yield


@contextmanager
def log_to(log: Callable[[str], None]) -> Iterator[None]:
    """Call `log` with each line that the block shows, whether a console shows it or not."""
    with _showing(log=log):
        yield


def note(text: str) -> None:
    """Show one line that is no stage."""
    display = _display.get()
    if display.console is not None:
        display.console.print(text, highlight=False, markup=False)
    if display.log is not None:
        display.log(text)
    messages.log(text)


def announce(console: Console, text: str) -> None:
    """Print one line of what a command begins."""
    if not is_quiet():
        console.print(text, highlight=False, markup=False)
    messages.log(text)


def end_bar() -> None:
    """Leave the line of a bar, and show the cursor that it hides: for an end without the bar's own."""
    console = _display.get().console
    if console is not None and console.is_terminal:
        console.show_cursor()
        sys.stderr.write("\n")


class CallCount:
    """Counts replies, their tokens and what they cost, as far as it is known, and how fast they come.

    `share` is how much of the stage's work with models is done, 0 to 1; `ended` and `solved` count episodes
    of models.
    """

    def __init__(self) -> None:
        self.calls = self.ended = self.solved = 0
        self.tokens = 0
        self.unpriced = 0
        self.cost_usd = 0.0
        self.share = 0.0
        self._begun: tuple[float, float] | None = None
        self._recent: deque[float] = deque()

    def add(self, reply: Reply) -> None:
        """Count one more reply, new or kept from before."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now, self.share
        self._recent.append(now)
        self.calls += 1
        self.tokens += reply.tokens or 0
        self.cost_usd += reply.cost_usd or 0.0
        self.unpriced += reply.cost_usd is None

    @property
    def text(self) -> str:
        """What was counted, in words; an unknown cost is never shown as 0."""
        return ", ".join(self._parts().values())

    def text_within(self, width: int) -> str:
        """As much of it as fits into `width` characters, most important first."""
        parts, kept = self._parts(), ""
        chosen: set[str] = set()
        for name in ("solved", "left", "calls", "tokens", "rate"):
            text = ", ".join(parts[part] for part in parts if part in chosen | {name})
            if len(text) <= width:
                chosen.add(name)
                kept = text
        return kept

    def _parts(self) -> dict[str, str]:
        parts = {"solved": f"{self.solved:,} of {self.ended:,} solved"} if self.ended else {}
        parts["calls"] = calls_text(self.calls, self.unpriced, self.cost_usd)
        if self.tokens:
            parts["tokens"] = f"{self.tokens:,} tokens"
        if self._begun is not None:
            parts |= zip(("rate", "left"), self._pace(*self._begun), strict=False)
        return parts

    def _pace(self, begun: float, share: float) -> Iterator[str]:
        """The rate of the last seconds, and the time left at the mean pace so far."""
        now = time.monotonic()
        while self._recent and self._recent[0] < now - _RATE_OVER_S:
            self._recent.popleft()
        elapsed = now - begun
        if elapsed >= 1.0:
            yield f"{len(self._recent) / min(elapsed, _RATE_OVER_S):.1f} calls/s"
            if self.share > share:
                yield f"about {describe_seconds(elapsed * (1 - self.share) / (self.share - share))} left"


def describe_seconds(seconds: float) -> str:
    """A duration in words: `40 s`, `12 min`, `3 h 05 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"


def calls_text(calls: int, unpriced: int, cost_usd: float) -> str:
    """Calls and their cost in words, with the number of calls whose cost is unknown."""
    if not calls:
        return "no calls"
    if unpriced == calls:
        return f"{calls:,} calls, cost unknown"
    priced = f"{calls:,} calls, ${cost_usd:,.4f}"
    return priced if not unpriced else f"{priced} and {unpriced:,} calls of unknown cost"


def count_call(reply: Reply) -> None:
    """Show that the stage at work has one more reply, new or kept from before."""
    if (line := _display.get().stage) is not None:
        line.calls.add(reply)
        line.redraw()


def show_server_batch(text: str, is_new: bool) -> None:
    """Show how far a batch of a server is: beside the stage at work, and in a line where that is new."""
    if (line := _display.get().stage) is not None:
        line.waits_for = text
        line.redraw()
    if is_new:
        note(text)


def note_part(part: float) -> None:
    """Show that so much of the batch at work is done, 0 to 1."""
    if (line := _display.get().stage) is not None:
        line.note_share(part)


class EpisodeCount:
    """Shows which part of `total` episodes has ended; one that failed says nothing of the time left."""

    def __init__(self, total: int) -> None:
        self.left = total
        self.ended = 0

    def end(self, is_solved: bool, is_failed: bool) -> None:
        """Count one more episode; `is_failed`: its call failed for good, which may take no time at all."""
        if (line := _display.get().stage) is not None:
            line.calls.ended += 1
            line.calls.solved += is_solved
            line.redraw()
        self.left -= 1
        self.ended += not is_failed
        if self.ended:
            note_part(self.ended / (self.ended + self.left))


@dataclass(slots=True)
class _StageLine:
    """The line of a stage; the last `calling` of its batches may call models."""

    name: str
    batches: int
    calling: int
    redraw: Callable[[], None] = lambda: None
    done: int = 0
    calls: CallCount = field(default_factory=CallCount)
    waits_for: str = ""

    def describe_calls(self, width: int | None = None) -> str:
        counted = self.calls.text if width is None else self.calls.text_within(width)
        return "; ".join(filter(None, (counted if self.calls.calls else "", self.waits_for)))[:width]

    def describe(self, seconds: float, end: str | None = None) -> str:
        words = self.describe_calls() if end is None else end
        return f"{self.name:<12} {self.done}/{self.batches} batches  {seconds:6.1f} s  {words}".rstrip()

    def note_share(self, part: float) -> None:
        first = self.batches - self.calling
        if self.calling and self.done >= first:
            self.calls.share = (self.done - first + part) / self.calling


@contextmanager
def stage(name: str, batches: int, calling: int | None = None) -> Iterator[Advance]:
    """Show a stage of so many batches; call what it yields with the row counts of each batch done.

    `calling` of them, the last ones, are those that may call models: the time left is estimated by them.
    """
    started = time.monotonic()
    totals: Counter[str] = Counter()
    line = _StageLine(name, batches, batches if calling is None else calling)
    display = _display.get()
    console, show_slow = display.console, display.log if display.slow is None else display.slow.print
    has_bar = console is not None and console.is_terminal
    columns = console.width if console is not None else 0
    bar_width = _BAR_WIDTH if columns >= _WIDE else _SHORT_BAR_WIDTH
    # Name, batches done and of all, the word, the time, and what separates them.
    left_for_calls = max(columns - bar_width - 2 * len(str(batches)) - _FIXED_WIDTH, 0)
    with (
        nullcontext() if has_bar or show_slow is None else print_while(line.describe, show_slow),
        Progress(
            TextColumn(f"{name:<12}"),
            BarColumn(bar_width=bar_width),
            MofNCompleteColumn(),
            TextColumn("batches"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[calls]}"),
            console=console or Console(quiet=True),
            transient=True,
            disable=not has_bar,
        ) as bar,
        _showing(stage=line),
    ):
        task = bar.add_task(name, total=batches, calls="")
        if has_bar:
            line.redraw = lambda: bar.update(task, calls=line.describe_calls(left_for_calls))

        def advance(counts: dict[str, int]) -> None:
            line.done += 1
            totals.update(counts)
            bar.advance(task)
            line.note_share(0.0)

        yield advance
    note(line.describe(time.monotonic() - started, describe_rows(totals)))


def describe_rows(counts: Mapping[str, int]) -> str:
    """Rows by table in words; rows of `audits` count expectations that were checked.

    Their validations are not counted too.
    """
    names = {"audits": "expectations"}
    counted = {table: rows for table, rows in counts.items() if rows and table != "validations"}
    return ", ".join(f"{rows:,} {names.get(table, table)}" for table, rows in counted.items())
