"""Everything is `perennial.*`: a user's own `schemas.py` or package `flows` does not get in the way."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from perennial.warehouse.editions.manifest import code_sha256
from tests.conftest import REPOSITORY

ROOMS = ("schemas", "prompts", "tasks", "warehouse", "flows")


def test_no_package_is_loaded_by_another_name_too() -> None:
    """pytest has the clone's folder on its path, where `import flows` would load everything a second time."""
    assert "perennial.warehouse" in sys.modules
    assert sorted(set(ROOMS) & set(sys.modules)) == []


@pytest.mark.slow
def test_modules_of_a_user_with_our_names_are_not_imported(tmp_path: Path) -> None:
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text(f"raise SystemExit('{room} of the user')")
    command = [sys.executable, "-m", "perennial.flows.cli.app", "tables"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kumo_books" in done.stdout


@pytest.mark.slow
def test_a_wheel_holds_the_code_and_nothing_that_a_refresh_drew(tmp_path: Path) -> None:
    """To setuptools a folder below a package is part of it, and a refresh may run beside an installation."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, clone], check=True)
    for name in ("staging/kumo-2026-01-05/part.csv", "tables/instances/keys.json", "study/questions.sql"):
        (clone / "warehouse/data" / name).parent.mkdir(parents=True)
        (clone / "warehouse/data" / name).write_text("private")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, clone]
    subprocess.run(build, check=True)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert len(names) > 1000
    assert not [name for name in names if name.startswith("perennial/warehouse/data")]


def test_the_hash_of_the_code_covers_each_file_once() -> None:
    kinds = {".py", ".sql", ".j2", ".json", ".csv", ".toml"}
    files = {"__init__.py": REPOSITORY / "src/perennial/__init__.py"}
    for room in ROOMS:
        for path in (REPOSITORY / room).rglob("*"):
            if path.suffix in kinds and REPOSITORY / "warehouse/data" not in path.parents:
                files[path.relative_to(REPOSITORY).as_posix()] = path
    names = sorted(files, key=lambda name: name.split("/"))
    text = "".join(f"{hashlib.sha256(files[name].read_bytes()).hexdigest()} {name}\n" for name in names)
    assert code_sha256() == hashlib.sha256(text.encode()).hexdigest()
