"""Rows of an edition that are changed so that a rule of the audit must fail on them."""

from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa

from perennial.schemas.tables import TABLES
from perennial.warehouse.audit.audit import cross_table_rules

Rows = dict[str, list[dict[str, Any]]]
Doctor = Callable[[Rows], None]


def change(table: str, column: str, value: Any, row: int = 0) -> Doctor:
    """Return what puts another value into one row of a table."""

    def doctor(rows: Rows) -> None:
        assert rows[table][row][column] != value
        rows[table][row][column] = value

    return doctor


def drop(table: str, row: int = 0) -> Doctor:
    """Return what removes one row of a table."""
    return lambda rows: rows[table].pop(row) and None


def list_rules(rows: Rows, mark: str) -> list[str]:
    """Return the rules over several tables whose SQL has this mark."""
    return [rule for rule, sql in cross_table_rules(set(rows)).items() if mark in sql]


def connect_to(tables: dict[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Return a database in which these tables have their names."""
    connection = duckdb.connect(":memory:")
    for name, table in tables.items():
        connection.register(name, table)
    return connection


def find_offenders(sentence: str, rows: Rows) -> list[tuple[Any, ...]]:
    """Return what breaks the one rule that has this sentence."""
    (sql,) = [sql for rule, sql in cross_table_rules(set(rows)).items() if sentence in rule]
    tables = {name: pa.Table.from_pylist(of, schema=_schema(name)) for name, of in rows.items()}
    return connect_to(tables).execute(sql).fetchall()


def _schema(name: str) -> pa.Schema:
    """Return the table's schema with every column nullable: doctored rows break it."""
    return pa.schema([field.with_nullable(True) for field in TABLES[name].arrow_schema()])
