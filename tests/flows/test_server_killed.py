"""The embedded Prefect server is killed during a refresh: one line, exit code 10, and nothing is lost."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perennial.flows.serve.embedded_server import EmbeddedServer
from perennial.schemas.errors import ServerEnded
from perennial.schemas.units import LOOK_UP
from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from tests.flows.conftest import KEY
from tests.flows.plain_audit import PROGRAM
from tests.flows.prefect_harness import Harness, clean_environment, wait_until
from tests.flows.progress_lines import without_progress
from tests.flows.test_serve import descendants, lives
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

LINE = "perennial: error: the embedded Prefect server has ended "
ANSWERS = 8
LEAVING_S = 60  # a generous bound: it takes less than a second, and took minutes
ONE_BATCH = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "5", "--runs", "1"),
    *("--players", "scripted,algorithm-3", "--edition", "small"),
)


@contextmanager
def _refreshing(
    command: tuple[str, ...], folder: Path, **environment: str
) -> "Iterator[subprocess.Popen[str]]":
    """Yield a refresh beside a server of its own."""
    process = subprocess.Popen(
        [*PROGRAM, *command],
        cwd=folder,
        env={**clean_environment(), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _kill_server(process: "subprocess.Popen[str]") -> None:
    (server,) = [
        pid
        for pid, told in descendants(process.pid).items()
        if "perennial.flows.serve.embedded_server" in told
    ]
    os.kill(server, signal.SIGKILL)


def _read_until(process: "subprocess.Popen[str]", stage: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(stage):
            return
    raise AssertionError(f"no line of {stage}: {process.stderr.read() if process.stderr else ''}")


def _require_one_line(process: "subprocess.Popen[str]") -> None:
    """Require that the refresh ends soon, with the one line and the exit code."""
    out, errors = process.communicate(timeout=LEAVING_S)
    assert process.returncode == 10, out + errors
    errors = without_progress(errors)
    assert errors.startswith(LINE)
    assert errors.count("\n") == 1
    assert "the same command resumes" in errors


def test_calls_in_flight_end_and_are_kept_and_none_is_made_again(
    keyed_by_prefect: Harness, tmp_path: Path
) -> None:
    with running_server(ServerOptions(keys=(KEY,), hold_after=ANSWERS)) as server:
        command = (*ONE_BATCH, "--base-url", server.url, "--root", str(tmp_path))
        with _refreshing(command, tmp_path, PERENNIAL_API_KEY=KEY) as process:
            server.wait_held(waiting=2, timeout_s=300)
            _kill_server(process)
            assert process.stderr is not None
            line = next(line for line in process.stderr if without_progress(line))
            assert line.startswith(LINE)
            assert process.poll() is None
            server.release()
            _, more = process.communicate(timeout=LEAVING_S)
            assert (process.returncode, without_progress(more)) == (10, "")
        answered = server.status().answered
        assert answered >= ANSWERS + 2
        assert not [line for line in server.log() if line.outcome == "abandoned"]
        with LedgerReader(ledger_file(str(tmp_path))) as ledger:
            looked_up = ledger.totals(CallFilter(edition=LOOK_UP)).calls
            assert ledger.totals(CallFilter()).calls - looked_up == answered
        assert not (tmp_path / "tables" / "evaluations").exists()
        done = keyed_by_prefect.perennial(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "resuming edition small" in done.stdout
        assert max(answers_by_digest(server.log()).values()) == 1


def test_workers_end_with_a_refresh_whose_server_was_killed(tmp_path: Path) -> None:
    long = ("refresh", "--settings", "hard", "--instances", "9000", "--worlds", "0", "--root", str(tmp_path))
    long = (*long, "--runner", "dask", "--workers", "2")
    with _refreshing(long, tmp_path) as process:
        _read_until(process, "domains")
        wait_until(lambda: sum(map(_is_worker, descendants(process.pid).values())) >= 2, 120)
        children = descendants(process.pid)
        _kill_server(process)
        _require_one_line(process)
    assert not (tmp_path / "tables").exists()
    wait_until(lambda: not any(lives(pid, command) for pid, command in children.items()), 120)


def _is_worker(told: str) -> bool:
    # Dask names its processes where it can (setproctitle).
    return "spawn_main" in told or told.startswith("dask worker")


def test_a_server_that_ends_before_it_answers_has_the_same_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with EmbeddedServer(tmp_path) as server:
        # Not looked for among descendants: it may have been begun before this test, and others beside it.
        assert server._process is not None
        server._process.kill()
        with pytest.raises(ServerEnded, match="ended at once: see ") as ended:
            server.wait_ready()
    assert ended.value.exit_code == 10
