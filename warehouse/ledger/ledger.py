"""The ledger of model calls: a request is counted before it is sent, a reply is kept before it is used."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Reply, Spent, StoredBatch
from perennial.warehouse.ledger.schema import (
    ANSWERED_SQL,
    keep_root_id,
    keep_same_ledger,
    open_for_writing,
    plain_errors,
    require_same_ledger,
)
from perennial.warehouse.ledger.writer import (
    AttemptBegin,
    LedgerWriter,
    begin_attempts,
    entry,
    stored_calls,
    stored_reply,
    sum_attempts,
    table_row,
)

# The batches that calls were submitted in: kept before a server is asked to create them.
#
# What is here is never marked as done: a call waits for the last batch that it was submitted in until the
# ledger has a reply of that batch. So a process may end at any moment, also while it stores a batch's
# replies.

_FIND_BATCH = """
    SELECT number, file_id, requests, batch_id FROM server_batches AS batch
    WHERE number = (
        SELECT max(number) FROM server_batch_calls JOIN server_batches USING (number)
        WHERE call_id = ?1 AND endpoint = ?2
    )
    AND NOT EXISTS (SELECT 1 FROM calls WHERE call_id = ?1 AND calls.batch_id = batch.batch_id)
"""
_BEGIN_BATCH = """
    INSERT INTO server_batches (edition, model, endpoint, input_digest, file_id, requests, stored_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def without_credentials(url: str) -> str:
    """Return the URL without user name, password, query and fragment, in all of which keys are passed."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*://)?[^/]*@", r"\1", bare)


class CallLedger(AbstractContextManager["CallLedger"]):
    """The ledger of a data root, open for the calls of one edition.

    A file may be open many times at once, in this process and in others. One ledger serves several event
    loops, at once or one after the other.
    """

    def __init__(
        self,
        path: Path,
        edition: str,
        endpoint: str,
        root_id: str = "",
        endpoints: Mapping[str, str] | None = None,
    ) -> None:
        """Open the ledger, creating it where there is none.

        Raises UnreadableInput where it is unusable, Damaged where it is damaged, or where it is another
        file than before in this `one_ledger` block.

        `edition` is what answered calls are counted for, `endpoint` where they are made: both are kept
        with each call that is stored here; `endpoints` are those of models that are asked elsewhere.
        `root_id` says which data root a new ledger belongs to.
        """
        self._path = path
        self._edition = edition
        self._endpoint = endpoint = without_credentials(endpoint)
        self._endpoints = {model: without_credentials(url) for model, url in (endpoints or {}).items()}
        require_same_ledger(path)
        self._writer = LedgerWriter(path, edition, endpoint, self._endpoints)
        # A connection of its own: a look-up never waits for a commit.
        self._reader = open_for_writing(path)
        if root_id:
            keep_root_id(self._reader, path, root_id)
        keep_same_ledger(path)

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def commits(self) -> int:
        """How many transactions have been committed: far fewer than calls where many are made at once."""
        return self._writer.commits

    def close(self) -> None:
        """Keep what still waits to be kept, then close the file; closing again does nothing."""
        self._writer.close()
        self._reader.close()

    def find(self, call_id: str) -> Reply | None:
        """Return the kept reply of an answered call, or None; failed calls are not found.

        Raises Damaged where the call is no longer what was kept.
        """
        with plain_errors(self._path):
            reply = stored_reply(self._reader, self._path, call_id)
        return reply if reply is not None and reply.answered else None

    def has_answered(self, model: str) -> bool:
        """Return whether the model's server has ever answered a call of it, in whatever edition."""
        sql = f"SELECT 1 FROM calls WHERE model = ? AND endpoint = ? AND status IN {ANSWERED_SQL} LIMIT 1"
        with plain_errors(self._path):
            return self._reader.execute(sql, (model, self._endpoint_of(model))).fetchone() is not None

    async def store(self, request: ModelRequest, reply: Reply) -> Reply:
        """Keep the reply and return, once it would survive a crash or a power loss, the one that is kept.

        The first answered reply of a call is kept for good, and returned to a caller that stores another. A
        failed one is kept until anything else is stored. Raises UnreadableInput where nothing was kept,
        Damaged where what was kept before is damaged, or the ledger's file was deleted or replaced: what is
        stored then is copied to a file that the error names.
        """
        return await self._writer.store(entry(request, reply))

    async def begin_attempt(self, request: ModelRequest, estimate_usd: float | None) -> int:
        """Count a request that is about to be sent, and return its number once that would survive a crash.

        `estimate_usd` is what it counts for as long as its cost is not known. Raises as `store` does.
        """
        return await self._writer.begin_attempt(AttemptBegin(request.call_id, estimate_usd))

    async def end_attempt(self, end: AttemptEnd) -> None:
        """Keep what an attempt came to; one that was not sent is counted no more. Raises as `store` does."""
        await self._writer.end_attempt(end)

    def find_last_attempt(self, call_id: str) -> tuple[int, float | None] | None:
        """Return number and estimate of the call's last attempt, None where it has none."""
        sql = "SELECT number, estimate_usd FROM attempts WHERE call_id = ? ORDER BY number DESC LIMIT 1"
        with plain_errors(self._path):
            row: tuple[int, float | None] | None = self._reader.execute(sql, (call_id,)).fetchone()
        return row

    def find_batch(self, model: str, call_id: str) -> StoredBatch | None:
        """Return the server's batch that a call of the model waits for, None where it is in none.

        It is the last one that it was submitted in at this server, unless the ledger has what that gave.
        """
        with plain_errors(self._path):
            row = self._reader.execute(_FIND_BATCH, (call_id, self._endpoint_of(model))).fetchone()
        return None if row is None else StoredBatch(*row)

    def begin_batch(
        self, model: str, input_digest: str, file_id: str, calls: Mapping[str, float | None]
    ) -> StoredBatch:
        """Keep which calls are in a batch, before a server is asked to create it of an uploaded file.

        An attempt of each is counted; `calls` gives what it counts for as long as its cost is not known.

        Raises UnreadableInput where that cannot be kept, Damaged where the ledger was deleted or replaced.
        """
        head = self._edition, model, self._endpoint_of(model), input_digest, file_id
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._transaction() as connection:
            number = connection.execute(_BEGIN_BATCH, (*head, len(calls), now)).lastrowid
            assert number is not None
            rows = ((call_id, number) for call_id in calls)
            connection.executemany("INSERT INTO server_batch_calls VALUES (?, ?)", rows)
            begin_attempts(connection, self._edition, [AttemptBegin(*call) for call in calls.items()], number)
        require_same_ledger(self._path)
        return StoredBatch(number, file_id, len(calls))

    def calls_of_batch(self, batch: StoredBatch) -> set[str]:
        """Return the ids of the calls that a batch was made of."""
        # By number there is no index: once a batch, the whole table is read in milliseconds.
        sql = "SELECT call_id FROM server_batch_calls WHERE number = ?"
        with plain_errors(self._path):
            return {call_id for (call_id,) in self._reader.execute(sql, (batch.number,))}

    def keep_batch_id(self, batch: StoredBatch, batch_id: str) -> StoredBatch:
        """Keep the id that the server gave a batch, and return the batch with it."""
        sql = "UPDATE server_batches SET batch_id = ? WHERE number = ?"
        with plain_errors(self._path):
            self._reader.execute(sql, (batch_id, batch.number))
        return replace(batch, batch_id=batch_id)

    def forget_batch(self, batch: StoredBatch, *, was_made: bool) -> None:
        """Remove a batch that has no answers: its calls wait for it no more.

        Where the server never made it, their attempts are counted no more.
        """
        with self._transaction() as connection:
            connection.execute("DELETE FROM server_batch_calls WHERE number = ?", (batch.number,))
            connection.execute("DELETE FROM server_batches WHERE number = ?", (batch.number,))
            if not was_made:
                connection.execute("DELETE FROM attempts WHERE batch = ?", (batch.number,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Let the block write all or nothing."""
        with plain_errors(self._path):
            self._reader.execute("BEGIN IMMEDIATE")
            with self._reader:
                yield self._reader

    def _endpoint_of(self, model: str) -> str:
        return self._endpoints.get(model, self._endpoint)

    def sum_spending(self, units: Sequence[str] = ()) -> Spent:
        """Return how many requests were sent for this edition, and what they cost as far as that is known.

        With `units`, of these editions and evaluations together.
        """
        with plain_errors(self._path):
            return sum_attempts(self._reader, units or [self._edition])

    def rows(self, call_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
        """Return these calls as rows of table `calls`, in the order given, each once, and of `messages`.

        Raises UnreadableInput for a call that is not in the ledger, Damaged for one that was altered there.
        """
        with plain_errors(self._path):
            calls, contents = stored_calls(self._reader, self._path, call_ids)
        messages = [{"message_id": key, "content": content} for key, content in sorted(contents.items())]
        return {"calls": [table_row(call) for call in calls], "messages": messages}
