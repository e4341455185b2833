"""Prefect's database for a new data root: a copy of one that is kept, since its migrations take seconds."""

import asyncio
import os
import sqlite3
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path

from perennial.schemas.variables import cache_folder
from perennial.warehouse.store.file_system import draft_of

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
