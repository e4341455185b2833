"""What a command does not wait for: other commands, views that it does not name, Prefect's migrations."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

from perennial.flows.cli.app import COMMANDS, app
from perennial.flows.serve.prefect_retention import prepare_database
from perennial.schemas.errors import Damaged
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from tests.flows.hand_made_root import two_editions
from tests.flows.prefect_harness import clean_environment


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_command_says_of_itself(name: str) -> None:
    command = get_command(app).commands[name]  # type: ignore[attr-defined]
    first, *_ = (command.help or "").split("\n\n")
    assert COMMANDS[name][1] == " ".join(first.split())


@pytest.mark.slow
def test_help_imports_no_command() -> None:
    program = (
        "import sys\nsys.argv = ['perennial', '--help']\nfrom perennial.flows.cli.app import main\n"
        "try:\n    main()\nfinally:\n"
        "    print(sorted(name for name in sys.modules if name.startswith('perennial.flows.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert all(f" {name} " in done.stdout for name in COMMANDS)
    _, listed, *_ = done.stdout.split("\n\n")[1:]
    assert len(listed.splitlines()) <= 20
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    assert done.stdout.splitlines()[-1] == "['perennial.flows.cli.app']"


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("3", "3")])
def test_the_version_is_shown_and_a_command_calculates_with_one_thread_unless_another_number_is_given(
    given: str | None, expected: str
) -> None:
    program = (
        "import os, sys\nsys.argv = ['perennial', '--version']\nfrom perennial.flows.cli.start import main\n"
        "try:\n    main()\nfinally:\n    print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    )
    environment = {name: text for name, text in clean_environment().items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {} if given is None else {"OPENBLAS_NUM_THREADS": given}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == f"perennial {version('perennial-bench')}\n{expected} False\n"


def test_a_query_reads_only_tables_that_it_names(tmp_path: Path) -> None:
    store = two_editions(tmp_path)
    (tmp_path / table_file("episodes", "e1@1")).write_bytes(b"no Parquet file")
    catalog = open_catalog(store)
    assert catalog.query("SELECT 1")[1] == [(1,)]
    assert catalog.query("SELECT DISTINCT edition FROM Instances ORDER BY 1")[1] == [("e1",), ("e2",)]
    for sql in ("FROM episodes", "FROM domain_scores", "SHOW TABLES"):
        with pytest.raises(Damaged, match="episodes"):
            catalog.query(sql)


@pytest.fixture
def kept_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the migrated database of Prefect is kept, in a cache that is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PREFECT_API_DATABASE_CONNECTION_URL", raising=False)
    (tmp_path / "cache/perennial").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return tmp_path / f"cache/perennial/prefect-{version('prefect')}.db"


def _write(database: Path, value: int) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE migrated AS SELECT ? AS value", [value])
        connection.commit()


def _read(database: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT value FROM migrated").fetchall()


def test_a_new_root_gets_a_copy_of_the_migrated_database(tmp_path: Path, kept_database: Path) -> None:
    _write(kept_database, 7)
    prepare_database(tmp_path / "home")
    assert [file.name for file in (tmp_path / "home").iterdir()] == ["prefect.db"]
    assert _read(tmp_path / "home/prefect.db") == [(7,)]


def test_a_database_that_is_there_stays(tmp_path: Path, kept_database: Path) -> None:
    _write(kept_database, 7)
    _write(tmp_path / "home/prefect.db", 8)
    prepare_database(tmp_path / "home")
    assert _read(tmp_path / "home/prefect.db") == [(8,)]


def test_only_a_database_of_the_same_state_needs_no_migrations(tmp_path: Path, kept_database: Path) -> None:
    def migrate(database: Path, state: str) -> None:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE alembic_version AS SELECT ? AS version_num", [state])
            connection.commit()

    migrate(kept_database, "new")
    assert prepare_database(tmp_path / "home")
    assert prepare_database(tmp_path / "home")
    for name, is_current in (("new", True), ("old", False)):
        (tmp_path / name).mkdir()
        migrate(tmp_path / name / "prefect.db", name)
        assert prepare_database(tmp_path / name) is is_current
    (tmp_path / "home/prefect.db").write_bytes(b"no database" * 1000)
    assert not prepare_database(tmp_path / "home")


def test_a_damaged_copy_is_left_to_the_migrations(tmp_path: Path, kept_database: Path) -> None:
    kept_database.write_bytes(b"no database" * 1000)
    prepare_database(tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_without_a_home_folder_the_server_migrates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("PREFECT_API_DATABASE_CONNECTION_URL", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    (tmp_path / "home").mkdir()
    prepare_database(tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.slow
def test_the_first_start_keeps_what_the_migrations_made(tmp_path: Path, kept_database: Path) -> None:
    program = (
        "import sys, pathlib\nfrom perennial.flows.serve.prefect_retention import prepare_database\n"
        "prepare_database(pathlib.Path(sys.argv[1]))"
    )
    environment = {**clean_environment(), "PREFECT_HOME": str(tmp_path / "home")}
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "home")], check=True, env=environment)
    (tmp_path / "next").mkdir()
    prepare_database(tmp_path / "next")
    schemas = []
    for file in (tmp_path / "home/prefect.db", kept_database, tmp_path / "next/prefect.db"):
        with closing(sqlite3.connect(file)) as connection:
            schemas.append(connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall())
            assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
    assert schemas[0] == schemas[1] == schemas[2]
