"""The page on writing a benchmark: its example is installed, and its commands run in their order."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.flows.installed_benchmarks import EXAMPLE, write_example
from tests.flows.plain_audit import PLAIN_PROGRAM
from tests.flows.prefect_harness import clean_environment

PAGE = (REPOSITORY / "docs/write_a_benchmark.md").read_text("utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("perennial ")
]
SAID = {
    "perennial benchmarks": "mastermind   perennial-mastermind  1.0",
    "perennial benchmarks --check mastermind": "benchmark mastermind passes 11 checks",
    "perennial query \"FROM mastermind_progress WHERE player = 'solver'\"": "mean_in_place",
    "perennial reproduce first": "first is reproduced, byte for byte",
    "perennial play --benchmark mastermind --seed 3": "solver answers GUESS: ",
}


@pytest.mark.slow
def test_its_commands_run_on_the_installed_example(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    path = os.pathsep.join((str(write_example(tmp_path / "site")), str(REPOSITORY)))
    environment = {**clean_environment(), "PYTHONPATH": path, "PERENNIAL_WORKERS": "1"}
    assert set(SAID) <= set(COMMANDS)
    for command in COMMANDS:
        program = [*PLAIN_PROGRAM, *shlex.split(command)[1:]]
        guesses = "AABB\n" * 10
        done = subprocess.run(
            program, input=guesses, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, (command, done.stderr)
        assert SAID.get(command, "") in done.stdout
        if "--dry-run" in command:
            assert re.search(r"gpt-4.1-mini\s*│\s*150 to 300", done.stdout)
    assert "Letters in place, guess by guess" in (tmp_path / "reports/first.html").read_text("utf-8")


def test_its_list_of_files_is_that_of_the_example() -> None:
    listed = re.findall(r"^    (\w+\.py|\w+)/?[ *]", PAGE, re.MULTILINE)
    folder = EXAMPLE / "perennial_mastermind"
    assert {name for name in listed if name != "__init__"} | {"__init__.py"} == {
        entry.name for entry in folder.iterdir() if entry.name != "__pycache__"
    }
