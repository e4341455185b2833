"""What we write for DuckDB runs in the versions that other programs bring: the script, and the database."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perennial.warehouse.catalog.catalog import list_contents
from tests.flows.hand_made_root import two_editions

COUNT = """
def count_rows(connection, script):
    connection.execute(open(script, encoding="utf-8").read())
    views = "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1"
    names = [name for (name,) in connection.execute(views).fetchall()]
    return {name: connection.execute(f'SELECT count(*) FROM (FROM "{name}")').fetchone()[0] for name in names}
"""
READ = f"""{COUNT}
import pickle, sys
sys.path.insert(0, sys.argv[1])
import duckdb
counts = count_rows(duckdb.connect(), sys.argv[2])
sys.stdout.buffer.write(pickle.dumps((duckdb.__version__, counts)))
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = two_editions(tmp_path_factory.mktemp("root") / "data")
    file = tmp_path_factory.mktemp("script") / "script.sql"
    file.write_text(list_contents(store).script(), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def counts(script: Path) -> dict[str, int]:
    """The rows of each table and view in the version that is installed here."""
    program: dict[str, Any] = {}
    exec(COUNT, program)
    with duckdb.connect() as connection:
        counted: dict[str, int] = program["count_rows"](connection, script)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_the_script_makes_the_same_tables_and_views_in_older_versions(
    tmp_path: Path, script: Path, counts: dict[str, int], version: str
) -> None:
    install = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", f"duckdb=={version}.*")
    if subprocess.run(
        (*install, "--target", str(tmp_path / "old")), capture_output=True, check=False
    ).returncode:
        pytest.skip(f"DuckDB {version} cannot be installed here")
    command = (sys.executable, "-c", READ, str(tmp_path / "old"), str(script))
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    read_by, read = pickle.loads(done.stdout)
    assert read_by.startswith(version)
    assert read == counts
