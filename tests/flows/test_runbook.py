"""Recipes of docs/operate.md: backup and restore, the systemd unit, what containers run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from prefect.settings import Settings
from typer.main import get_command

from perennial.flows.cli.app import app
from tests.conftest import REPOSITORY
from tests.flows.conftest import Published

PAGE = (REPOSITORY / "docs/operate.md").read_text("utf-8")


def blocks(language: str, heading: str) -> list[str]:
    """The blocks of a language under a heading of the second level."""
    section = PAGE.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_a_root_comes_back_from_its_backup_byte_for_byte(published: Published, tmp_path: Path) -> None:
    back_up, restore = blocks("bash", "Back up")
    programs = tmp_path / "bin"
    programs.mkdir()
    # Where no service runs, there is none to stop.
    (programs / "systemctl").write_text("#!/bin/sh\n")
    (programs / "systemctl").chmod(0o755)
    path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"]))

    def run(script: str) -> str:
        command = ["bash", "-euc", script]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shutil.copytree(published.root, tmp_path / "data")
    run(back_up)
    (tmp_path / "data").rename(tmp_path / "lost")
    assert "small" in run(restore)
    assert run("perennial reproduce small --root data")
    (changed,) = list((tmp_path / "data/tables/instances").rglob("*.parquet"))[:1]
    changed.write_bytes(changed.read_bytes()[:-1])
    with pytest.raises(AssertionError, match=r"\.parquet"):
        run(restore.split("\n", 1)[1])


def _check_root(arguments: list[str], root: str) -> None:
    name, *options = arguments
    context = get_command(app).commands[name].make_context(name, options)  # type: ignore[attr-defined]
    assert context.params["root"] == root


def test_the_unit_of_systemd_is_valid(tmp_path: Path) -> None:
    (unit,) = blocks("ini", "Schedules")
    (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    program, *arguments = shlex.split(command)
    _check_root(arguments, "data")
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("systemd-analyze is not installed")
    file = tmp_path / "perennial.service"
    file.write_text(unit.replace(program, "/bin/true").replace("User=perennial", "User=root"))
    checked = subprocess.run([checker, "verify", str(file)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_containers_run_known_commands_with_known_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    (dockerfile,) = blocks("dockerfile", "In containers")
    (text,) = blocks("yaml", "In containers")
    services = yaml.safe_load(text)["services"]
    (arguments,) = re.findall(r"^CMD (.*)$", dockerfile, re.MULTILINE)
    for command in (yaml.safe_load(arguments), services["perennial"]["command"]):
        _check_root(command, "/data")
    settings = services["prefect"]["environment"] | services["perennial"]["environment"]
    del settings["DO_NOT_TRACK"]
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    read = Settings().to_environment_variables(include_aliases=True)
    assert set(settings) <= set(read)
