"""`-q`, `-v` and `--log-file`: how much a command says, the same for each."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from perennial.flows.console import progress
from perennial.flows.console.messages import begin_messages, choose_messages
from perennial.flows.console.row_formats import Terminal
from tests.flows.hand_made_root import Run


@pytest.fixture(autouse=True)
def as_by_default() -> Iterator[None]:
    yield
    begin_messages()


def _work() -> str:
    """What is printed by work of one stage."""
    out = StringIO()
    console = Terminal(file=out, width=80)
    with progress.show_on(console):
        progress.announce(console, "growing edition e in /data")
        with progress.stage("sample", 1) as advance:
            advance({"instances": 3})
        progress.note("compiled")
    return out.getvalue()


def test_quiet_prints_no_progress_and_the_log_has_it_all(tmp_path: Path) -> None:
    said = _work()
    assert [line.split()[0] for line in said.splitlines()] == ["growing", "sample", "compiled"]
    log = tmp_path / "refresh.log"
    choose_messages(True, False, str(log))
    assert _work() == ""
    lines = log.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  \S", line) for line in lines)
    assert [line.split()[3] for line in lines] == ["growing", "sample", "compiled"]


@pytest.mark.parametrize("options", [("-q", "query", "FROM absent"), ("query", "FROM absent", "--quiet")])
def test_errors_are_printed_and_logged_wherever_the_options_stand(
    run: Run, tmp_path: Path, options: tuple[str, ...]
) -> None:
    for _ in range(2):
        failed = run(*options, "--log-file", str(tmp_path / "log"))
        assert failed.code == 2
        assert failed.err.startswith("perennial: error: ")
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line.partition("UTC  ")[2] for line in lines] == [failed.err[len("perennial: ") :].rstrip()] * 2


def test_verbose_prints_where_an_error_came_from(run: Run) -> None:
    assert "Traceback" in run("report", "absent", "-v").err
    assert "Traceback" not in run("report", "absent").err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-q", "-v"), "--quiet and --verbose exclude each other"),
        (("--log-file", "absent/log"), r"--log-file 'absent/log': cannot be written \(No such file"),
        (("--log-file", "."), r"--log-file '\.': cannot be written \(Is a directory"),
    ],
)
def test_options_that_make_no_sense_are_one_line(run: Run, options: tuple[str, ...], told: str) -> None:
    shown = run("editions", "list", *options)
    assert (shown.code, shown.err.count("\n")) == (2, 1)
    assert re.search(told, shown.err)
