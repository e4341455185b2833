"""Every request that was sent: counted before it is sent, so that no crash makes a limit forget it.

Until an attempt has ended, and where its reply reports no usage, it counts with an estimate. One that no
server can have received is removed.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from perennial.schemas.model_calls.calls import AttemptEnd, Spent

_BEGIN = """
    INSERT INTO attempts (number, edition, call_id, batch, estimate_usd, sent_at)
    SELECT ?1 + key, ?2, value ->> 0, ?3, value ->> 1, ?4 FROM json_each(?5)
"""
_END = """
    UPDATE attempts SET cost_usd = ended.value ->> 1, estimate_usd = ended.value ->> 2
    FROM json_each(?) AS ended WHERE number = ended.value ->> 0
"""
_SPENT = """
    SELECT count(*), coalesce(sum(coalesce(cost_usd, estimate_usd)), 0.0),
        count(*) - count(coalesce(cost_usd, estimate_usd)),
        count(*) FILTER (WHERE cost_usd IS NULL AND estimate_usd IS NOT NULL)
    FROM attempts
"""


@dataclass(frozen=True, slots=True)
class AttemptBegin:
    """An attempt of a call that is about to be sent."""

    call_id: str
    estimate_usd: float | None


def begin_attempts(
    connection: sqlite3.Connection,
    edition: str,
    begun: Sequence[AttemptBegin],
    batch: int | None = None,
) -> list[int]:
    """Count these attempts within the open transaction, and return the number of each."""
    if not begun:
        return []
    (first,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM attempts").fetchone()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows = json.dumps([(one.call_id, one.estimate_usd) for one in begun])
    connection.execute(_BEGIN, (first, edition, batch, now, rows))
    return list(range(first, first + len(begun)))


def end_attempts(connection: sqlite3.Connection, ended: Sequence[AttemptEnd]) -> None:
    """Keep within the open transaction what these attempts came to."""
    sent = [(end.number, end.cost_usd, end.estimate_usd) for end in ended if end.was_sent]
    if sent:
        connection.execute(_END, (json.dumps(sent),))
    never_sent = [end.number for end in ended if not end.was_sent]
    if never_sent:
        connection.execute(
            "DELETE FROM attempts WHERE number IN (SELECT value FROM json_each(?))", (json.dumps(never_sent),)
        )


def find_last_attempt(connection: sqlite3.Connection, call_id: str) -> tuple[int, float | None] | None:
    """Return number and estimate of the call's last attempt, None where it has none."""
    row: tuple[int, float | None] | None = connection.execute(
        "SELECT number, estimate_usd FROM attempts WHERE call_id = ? ORDER BY number DESC LIMIT 1", (call_id,)
    ).fetchone()
    return row


def sum_attempts(connection: sqlite3.Connection, units: Sequence[str]) -> Spent:
    """Return what these editions and evaluations have sent."""
    wanted = f"{_SPENT} WHERE edition IN (SELECT value FROM json_each(?))"
    return Spent(*connection.execute(wanted, (json.dumps(list(units)),)).fetchone())
