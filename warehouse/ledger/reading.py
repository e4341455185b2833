"""Reading a ledger without opening it for calls: lists, totals, and one call whole, for people."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perennial.schemas.model_calls.calls import Spent
from perennial.schemas.units import LOOK_UP, split_unit
from perennial.warehouse.ledger.attempts import sum_attempts
from perennial.warehouse.ledger.causes import Cause, count_causes
from perennial.warehouse.ledger.rows import stored_calls
from perennial.warehouse.ledger.schema import ANSWERED_SQL, open_for_reading, plain_errors

# A list of calls shows these: none of them is long, as errors are shortened when they are stored.
LISTED_COLUMNS = (
    "call_id",
    "stored_at",
    "edition",
    "role",
    "model",
    "template",
    "status",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "latency_s",
    "attempts",
    "error",
)
_LAST_CHARACTER = chr(0x10FFFF)


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are asked for: those that have all the values that are not None.

    `contains` is text that occurs in the reply, in this spelling; `call_ids` are all that may be meant.
    """

    role: str | None = None
    model: str | None = None
    status: str | None = None
    edition: str | None = None
    template: str | None = None
    contains: str | None = None
    call_ids: tuple[str, ...] | None = None

    def where(self) -> tuple[str, list[str]]:
        """Return the SQL condition and its values."""
        columns = ("role", "model", "status", "template")
        given = {column: getattr(self, column) for column in columns}
        conditions = [f"{column} = ?" for column, value in given.items() if value is not None]
        values = [value for value in given.values() if value is not None]
        if self.edition is not None:
            # Those of its evaluations too, `EDITION@NAME`.
            conditions.append("(edition = ? OR substr(edition, 1, length(?) + 1) = ? || '@')")
            values += [self.edition] * 3
        if self.contains is not None:
            conditions.append("instr(content, ?) > 0")
            values.append(self.contains)
        if self.call_ids is not None:
            conditions.append(f"call_id IN ({', '.join('?' * len(self.call_ids))})")
            values += self.call_ids
        return " AND ".join(conditions) or "true", values


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Sums over calls; `tokens_known` and `cost_known` say over how many of them each is known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    tokens_known: int
    cost_usd: float
    cost_known: int


class LedgerReader(AbstractContextManager["LedgerReader"]):
    """A ledger open for reading; it sees what is stored while it is open.

    Its errors are UnreadableInput, and Damaged where it is no longer what was kept.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing ledger; raise UnreadableInput where there is none or it cannot be read."""
        self._path = path
        self._connection = open_for_reading(path)

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def newest(self, wanted: CallFilter, limit: int) -> list[tuple[Any, ...]]:
        """Return the LISTED_COLUMNS of the newest such calls, newest first, at most `limit` of them."""
        condition, values = wanted.where()
        return self._rows(
            f"SELECT {', '.join(LISTED_COLUMNS)} FROM calls WHERE {condition} "
            "ORDER BY stored_at DESC, rowid DESC LIMIT ?",
            [*values, limit],
        )

    def totals(self, wanted: CallFilter) -> CallTotals:
        """Return the totals of all such calls."""
        condition, values = wanted.where()
        (row,) = self._rows(
            "SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), "
            "count(prompt_tokens + completion_tokens), coalesce(sum(cost_usd), 0.0), count(cost_usd) "
            f"FROM calls WHERE {condition}",
            values,
        )
        return CallTotals(*row)

    def spending(self, edition: str | None = None) -> Spent:
        """Return what was sent in all, look-ups aside, or for an edition and its evaluations."""
        with plain_errors(self._path):
            units = self._connection.execute("SELECT DISTINCT edition FROM attempts").fetchall()
            known = [unit for (unit,) in units if unit != LOOK_UP]
            wanted = [unit for unit in known if edition in (None, unit, split_unit(unit)[0])]
            return sum_attempts(self._connection, wanted)

    def causes(self, edition: str, role: str) -> list[Cause]:
        """Return why calls of an edition or evaluation in this role failed, with counts, oldest first."""
        return count_causes(
            self._rows(
                "SELECT coalesce(error, status), count(*) FROM calls WHERE edition = ? AND role = ? "
                f"AND status NOT IN {ANSWERED_SQL} GROUP BY 1 ORDER BY min(stored_at), min(rowid)",
                [edition, role],
            )
        )

    def ids_that_begin(self, prefix: str, limit: int) -> list[str]:
        """Return the ids of calls that begin so, sorted, at most `limit` of them."""
        found = self._rows(
            "SELECT call_id FROM calls WHERE call_id >= ? AND call_id < ? ORDER BY call_id LIMIT ?",
            [prefix, prefix + _LAST_CHARACTER, limit],
        )
        return [call_id for (call_id,) in found]

    def call(self, call_id: str) -> dict[str, Any]:
        """Return the whole call by column, with `params` and `messages` parsed."""
        with plain_errors(self._path):
            (call,), contents = stored_calls(self._connection, self._path, [call_id])
        messages = [{"content": contents[sent.pop("message_id")], **sent} for sent in call["messages"]]
        return {**call, "messages": messages}

    def _rows(self, sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
        with plain_errors(self._path):
            return self._connection.execute(sql, values).fetchall()
