"""What docs/share.md says of Inspect: tasks, their settings, and commands that Inspect takes."""

import re
import shlex
from itertools import pairwise

import pytest

from perennial.schemas.benchmark import benchmarks
from tests.conftest import REPOSITORY

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
registry = pytest.importorskip("inspect_ai._util.registry")

PAGE = (REPOSITORY / "docs/share.md").read_text("utf-8").split("\n## Inspect\n")[1].split("\n## ")[0]


def params_of(task: str) -> list[str]:
    found = registry.registry_lookup("task", task)
    assert found is not None, task
    params: list[str] = registry.registry_info(found).metadata["params"]
    return params


def test_every_benchmark_has_its_task_and_the_table_its_settings() -> None:
    shown = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    for name in benchmarks():
        assert f"`perennial/{name}`" in PAGE
        assert sorted(params_of(f"perennial/{name}")) == sorted(shown)


def test_each_task_is_known_to_who_reads_the_file_alone() -> None:
    listed = inspect_ai.list_tasks("flows/inspect_tasks", root_dir=REPOSITORY)
    assert {(task.file, task.name) for task in listed} == {
        ("flows/inspect_tasks/tasks.py", f"perennial/{name}") for name in benchmarks()
    }


def test_commands_of_the_page_name_tasks_and_their_settings() -> None:
    commands = [shlex.split(line) for line in re.findall(r"^    (inspect eval .+)$", PAGE, re.MULTILINE)]
    assert len(commands) >= 2
    for command in commands:
        given = [value.split("=")[0] for flag, value in pairwise(command) if flag == "-T"]
        assert set(given) <= set(params_of(command[2]))
