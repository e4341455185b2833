"""What a rule finds: a row of a table, and what is wrong with it."""

from collections.abc import Iterator
from typing import NamedTuple

from perennial.schemas.knowlogic.knowledge import Knowledge, Row


class Finding(NamedTuple):
    """A row that breaks a rule: the table, the row's id (or number), and what is wrong with it."""

    rule: str
    table: str
    row: str
    message: str


# What a rule yields: table, row and message.
Found = Iterator[tuple[str, str, str]]


def key_of(row: Row) -> str:
    """Return how a finding names a row: its id, or its first cell."""
    return row.get("id") or next(iter(row.values()))


def rows_of(knowledge: Knowledge, table: str) -> tuple[Row, ...]:
    """Return the rows of a table, none where there is no such table."""
    return knowledge.tables.get(table, ())


def split_cell(cell: str, separator: str = ";") -> list[str]:
    """Return the parts of a cell that lists several."""
    return [part for part in cell.split(separator) if part]
