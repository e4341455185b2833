"""Ctrl-C at any moment from the first code of `perennial` on: exit code 130 and no traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# The entry says when it is there: Python's own start before it is not perennial's.
ENTRY = (
    "import os, sys\n"
    "from perennial.flows.cli.start import main\n"
    "os.write({ready}, b'x')\n"
    "sys.argv[0] = 'perennial'\n"
    "main()\n"
)
DELAYS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
COMMANDS = {"query": ["query", "SELECT 1"], "dry run": ["refresh", "--dry-run"]}


def interrupt(arguments: list[str], delay: float, folder: Path) -> tuple[int, str]:
    """Return exit code and standard error of a command that gets SIGINT so many seconds after its entry."""
    ready, written = os.pipe()
    command = [sys.executable, "-P", "-c", ENTRY.format(ready=written), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=[written], cwd=folder
    ) as process:
        os.close(written)
        assert os.read(ready, 1) == b"x"
        os.close(ready)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    return process.returncode, errors


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_at_any_moment_shows_no_traceback(command: str, tmp_path: Path) -> None:
    codes = []
    for delay in DELAYS:
        code, errors = interrupt(COMMANDS[command], delay, tmp_path)
        assert "Traceback" not in errors, errors
        assert "Exception" not in errors, errors
        # It may have ended before (2: no edition is published here), or be past all code of ours: then the
        # signal itself ends it, which shells show as 130.
        assert code in (130, -signal.SIGINT, 0, 2), (delay, code, errors)
        assert (code == 130) == ("interrupted" in errors), (delay, code, errors)
        codes.append(code)
    assert codes[0] == 130


def test_ctrl_c_during_the_imports_is_one_line(tmp_path: Path) -> None:
    assert interrupt(["--help"], 0.02, tmp_path) == (130, "perennial: interrupted\n")


def test_a_command_that_ignores_ctrl_c_goes_on_ignoring_it(tmp_path: Path) -> None:
    script = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from perennial.flows.cli import start\n"
        "start.end_at_once_on_ctrl_c()\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
    )
    subprocess.run([sys.executable, "-P", "-c", script], check=True, cwd=tmp_path)


@pytest.mark.slow
def test_ctrl_c_while_a_class_is_created_is_one_line(tmp_path: Path) -> None:
    script = (
        "from perennial.flows.cli import app, start\n"
        "class Name:\n"
        "    def __set_name__(self, owner, name):\n"
        "        raise KeyboardInterrupt\n"
        "def run():\n"
        "    type('Work', (), {'name': Name()})\n"
        "app.main = run\n"
        "start.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == "perennial: interrupted\n", done.stderr
    assert done.returncode == 130
