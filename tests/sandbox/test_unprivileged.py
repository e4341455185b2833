"""Hostile programs, natural ones and those past the checks in Python, run by a user without any privilege."""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.hostile import ESCAPED, NATURAL
from tests.sandbox.programs import HELD
from tests.web.explored_root import digests

_REPOSITORY = Path(__file__).parents[2]
_NOBODY = 65534
_SKIPPED = shutil.ignore_patterns(
    "test", "site-packages", "idlelib", "tkinter", "config-*", "ensurepip", "lib2to3", "pydoc_data"
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can run programs as another user"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that anybody can read, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_no_program_of_an_unprivileged_user_escapes(folder: Path) -> None:
    """Workers have the user of their parent here, which holds them back from nothing."""
    code = _copy_code(folder)
    data = folder / "data"
    (data / "editions").mkdir(parents=True)
    for file in (data / "mark", data / "editions" / "part.parquet"):
        file.write_text("untouched")
    for place in (data, *data.rglob("*")):
        os.chown(place, _NOBODY, _NOBODY)
    before = digests(data)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        port = str(server.getsockname()[1])
        done = subprocess.run(
            [_readable_python(folder), "-s", "-B", "-m", "tests.sandbox.programs", str(data), port],
            env={"PYTHONPATH": str(code), "PATH": os.environ["PATH"], "SECRET": "of the parent"},
            cwd=code,
            user=_NOBODY,
            group=_NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
        with pytest.raises(TimeoutError):
            server.accept()
    # The parent of the workers lived to the end.
    assert (done.returncode, done.stderr) == (0, "")
    assert digests(data) == before
    found = json.loads(done.stdout)
    ends = found.pop("none")
    assert set(ends) == set(NATURAL)
    assert [f"{name}: {end}" for name, end in ends.items() if end.startswith("worked")] == []
    for held in found.values():
        assert set(held) == set(ESCAPED)
        assert set(held.values()) <= set(HELD)


def _copy_code(folder: Path) -> Path:
    """Return a folder with the sandbox and its programs."""
    code = folder / "code"
    for source, name in (("tasks", "perennial/tasks"), ("tests", "tests")):
        shutil.copytree(_REPOSITORY / source / "sandbox", code / name / "sandbox")
        (code / name / "__init__.py").touch()
    (code / "perennial" / "__init__.py").touch()
    return code


def _readable_python(folder: Path) -> str:
    """Return an interpreter that any user can start: this one, or a copy of it and its library."""
    python = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    if all(place.stat().st_mode & 0o005 == 0o005 for place in (python, *python.parents, *library.parents)):
        return str(python)
    copy = folder / "python" / "bin" / python.name
    copy.parent.mkdir(parents=True)
    shutil.copy(python, copy)
    shutil.copytree(library, folder / "python" / "lib" / library.name, ignore=_SKIPPED)
    for shared in python.parents[1].glob("lib/libpython*.so*"):
        shutil.copy(shared, folder / "python" / "lib")
    return str(copy)
