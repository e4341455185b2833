"""How DuckDB joins the rows of a view: its plans over tables that are large enough to matter, never run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from perennial.schemas.table_form import Column, Table
from perennial.schemas.tables import TABLES
from perennial.schemas.units import evaluation_of
from perennial.warehouse.catalog.catalog import Contents
from perennial.warehouse.catalog.confinement import table_file, table_sql
from perennial.warehouse.catalog.dictionary import question_views
from perennial.warehouse.store.store import Store

EDITIONS = ("one", "two", "three")
ROWS = {"questions": 500, "answers": 10_000, "either": 500, "analysis": 100}
"""Rows of a table of each kind in an edition; `editions` and `evaluations` have one."""
MANY = 100
"""So many rows on both sides of a join are too many to be joined by edition and player alone."""
WIDE = {"edition", "evaluation", "player"}
"""Columns whose values many rows share."""


def write_tables(root: Path) -> Contents:
    """Write all tables of three editions with made-up values, and return what a catalog knows of them."""
    store, files = Store(str(root)), {}
    for table in TABLES.values():
        units = [*EDITIONS] if table.of_editions else ["all"]
        if table.kind == "answers":
            units = [evaluation_of(edition, "1") for edition in EDITIONS]
        files[table.name] = [store.location(table_file(table.name, unit)) for unit in units]
        for unit, file in zip(units, files[table.name], strict=True):
            Path(file).parent.mkdir(parents=True)
            pq.write_table(_make_rows(table, unit.partition("@")[0]), file)
    views = {table.name: table_sql(table, files[table.name]) for table in TABLES.values()}
    return Contents(store, EDITIONS, files, views | question_views())


def _make_rows(table: Table, edition: str) -> pa.Table:
    number = 1 if table.name in ("editions", "evaluations") else ROWS.get(table.kind, MANY)
    columns = {column.name: _make_values(column, number) for column in table.file_columns}
    if "edition" in columns:
        columns["edition"] = pa.array([edition] * number)
    return pa.table(columns)


def _make_values(column: Column, number: int) -> pa.Array:
    places = range(number)
    if column.type == "string":
        values = column.allowed or [f"{place:05}" for place in places]
        return pa.array([values[place % len(values)] for place in places])
    if column.type.startswith("list"):
        kind = pa.string() if "string" in column.type else pa.int64()
        return pa.array([[] for _ in places], pa.list_(kind))
    if column.type == "bool":
        return pa.array([place % 2 == 0 for place in places])
    kinds = {"int64": pa.int64(), "float64": pa.float64(), "timestamp": pa.timestamp("us", "UTC")}
    return pa.array(places, pa.int64()).cast(kinds[column.type])


def read_plan(connection: Any, sql: str) -> list[dict[str, Any]]:
    """Return DuckDB's plan of the SQL."""
    ((_, text),) = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    plan: list[dict[str, Any]] = json.loads(text)
    return plan


def wide_joins(plan: list[dict[str, Any]]) -> Iterator[str]:
    """Yield each join of the plan by such columns alone that has many rows on both sides."""
    for node in plan:
        conditions = node.get("extra_info", {}).get("Conditions", [])
        conditions = [conditions] if isinstance(conditions, str) else conditions
        sides = [_estimate(child) for child in node["children"]]
        is_join = "JOIN" in node["name"] or "PRODUCT" in node["name"]
        # No row has many of the other side: where that is grouped by these columns, or only looked into.
        is_many = node.get("extra_info", {}).get("Join Type") not in ("SEMI", "ANTI", "MARK") and not any(
            0 < _count_groups(child) <= len(conditions) for child in node["children"]
        )
        columns = {condition.split(" ")[0] for condition in conditions}
        if is_join and is_many and columns <= WIDE and min(sides) >= MANY:
            yield f"{node['name']} {', '.join(conditions)}: {' x '.join(map(str, sides))} rows"
        yield from wide_joins(node["children"])


def _estimate(node: dict[str, Any]) -> int:
    found = node.get("extra_info", {}).get("Estimated Cardinality")
    return int(found) if found else max(map(_estimate, node["children"]), default=0)


def _count_groups(node: dict[str, Any]) -> int:
    """By how many columns the node's rows are grouped, 0 where they are not."""
    if "GROUP_BY" in node["name"]:
        return len(node["extra_info"]["Groups"])
    passes_on = node["name"] in ("PROJECTION", "ORDER_BY", "FILTER")
    return _count_groups(node["children"][0]) if passes_on else 0
