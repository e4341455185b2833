"""Older versions of the ledger's file, made into the newest one where it is opened for writing.

Version 2 added a digest to each call. The calls of version 1 get theirs as they are found then: damage
that was done to them before is not noticed. Version 3 added the column `usage_reported`, which the digest
covers; a call whose digest did not fit before keeps one that does not fit.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from warehouse.ledger.digest import call_digest
from warehouse.ledger.rows import DIGESTED_VERSION, select_list, stored_cells

SCHEMA_VERSION = 3

_CALLS_A_STEP = 500
# NOT NULL needs a default in a table that has rows; every row is filled before the change is seen.
_ADD_DIGEST = "ALTER TABLE calls ADD COLUMN digest TEXT NOT NULL DEFAULT ''"
_ADD_USAGE = "ALTER TABLE calls ADD COLUMN usage_reported TEXT"
_READ = "SELECT rowid, digest, {columns} FROM calls WHERE rowid > ? ORDER BY rowid LIMIT ?"
_FILL = "UPDATE calls SET digest = ? WHERE rowid = ?"


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open ledger to the newest version, all at once or not at all."""
    if _version(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        version = _version(connection)
        if version < SCHEMA_VERSION:
            _add_columns(connection, version)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _add_columns(connection: sqlite3.Connection, version: int) -> None:
    if version < DIGESTED_VERSION:
        connection.execute(_ADD_DIGEST)
    connection.execute(_ADD_USAGE)
    for rows in _calls(connection, version):
        new = [
            (call_digest(cells), rowid)
            for rowid, digest, *cells in rows
            if version < DIGESTED_VERSION or digest == call_digest(stored_cells(cells, version))
        ]
        connection.executemany(_FILL, new)


def _calls(connection: sqlite3.Connection, version: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all calls with their row numbers and digests, some at a time: memory stays flat."""
    last = -1
    query = _READ.format(columns=select_list(version))
    while rows := connection.execute(query, (last, _CALLS_A_STEP)).fetchall():
        yield rows
        last = rows[-1][0]
