"""What a stage shows of its model calls while it runs: calls, tokens, spend, rate and time left."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from rich.console import Console

from perennial.flows.console import progress
from perennial.schemas.model_calls import Reply


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress.time, "monotonic", made)
    return made


def reply(cost: float | None = 0.5) -> Reply:
    return Reply("call_1", "ok", "hi", prompt_tokens=900, completion_tokens=100, cost_usd=cost)


def test_a_stage_shows_calls_tokens_spend_rate_and_time_left(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[Callable[[float], str]] = []

    @contextmanager
    def keep(describe: Callable[[float], str], _tell: Callable[[str], None]) -> Iterator[None]:
        lines.append(describe)
        yield

    monkeypatch.setattr(progress, "print_while", keep)
    with progress.show_on(Console(file=io.StringIO())), progress.stage("episodes", 6, calling=2) as advance:
        (line,) = lines
        for _ in range(4):  # batches of programs
            advance({})
        assert line(0.0) == "episodes     4/6 batches     0.0 s"
        for second in range(40):
            clock.now += 1
            progress.count_call(reply())
            if second == 30:
                # 30 seconds after the first call a quarter of the two batches of models is done: 90 are left.
                assert line(31.0) == (
                    "episodes     4/6 batches    31.0 s  "
                    "31 calls, $15.5000, 31,000 tokens, 1.0 calls/s, about 90 s left"
                )
            progress.note_part((second + 1) / 60)
        advance({})
        clock.now += 25
        progress.count_call(reply())
        assert "5/6 batches    65.0 s  41 calls, $20.5000, 41,000 tokens" in line(65.0)
        assert line(65.0).endswith("0.2 calls/s, about 64 s left")


def test_what_is_unknown_is_not_shown(clock: Clock) -> None:
    count = progress.CallCount()
    assert count.text == "no calls"
    count.add(Reply("call_1", "ok", "hi"))
    clock.now += 0.5
    assert count.text == "1 calls, cost unknown"
    clock.now += 9.5
    assert count.text == "1 calls, cost unknown, 0.1 calls/s"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(3.4, "3 s"), (99, "99 s"), (100, "2 min"), (5_900, "98 min"), (11_100, "3 h 05 min")],
)
def test_times_are_told_in_words(seconds: float, told: str) -> None:
    assert progress.describe_seconds(seconds) == told


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_bar_keeps_stage_and_batches_and_shows_as_much_of_the_calls_as_fits(
    width: int, clock: Clock
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=width, color_system=None)
    with progress.show_on(console), progress.stage("episodes", 12, calling=12) as advance:
        counted = progress.EpisodeCount(60)
        for second in range(30):
            clock.now += 1
            progress.count_call(reply())
            counted.end(is_solved=second % 2 == 0, is_failed=False)
        advance({})
    frames = [frame for frame in re.split(r"[\r\n]|\x1b\[2K", screen.getvalue()) if "batches" in frame]
    assert frames
    assert all(re.search(r"episodes .* \d+/12 batches", frame) for frame in frames)
    last = frames[-2]
    assert "15 of 30 solved" in last
    assert "left" in last
    assert ("calls/s" in last) == (width == 160)
