"""Rows that break an expectation: how many there are, and a few of them, by DuckDB."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.table_form import Column, Table
from warehouse.catalog.sql.confinement import quote_all

if TYPE_CHECKING:
    import duckdb

_EXAMPLES = 5
_FETCHED = 10_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found for one expectation: how many rows break it, and in words what was seen."""

    suite: str
    expectation: str
    count: int
    observed: str


def search_table(connection: "duckdb.DuckDBPyConnection", table: Table) -> Iterator[Finding]:
    """Yield a finding for each expectation on the table's columns, its key and its values."""
    columns = _find_other_columns(connection, table)
    yield columns
    if columns.count:
        return
    conditions = {name: sql for column in table.columns for name, sql in _broken_values(column)}
    counts = ", ".join(f"count(*) FILTER ({sql})" for _, sql in conditions.values())
    rows, *found = connection.execute(f'SELECT count(*), {counts} FROM "{table.name}"').fetchall()[0]
    yield _find_repeated_keys(connection, table, rows)
    for (expectation, (column, sql)), count in zip(conditions.items(), found, strict=True):
        observed = f"{rows} values"
        if count:
            some = f'SELECT "{column}" FROM "{table.name}" WHERE {sql} LIMIT {_EXAMPLES}'
            values = (str(value) for (value,) in connection.execute(some).fetchall())
            observed = f"values such as {', '.join(values)}"
        yield Finding(table.name, expectation, count, observed)


def search_query(connection: "duckdb.DuckDBPyConnection", suite: str, expectation: str, sql: str) -> Finding:
    """Return the finding for an expectation that no row of this query's result keeps."""
    result = connection.execute(sql)
    examples = result.fetchmany(_EXAMPLES)
    count = len(examples)
    while more := len(result.fetchmany(_FETCHED)):
        count += more
    listed = "; ".join(", ".join(str(value) for value in row) for row in examples)
    return Finding(suite, expectation, count, f"rows such as {listed}" if count else "no row")


def _broken_values(column: Column) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each expectation on a column's values, with the column and the condition that breaks it."""
    name = f'"{column.name}"'
    if not column.nullable:
        yield f"{column.name} is never NULL", (column.name, f"{name} IS NULL")
    if column.allowed:
        allowed = quote_all(column.allowed)
        expectation = f"{column.name} is one of {', '.join(column.allowed)}"
        yield expectation, (column.name, f"{name} NOT IN ({allowed})")
    if column.minimum is not None or column.maximum is not None:
        low = "" if column.minimum is None else f" >= {column.minimum:g}"
        high = "" if column.maximum is None else f" <= {column.maximum:g}"
        bounds = [f"{name}{bound}" for bound in (low, high) if bound]
        # DuckDB holds what is no number for larger than any.
        number = [f"NOT isnan({name})"] if column.type == "float64" else []
        yield f"{column.name}{low}{high}", (column.name, f"NOT ({' AND '.join(bounds + number)})")


def _find_other_columns(connection: "duckdb.DuckDBPyConnection", table: Table) -> Finding:
    expected = [column.name for column in table.file_columns]
    there = [name for name, *_ in connection.execute(f'DESCRIBE "{table.name}"').fetchall()]
    return Finding(table.name, f"columns are {', '.join(expected)}", int(there != expected), ", ".join(there))


def _find_repeated_keys(connection: "duckdb.DuckDBPyConnection", table: Table, rows: int) -> Finding:
    key = ", ".join(f'"{name}"' for name in table.key)
    named = table.key[0] if len(table.key) == 1 else f"({', '.join(table.key)})"
    repeated = connection.execute(
        f'SELECT {key}, count(*) AS times, sum(times) OVER () FROM "{table.name}" '
        f"GROUP BY {key} HAVING times > 1 ORDER BY {key} LIMIT {_EXAMPLES}"
    ).fetchall()
    listed = "; ".join(", ".join(map(str, row[: len(table.key)])) for row in repeated)
    observed = f"values such as {listed}" if repeated else f"{rows} values"
    return Finding(table.name, f"{named} is unique", int(repeated[0][-1]) if repeated else 0, observed)
