"""An own Prefect server's database: how it is made, and which old runs and events it forgets."""

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from perennial.schemas.variables import cache_folder
from perennial.warehouse.store.file_system import draft_of

# Prefect's database for a new data root: a copy of one that is kept, since its migrations take seconds.

_PLACE_SETTINGS = ("PREFECT_API_DATABASE_CONNECTION_URL", "PREFECT_SERVER_DATABASE_CONNECTION_URL")


def prepare_database(home: Path) -> bool:
    """Create Prefect's SQLite database in this folder where there is none; whether it needs no migrations.

    The first time the migrations run, and what they made is kept in the user's cache, if there is one. Where
    a copy fails, the server runs the migrations as it starts.
    """
    database = own_database(home)
    if database is None:
        return False
    # RuntimeError: the user has no home folder, as in some containers.
    with suppress(OSError, sqlite3.Error, RuntimeError):
        kept = cache_folder() / f"prefect-{version('prefect')}.db"
        if not kept.exists():
            if not database.exists():
                asyncio.run(_migrate())
                kept.parent.mkdir(parents=True, exist_ok=True)
                _copy(database, kept)
            return False
        if not database.exists():
            _copy(kept, database)
        return _state_of(database) == _state_of(kept)
    return False


def own_database(home: Path) -> Path | None:
    """Return where Prefect's database is in this folder, None where the operator has put it elsewhere."""
    return None if any(name in os.environ for name in _PLACE_SETTINGS) else home / "prefect.db"


async def _migrate() -> None:
    from prefect.server.database import provide_database_interface

    await provide_database_interface().create_db()


def _state_of(database: Path) -> list[tuple[str]]:
    """Return which migration the database is at; raise sqlite3.Error where it is none of Prefect's."""
    with closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True)) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchall()


def _copy(source: Path, target: Path) -> None:
    """Copy a database whole, or not at all; raise FileExistsError where there is one meanwhile."""
    with draft_of(str(target), is_new=True) as draft:
        before, after = sqlite3.connect(f"file:{source}?mode=ro", uri=True), sqlite3.connect(draft)
        with closing(before), closing(after):
            before.backup(after)
            after.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it


# Prefect itself deletes by age alone, not at all beside a single run, and never makes its file smaller.
KEEP_RUNS = 20
KEEP_DAYS = 90
KEEP_EVENTS_DAYS = 1
# With it in the environment, what Prefect itself deletes, by age alone, is what is deleted.
_OPERATORS_CHOICE = "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED"
_TIME = "%Y-%m-%d %H:%M:%S.%f"  # as Prefect writes times
_ENDED = "('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')"
_WAIT_S = 5.0
# Rewriting the file is worth its time when so much of it is empty, and at least a megabyte.
_EMPTY_SHARE = 0.25
_EMPTY_BYTES = 2**20
_IDS_AT_ONCE = 500
_EVERY_S = 3600.0


def trim_at_start(home: Path, *, again: bool) -> None:
    """Trim the own database in this folder, later too if `again`, unless the operator chose what to keep.

    Where the database is busy, or its disk full, the next time will do.
    """
    database = own_database(home)
    if database is None or not database.exists() or _OPERATORS_CHOICE in os.environ:
        return

    def trim_once() -> None:
        with suppress(sqlite3.Error):
            trim(database)

    def trim_forever() -> None:
        while True:
            time.sleep(_EVERY_S)
            trim_once()

    trim_once()
    if again:
        threading.Thread(target=trim_forever, name="prefect-retention", daemon=True).start()


def trim(database: Path, now: datetime | None = None) -> int:
    """Delete ended runs but the latest `KEEP_RUNS` of `KEEP_DAYS` days, and events of more than a day ago.

    The file gets smaller where much of it is empty then. A run that has not ended stays, whatever its age.
    Returns how many runs were deleted. Raises sqlite3.Error where another process keeps the database busy.
    """
    now = now or datetime.now(UTC)
    with closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True, timeout=_WAIT_S)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")  # task runs and states go with their run
        old = _old_runs(connection, now)
        for start in range(0, len(old), _IDS_AT_ONCE):
            with connection:
                _delete_runs(connection, old[start : start + _IDS_AT_ONCE])
        with connection:
            _delete_events(connection, now)
        _shrink(connection)
        return len(old)


def _old_runs(connection: sqlite3.Connection, now: datetime) -> list[str]:
    """Return the ended runs to forget; a run's own runs go with it."""
    oldest = (now - timedelta(days=KEEP_DAYS)).strftime(_TIME)
    # Those that were skipped as another was under way must not drive out those that ran.
    rows = connection.execute(
        "SELECT id FROM (SELECT id, coalesce(end_time, updated) AS ended, row_number() OVER "
        "(PARTITION BY start_time IS NULL ORDER BY coalesce(end_time, updated) DESC, id) AS place "
        f"FROM flow_run WHERE state_type IN {_ENDED} AND parent_task_run_id IS NULL) "
        "WHERE place > ? OR ended < ?",
        (KEEP_RUNS, oldest),
    )
    return [run for (run,) in rows]


def _delete_runs(connection: sqlite3.Connection, runs: Sequence[str]) -> None:
    marks = ", ".join("?" * len(runs))
    for table in ("log", "artifact"):
        connection.execute(f"DELETE FROM {table} WHERE flow_run_id IN ({marks})", runs)
    connection.execute("DELETE FROM artifact_collection WHERE latest_id NOT IN (SELECT id FROM artifact)")
    connection.execute(f"DELETE FROM flow_run WHERE id IN ({marks})", runs)


def _delete_events(connection: sqlite3.Connection, now: datetime) -> None:
    oldest = (now - timedelta(days=KEEP_EVENTS_DAYS)).strftime(_TIME)
    for table in ("event_resources", "events"):
        connection.execute(f"DELETE FROM {table} WHERE occurred < ?", (oldest,))


def _shrink(connection: sqlite3.Connection) -> None:
    """Rewrite the file without what is empty in it, where that is much."""
    (pages,), (empty,), (size,) = (
        connection.execute(f"PRAGMA {name}").fetchone()
        for name in ("page_count", "freelist_count", "page_size")
    )
    if empty >= _EMPTY_SHARE * pages and empty * size >= _EMPTY_BYTES:
        connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
