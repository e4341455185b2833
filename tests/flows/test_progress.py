"""Progress where there is no terminal: lines on standard error for what takes long, and nothing else."""

import io
import threading

import pytest

from perennial.flows.console import progress
from perennial.flows.console import progress as steps
from perennial.flows.console.progress import print_while, show_steps
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.model_calls import Reply


def test_a_line_says_how_far_it_is_and_none_comes_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "FIRST_S", 0.001)
    told: list[str] = []
    twice = threading.Event()

    def tell(line: str) -> None:
        told.append(line)
        if len(told) == 2:
            twice.set()

    with print_while(lambda seconds: f"{seconds:.3f}", tell):
        assert twice.wait(60)
    number = len(told)
    assert told[:2] == ["0.001", "0.002"]
    assert not [thread for thread in threading.enumerate() if thread.name == "progress"]
    assert len(told) == number


def test_what_is_quick_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with show_steps("report") as step:
        step("drawing")
    assert capsys.readouterr() == ("", "")


def test_steps_are_named_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steps, "FIRST_S", 0.001)
    printed = threading.Event()
    plain = Terminal.print

    def note(self: Terminal, *given: object, **more: object) -> None:
        plain(self, *given, **more)  # type: ignore[arg-type]
        printed.set()

    monkeypatch.setattr(Terminal, "print", note)
    with show_steps("report") as step:
        step("drawing figures")
        assert printed.wait(60)
        printed.clear()
        assert printed.wait(60)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert all(line.startswith("report ") for line in shown.err.splitlines())
    assert shown.err.splitlines()[-1].endswith("s  drawing figures")


def test_the_time_left_does_not_come_from_calls_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    calls = progress.CallCount()
    shares: list[float] = []
    monkeypatch.setattr(progress, "note_part", shares.append)
    counted = progress.EpisodeCount(12)
    calls.add(Reply("call", "api_error"))
    for _ in range(8):
        counted.end(is_solved=False, is_failed=True)
    assert shares == []
    now += 30.0
    counted.end(is_solved=True, is_failed=False)
    calls.share = shares[-1]
    # One of the four that are no failures took 30 s.
    assert calls.text.endswith("about 90 s left")


def test_a_long_stage_prints_lines_beside_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "FIRST_S", 0.001)
    result, slow = io.StringIO(), io.StringIO()
    seen = threading.Event()
    write = slow.write

    def note(text: str) -> int:
        seen.set()
        return write(text)

    monkeypatch.setattr(slow, "write", note)
    with progress.show_on(Terminal(file=result), Terminal(file=slow)), progress.stage("sample", 2) as advance:
        advance({"instances": 1_200, "calls": 0, "audits": 3})
        assert seen.wait(60)
    assert slow.getvalue().startswith(("sample       0/2 batches", "sample       1/2 batches"))
    (line,) = result.getvalue().splitlines()
    assert line.startswith("sample       1/2 batches")
    # Tables without a row are left out, and rows of `audits` are called what they are everywhere.
    assert line.endswith("s  1,200 instances, 3 expectations")
