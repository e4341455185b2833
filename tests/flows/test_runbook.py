"""Recipes of docs/operate.md and docs/deploy: backup and restore, the systemd unit, what containers run."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from perennial.flows.cli.app import app
from tests.conftest import REPOSITORY
from tests.flows.conftest import Published

PAGE = (REPOSITORY / "docs/operate.md").read_text("utf-8")
DEPLOY = REPOSITORY / "docs/deploy"


@pytest.mark.slow
def test_a_root_comes_back_from_its_backup_byte_for_byte(
    published: Published, program: Sequence[str], tmp_path: Path
) -> None:
    section = PAGE.split("\n## Back up", 1)[1].split("\n## ", 1)[0]
    back_up, restore = re.findall(r"^```bash\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    programs = tmp_path / "bin"
    programs.mkdir()
    # Where no service runs, there is none to stop.
    (programs / "systemctl").write_text("#!/bin/sh\n")
    (programs / "perennial").write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n')
    for file in programs.iterdir():
        file.chmod(0o755)
    path = os.pathsep.join((str(programs), os.environ["PATH"]))

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
    unit = (DEPLOY / "perennial.service").read_text("utf-8")
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
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    from prefect.settings import Settings  # takes a second: not for those who collect

    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
    assert {str(one["build"]["dockerfile"]) for one in services.values() if "build" in one} == {
        "docs/deploy/Dockerfile"
    }
    (arguments,) = re.findall(r"^CMD (.*)$", dockerfile, re.MULTILINE)
    for command in (yaml.safe_load(arguments), services["perennial"]["command"]):
        _check_root(command, "/data")
    settings = services["prefect"]["environment"] | services["perennial"]["environment"]
    del settings["DO_NOT_TRACK"]
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    read = Settings().to_environment_variables(include_aliases=True)
    assert set(settings) <= set(read)
