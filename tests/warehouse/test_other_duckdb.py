"""What we write for DuckDB runs in the versions that other programs bring: the script, and the database."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import list_contents
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.test_publish_and_catalog import NOW

READ = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
import duckdb
connection = duckdb.connect()
connection.execute(open(sys.argv[2], encoding="utf-8").read())
names = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()
count = "SELECT count(*) FROM (FROM \\"{}\\")"
counts = {name: connection.execute(count.format(name)).fetchone()[0] for (name,) in names}
sys.stdout.buffer.write(pickle.dumps((duckdb.__version__, counts)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_the_script_makes_the_same_tables_and_views_in_older_versions(tmp_path: Path, version: str) -> None:
    install = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", f"duckdb=={version}.*")
    if subprocess.run(
        (*install, "--target", str(tmp_path / "old")), capture_output=True, check=False
    ).returncode:
        pytest.skip(f"DuckDB {version} cannot be installed here")
    store = Store(str(tmp_path / "data"))
    tiny_edition.publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], NOW)
    (tmp_path / "script.sql").write_text(list_contents(store).script(), encoding="utf-8")
    read = {}
    for folder in ("old", "none"):
        command = (sys.executable, "-c", READ, str(tmp_path / folder), str(tmp_path / "script.sql"))
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        read[folder] = pickle.loads(done.stdout)
    assert read["old"][0].startswith(version)
    assert read["old"][1] == read["none"][1]
