"""What Prefect's database forgets: it is of bounded size, and its file gets smaller."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from perennial.flows.serve.prefect_retention import (
    KEEP_DAYS,
    KEEP_RUNS,
    prepare_database,
    trim,
    trim_at_start,
)

pytestmark = pytest.mark.slow  # Prefect's migrations, where no database is kept in the user's cache

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
OF_A_RUN = ("flow_run_state", "task_run", "task_run_state", "log", "artifact", "artifact_collection")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new database of Prefect's."""
    for name in ("PREFECT_API_DATABASE_CONNECTION_URL", "PREFECT_SERVER_DATABASE_CONNECTION_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    prepare_database(tmp_path)
    return tmp_path / "prefect.db"


def _at(days: float) -> str:
    return (NOW - timedelta(days=days)).strftime("%Y-%m-%d %H:%M:%S.%f")


def _add_run(connection: sqlite3.Connection, state: str, days: float, started: bool = True) -> str:
    """Add a run that ended so many days ago, with what belongs to one."""
    run, task, artifact = (str(uuid4()) for _ in range(3))
    start = _at(days) if started else None
    end = None if state in ("RUNNING", "SCHEDULED") else _at(days)
    flow = connection.execute("SELECT id FROM flow").fetchone()[0]
    add = connection.execute
    add(
        "INSERT INTO flow_run (id, flow_id, name, state_type, start_time, end_time, updated) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (run, flow, run, state, start, end, _at(days)),
    )
    add(
        "INSERT INTO flow_run_state (id, flow_run_id, type, name, timestamp) VALUES (?, ?, ?, ?, ?)",
        (str(uuid4()), run, state, state, _at(days)),
    )
    add(
        "INSERT INTO task_run (id, flow_run_id, name, task_key, dynamic_key) VALUES (?, ?, 't', 't', ?)",
        (task, run, task),
    )
    add(
        "INSERT INTO task_run_state (id, task_run_id, type, name, timestamp) VALUES (?, ?, ?, ?, ?)",
        (str(uuid4()), task, state, state, _at(days)),
    )
    for _ in range(20):
        add(
            "INSERT INTO log (name, level, flow_run_id, message, timestamp) VALUES ('l', 20, ?, ?, ?)",
            (run, "x" * 4000, _at(days)),
        )
    add("INSERT INTO artifact (id, key, flow_run_id) VALUES (?, ?, ?)", (artifact, f"k-{run}", run))
    add("INSERT INTO artifact_collection (key, latest_id) VALUES (?, ?)", (f"k-{run}", artifact))
    event = str(uuid4())
    add(
        "INSERT INTO events (id, occurred, event, resource_id, resource, payload, received, recorded) "
        "VALUES (?, ?, 'e', 'r', '{}', '{}', ?, ?)",
        (event, _at(days), _at(days), _at(days)),
    )
    add(
        "INSERT INTO event_resources (occurred, resource_id, resource_role, resource, event_id) "
        "VALUES (?, 'r', '', '{}', ?)",
        (_at(days), event),
    )
    return run


def _fill(database: Path) -> dict[str, list[str]]:
    """Add runs of all kinds, and return them by what is to become of them."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO flow (id, name) VALUES ('f', 'refresh')")
        latest = [_add_run(connection, "COMPLETED", 0.01 * number) for number in range(KEEP_RUNS)]
        skipped = [_add_run(connection, "CANCELLED", 0.001 * n, started=False) for n in range(KEEP_RUNS + 9)]
        more = [_add_run(connection, "FAILED", 2 + number) for number in range(60)]
        under_way = [_add_run(connection, state, KEEP_DAYS + 9) for state in ("RUNNING", "SCHEDULED")]
    return {"kept": [*latest, *skipped[:KEEP_RUNS], *under_way], "forgotten": [*skipped[KEEP_RUNS:], *more]}


def _ids(database: Path, sql: str) -> set[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return {row[0] for row in connection.execute(sql)}


def test_old_runs_go_with_all_that_belongs_to_them_and_the_file_gets_smaller(database: Path) -> None:
    runs = _fill(database)
    before = database.stat().st_size
    assert trim(database, NOW) == len(runs["forgotten"])
    assert _ids(database, "SELECT id FROM flow_run") == set(runs["kept"])
    for table in OF_A_RUN:
        owner = {
            "task_run_state": "SELECT flow_run_id FROM task_run JOIN task_run_state ON task_run_id = "
            "task_run.id",
            "artifact_collection": "SELECT flow_run_id FROM artifact WHERE id IN (SELECT latest_id FROM "
            "artifact_collection)",
        }.get(table, f"SELECT flow_run_id FROM {table}")
        assert _ids(database, owner) == set(runs["kept"]), table
    assert max(_ids(database, "SELECT count(*) FROM artifact_collection")) == len(runs["kept"])
    for table in ("events", "event_resources"):
        assert min(_ids(database, f"SELECT occurred FROM {table}")) >= _at(1)
    assert database.stat().st_size < 0.6 * before
    assert trim(database, NOW) == 0


def test_runs_of_long_ago_go_however_few_they_are(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO flow (id, name) VALUES ('f', 'refresh')")
        kept = _add_run(connection, "COMPLETED", KEEP_DAYS - 1)
        _add_run(connection, "COMPLETED", KEEP_DAYS + 1)
    trim(database, NOW)
    assert _ids(database, "SELECT id FROM flow_run") == {kept}


def test_a_busy_database_is_trimmed_another_time(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perennial.flows.serve.prefect_retention._WAIT_S", 0.1)
    monkeypatch.delenv("PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED", raising=False)
    _fill(database)
    before = _ids(database, "SELECT id FROM flow_run")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        trim_at_start(database.parent, again=False)
        connection.execute("ROLLBACK")
    assert _ids(database, "SELECT id FROM flow_run") == before
    trim_at_start(database.parent, again=False)
    assert len(_ids(database, "SELECT id FROM flow_run")) < len(before)


def test_the_operators_own_retention_goes_before_ours(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED", "true")
    _fill(database)
    before = _ids(database, "SELECT id FROM flow_run")
    trim_at_start(database.parent, again=False)
    assert _ids(database, "SELECT id FROM flow_run") == before
