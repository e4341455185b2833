"""Older versions of the ledger's file, made into the newest one where it is opened for writing.

Version 2 added a digest to each call. The calls of version 1 get theirs as they are found then: damage
that was done to them before is not noticed.
"""

import sqlite3
from collections.abc import Iterator

from warehouse.ledger.digest import call_digest
from warehouse.ledger.rows import CALL_COLUMNS

SCHEMA_VERSION = 2

_CALLS_A_STEP = 500
# NOT NULL needs a default in a table that has rows; every row is filled before the change is seen.
_ADD_DIGEST = "ALTER TABLE calls ADD COLUMN digest TEXT NOT NULL DEFAULT ''"
_READ = f"SELECT rowid, {', '.join(CALL_COLUMNS)} FROM calls WHERE rowid > ? ORDER BY rowid LIMIT ?"
_FILL = "UPDATE calls SET digest = ? WHERE rowid = ?"


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open ledger to the newest version, all at once or not at all."""
    if _version(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        if _version(connection) < SCHEMA_VERSION:
            _add_digests(connection)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _add_digests(connection: sqlite3.Connection) -> None:
    connection.execute(_ADD_DIGEST)
    for rows in _calls(connection):
        connection.executemany(_FILL, [(call_digest(cells), rowid) for rowid, *cells in rows])


def _calls(connection: sqlite3.Connection) -> Iterator[list[tuple[int, ...]]]:
    """Yield all calls with their row numbers, some at a time: memory stays flat."""
    last = -1
    while rows := connection.execute(_READ, (last, _CALLS_A_STEP)).fetchall():
        yield rows
        last = rows[-1][0]
