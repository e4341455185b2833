"""The page on writing a benchmark: its example is installed, and its commands run in their order."""

import re
import shlex
import sys
from io import StringIO
from pathlib import Path

import pytest

from perennial.flows.cli.run import refresh
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import perennial
from tests.flows.installed_benchmarks import EXAMPLE, installed, write_example
from tests.flows.prefect_harness import plain_environment

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
def test_its_commands_run_on_the_installed_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in plain_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refresh, "execute_by_prefect", refresh.execute_plainly)
    (tmp_path / "site").mkdir()
    assert set(SAID) <= set(COMMANDS)
    with installed(write_example(tmp_path / "site")):
        for command in COMMANDS:
            monkeypatch.setattr(sys, "stdin", StringIO("AABB\n" * 10))
            done = perennial(monkeypatch, capsys, *shlex.split(command)[1:])
            assert done.code == 0, (command, done.err)
            assert SAID.get(command, "") in done.out
            if "--dry-run" in command:
                assert re.search(r"gpt-4.1-mini\s*│\s*150 to 300", done.out)
    assert "Letters in place, guess by guess" in (tmp_path / "reports/first.html").read_text("utf-8")


def test_its_list_of_files_is_that_of_the_example() -> None:
    listed = re.findall(r"^    (\w+\.py|\w+)/?[ *]", PAGE, re.MULTILINE)
    folder = EXAMPLE / "perennial_mastermind"
    assert {name for name in listed if name != "__init__"} | {"__init__.py"} == {
        entry.name for entry in folder.iterdir() if entry.name != "__pycache__"
    }
