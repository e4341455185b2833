"""Tests that are killed leave nothing behind that writes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.flows.prefect_harness import is_running, wait_until
from tests.flows.warm_start import end_with
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death"),
]

# What a test does that starts a refresh and then waits.
_PROGRAM = """
import sys, time
from pathlib import Path
from tests.flows.prefect_harness import Harness, plain_environment
from tests.flows.warm_start import WarmStart

folder, url = Path(sys.argv[1]), sys.argv[2]
environment = plain_environment(folder)
warm = WarmStart(environment, folder, folder / "kernels.lock", plain=True)
process = Harness(environment, warm).but(PERENNIAL_API_KEY="k").start(
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "1"),
    *("--players", "m", "--base-url", url, "--root", "data"),
    cwd=folder,
)
print(process.pid, flush=True)
time.sleep(600)
"""


def test_a_killed_test_takes_its_commands_along(tmp_path: Path) -> None:
    # The server holds its reply for as long as the test lasts: the refresh would wait for it.
    tests = os.getpid()
    with running_server(ServerOptions(keys=("k",), models=("m",), hold_after=0)) as server:
        owner = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(tmp_path), server.url],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: end_with(tests),
        )
        assert owner.stdout is not None
        command = int(owner.stdout.readline())
        server.wait_held(timeout_s=240)
        assert is_running(command)
        owner.kill()
        owner.wait()
        owner.stdout.close()
        wait_until(lambda: not is_running(command))
