"""Ctrl-C in a run of several benchmarks, as a terminal sends it: to the command and all of its children."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.prefect_harness import clean_environment, wait_until
from tests.flows.test_several_benchmarks import SETTINGS, rows
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

ASKED = 3  # questions of each benchmark
PATIENCE_S = 240.0


def _session(number: int) -> list[str]:
    """Return the processes of this session that still run, as their lines of /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            line = stat.read_text()
        except OSError:
            continue
        state, _, _, session = line.rpartition(") ")[2].split()[:4]
        if int(session) == number and state not in "ZX":
            found.append(line)
    return found


def test_ctrl_c_in_the_second_benchmark_ends_in_one_line_and_the_same_command_repeats_no_call(
    tmp_path: Path,
) -> None:
    (tmp_path / "perennial.toml").write_text(SETTINGS.format(kumo=""))
    environment = {**clean_environment(), "PERENNIAL_API_KEY": KEY}
    options = ServerOptions(
        keys=(KEY,), models=("scripted",), roles="tests.server.one_word", hold_after=ASKED + 1
    )
    with running_server(options) as server:
        chosen = ("--benchmark", "beyondbench,knowlogic", "--root", "data", "--players", "scripted")
        command = (
            sys.executable,
            "-P",
            "-m",
            "perennial.flows.cli.app",
            "refresh",
            *chosen,
            "--base-url",
            server.url,
        )
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            server.wait_held(waiting=1, timeout_s=PATIENCE_S)
            os.killpg(process.pid, signal.SIGINT)
            server.release()
            printed, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, printed
        assert "Traceback" not in printed
        ours = [line for line in printed.splitlines() if line.startswith("perennial: ")]
        assert ours == ["perennial: interrupted; the same command resumes where this one stopped"]
        wait_until(lambda: not _session(process.pid), timeout_s=PATIENCE_S)
        begun = published_editions(Store(str(tmp_path / "data")))
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert done.returncode == 0, done.stderr
        assert set(answers_by_digest(server.log()).values()) == {1}
    published = published_editions(Store(str(tmp_path / "data")))
    assert len(published) == 2
    assert set(begun) <= set(published)
    assert rows(tmp_path, "SELECT count(*) FROM calls") == [(2 * ASKED,)]
    assert not list((tmp_path / "data/staging").iterdir())
