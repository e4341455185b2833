"""The batches that calls were submitted in: kept before a server is asked to create them.

What is here is never marked as done: a call waits for the last batch that it was submitted in until the
ledger has a reply of that batch. So a process may end at any moment, also while it stores a batch's replies.
"""

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime

from perennial.schemas.model_calls.calls import StoredBatch
from perennial.warehouse.ledger.attempts import AttemptBegin, begin_attempts

_FIND = """
    SELECT number, file_id, requests, batch_id FROM server_batches AS batch
    WHERE number = (
        SELECT max(number) FROM server_batch_calls JOIN server_batches USING (number)
        WHERE call_id = ?1 AND endpoint = ?2
    )
    AND NOT EXISTS (SELECT 1 FROM calls WHERE call_id = ?1 AND calls.batch_id = batch.batch_id)
"""
_BEGIN = """
    INSERT INTO server_batches (edition, model, endpoint, input_digest, file_id, requests, stored_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def find_batch(connection: sqlite3.Connection, endpoint: str, call_id: str) -> StoredBatch | None:
    """Return the last batch that the call was submitted in at this endpoint, if its reply is not kept yet."""
    row = connection.execute(_FIND, (call_id, endpoint)).fetchone()
    return None if row is None else StoredBatch(*row)


def begin_batch(
    connection: sqlite3.Connection, head: tuple[str, str, str, str, str], calls: Mapping[str, float | None]
) -> StoredBatch:
    """Keep a batch that is about to be made, and count an attempt of each of its calls.

    `head`: edition, model, endpoint, digest and id of its file; `calls`: what each counts for at first.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        number = connection.execute(_BEGIN, (*head, len(calls), now)).lastrowid
        assert number is not None
        connection.executemany(
            "INSERT INTO server_batch_calls VALUES (?, ?)", ((call_id, number) for call_id in calls)
        )
        begin_attempts(connection, head[0], [AttemptBegin(*call) for call in calls.items()], number)
    return StoredBatch(number, head[-1], len(calls))


def calls_of_batch(connection: sqlite3.Connection, number: int) -> set[str]:
    """Return the ids of the calls in a batch."""
    # By number there is no index: once a batch, the whole table is read in milliseconds.
    found = connection.execute("SELECT call_id FROM server_batch_calls WHERE number = ?", (number,))
    return {call_id for (call_id,) in found}


def keep_batch_id(connection: sqlite3.Connection, number: int, batch_id: str) -> None:
    """Keep the id that the server gave a batch."""
    connection.execute("UPDATE server_batches SET batch_id = ? WHERE number = ?", (batch_id, number))


def forget_batch(connection: sqlite3.Connection, number: int, *, was_made: bool) -> None:
    """Remove a batch, and that calls are in it; where it was never made, the attempts that it counts for."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        connection.execute("DELETE FROM server_batch_calls WHERE number = ?", (number,))
        connection.execute("DELETE FROM server_batches WHERE number = ?", (number,))
        if not was_made:
            connection.execute("DELETE FROM attempts WHERE batch = ?", (number,))
