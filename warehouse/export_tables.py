"""Write the tables of a published edition and its evaluations for others, private instances left out.

What is left out is every row that refers to a private instance: by a reference of its table, by what the
table discloses, or by naming the instance or its origin. Of model calls and messages, those are left out to
which no row that is kept refers. A file of which nothing is left out is copied as it is.
"""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged
from perennial.schemas.table_form import Disclosure, Table
from perennial.schemas.tables import TABLES
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import open_catalog, visible_evaluations
from perennial.warehouse.catalog.confinement import Setting, table_file
from perennial.warehouse.catalog.later_statistics import STATISTICS, analysis_of
from perennial.warehouse.editions.manifest import read_manifest
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.parquet import sorted_file_options, with_place
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb


_MEMORY = "1GB"
_BLOCK_ROWS = 1 << 14
# Columns that name an instance, or texts that may, without being references.
_NAMING = {
    "statistics": "t.other NOT IN (FROM private_names)",
    "rejections": "NOT EXISTS (FROM private_names WHERE contains(t.subject || ' ' || t.message, name))",
    "audits": "NOT EXISTS (FROM private_names WHERE contains(t.observed, name))",
    "validations": "NOT EXISTS (FROM private_names WHERE contains(t.result, name))",
    "instances": "t.instance_id NOT IN (FROM private_names)",
    "calls": "t.call_id IN (FROM kept_call_ids)",
    "messages": "t.message_id IN (FROM kept_message_ids)",
}
_NAMES = """
SELECT DISTINCT unnest([i.instance_id, i.origin]) AS name
FROM private_instances JOIN instances AS i USING (edition, instance_id)
"""
_MESSAGES = """
SELECT unnest(from_json(request->'$.messages[*].message_id', '["VARCHAR"]'))
FROM calls WHERE call_id IN (FROM kept_call_ids)
"""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of an export: its name in its folder, its table, its rows, and how many were left out.

    There is no file without rows; the entry of one counts what was left out.
    """

    name: str
    table: str
    rows: int
    left_out: int
    size: int
    sha256: str


def exported_units(store: Store, edition: str) -> tuple[str, ...]:
    """The edition and those of its evaluations that are not withdrawn."""
    return (edition, *visible_evaluations(store, edition))


def export_tables(store: Store, edition: str, folder: Path, *, leave_out: bool) -> list[ExportedFile]:
    """Write the tables into the folder as they lie in a data root; return the files in order.

    With `leave_out` the private instances and all that refers to them are not written. Raises Damaged where a
    published file is not what its manifest says.
    """
    units = exported_units(store, edition)
    sources = list(_sources(store, units))
    digests = _listed_digests(store, units)
    with TemporaryDirectory(prefix="perennial-", dir=folder) as spill:
        limits: dict[str, Setting] = {"memory_limit": _MEMORY, "temp_directory": spill}
        with closing(
            open_catalog(store, units, limits).connect([*TABLES, "private_instances"])
        ) as connection:
            filtered = _keep_public_rows(connection) if leave_out else False
            files = []
            for name, source, unit in sources:
                table = TABLES[name.split("/")[1]]
                target = folder / name
                kept = _count(connection, table, unit, "kept_" if filtered else "")
                left_out = _count(connection, table, unit) - kept
                if not kept:
                    files.append(ExportedFile(name, table.name, 0, left_out, 0, ""))
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                if left_out:
                    _write_rows(connection, store, table, unit, target, kept)
                else:
                    shutil.copyfile(store.local_file(source, Path(spill) / "copy"), target)
                file = describe_file(folder, name, table.name, kept, left_out)
                if not left_out and file.sha256 != digests.get(source, file.sha256):
                    raise Damaged(
                        f"{store.location(source)} is not what was published: its SHA-256 is {file.sha256}; "
                        f"`perennial verify {unit}` says more"
                    )
                files.append(file)
    return files


def _sources(store: Store, units: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """For each file its name in the export, its name in the data root, and what published it."""
    edition = units[0]
    for table in TABLES.values():
        if table.kind == "analysis":
            source = analysis_of(store, edition, units)
            if source is not None and table.name == STATISTICS:
                yield table_file(table.name, edition), source, edition
        elif table.of_editions:
            for unit in units:
                name = table_file(table.name, unit)
                if store.exists(name):
                    yield name, name, unit


def _listed_digests(store: Store, units: Sequence[str]) -> dict[str, str]:
    manifests = (read_manifest(store, unit)[1] for unit in units)
    return {file.name: file.sha256 for manifest in manifests for file in manifest.files}


def _keep_public_rows(connection: "duckdb.DuckDBPyConnection") -> bool:
    """Make a view `kept_<table>` of each table; return whether any instance is private."""
    connection.execute(f"CREATE TEMP TABLE private_names AS {_NAMES}")
    (private,) = connection.execute("SELECT count(*) FROM private_names").fetchall()[0]
    if not private:
        return False
    last = ("calls", "messages")  # they are kept for the sake of others
    waiting = {table.name: table for table in TABLES.values() if table.of_editions and table.name not in last}
    called: list[str] = []
    while waiting:
        for table in list(waiting.values()):
            needed = {link.to_table for link in table.references}
            if not (needed | {disclosure.to_table for disclosure in table.discloses}) & set(waiting):
                _make_view(connection, table)
                called += _called_by(table)
                _add_names(connection, table)
                del waiting[table.name]
    connection.execute(f"CREATE TEMP TABLE kept_call_ids AS {' UNION '.join(called)}")
    connection.execute(f"CREATE TEMP TABLE kept_message_ids AS {_MESSAGES}")
    for name in last:
        _make_view(connection, TABLES[name])
    return True


def _make_view(connection: "duckdb.DuckDBPyConnection", table: Table) -> None:
    conditions = [
        f't."{link.column}" IS NULL OR t."{link.column}" IN '
        f'(SELECT "{link.to_column}" FROM "kept_{link.to_table}")'
        for link in table.references
        if link.to_table != "calls"
    ]
    for disclosure in table.discloses:
        columns = ", ".join(f't."{name}"' for name in disclosure.columns)
        conditions.append(f"({columns}) NOT IN ({_select_private(disclosure)})")
    if table.name in _NAMING:
        conditions.append(_NAMING[table.name])
    where = " AND ".join(f"({condition})" for condition in conditions) or "true"
    connection.execute(
        f'CREATE TEMP VIEW "kept_{table.name}" AS SELECT * FROM "{table.name}" AS t WHERE {where}'
    )


def _select_private(disclosure: Disclosure) -> str:
    columns = ", ".join(f'"{name}"' for name in disclosure.to_columns)
    name = disclosure.to_table
    return f'SELECT {columns} FROM "{name}" EXCEPT SELECT {columns} FROM "kept_{name}"'


def _add_names(connection: "duckdb.DuckDBPyConnection", table: Table) -> None:
    """Count what the table names of private rows among the names that texts must not contain."""
    for disclosure in table.discloses:
        if len(disclosure.to_columns) == 1:
            connection.execute(f"INSERT INTO private_names {_select_private(disclosure)}")


def _called_by(table: Table) -> Iterator[str]:
    for column in table.columns:
        if column.name.endswith("call_ids"):
            yield f'SELECT unnest("{column.name}") FROM "kept_{table.name}"'
        elif column.name.endswith("call_id"):
            yield f'SELECT "{column.name}" FROM "kept_{table.name}" WHERE "{column.name}" IS NOT NULL'


def _of(table: Table, unit: str) -> tuple[str, list[Any]]:
    """The condition, and its values, that a row of the table belongs to the edition or evaluation."""
    edition, name = split_unit(unit)
    if table.of_evaluations:
        return "edition = ? AND evaluation = ?", [edition, name]
    return "edition = ?", [edition]


def _count(connection: "duckdb.DuckDBPyConnection", table: Table, unit: str, kept: str = "") -> int:
    where, values = _of(table, unit)
    sql = f'SELECT count(*) FROM "{kept}{table.name}" WHERE {where}'
    return int(connection.execute(sql, values).fetchall()[0][0])


def _write_rows(
    connection: "duckdb.DuckDBPyConnection", store: Store, table: Table, unit: str, target: Path, kept: int
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    canary = read_published_plan(store, split_unit(unit)[0]).canary
    where, values = _of(table, unit)
    columns, key = (
        ", ".join(f'"{name}"' for name in names)
        for names in (
            [column.name for column in table.columns],
            table.key,
        )
    )
    schema = table.arrow_schema()
    sql = f'SELECT {columns} FROM "kept_{table.name}" WHERE {where} ORDER BY {key}'
    nothing = with_place(schema.empty_table(), table, unit, canary)
    options = sorted_file_options(table, nothing.schema, min(kept, _BLOCK_ROWS))
    with pq.ParquetWriter(target, nothing.schema, **options) as writer:
        for batch in connection.sql(sql, params=values).to_arrow_reader(_BLOCK_ROWS):
            rows = pa.Table.from_batches([batch]).cast(schema)
            writer.write_table(with_place(rows, table, unit, canary))


def describe_file(folder: Path, name: str, table: str, rows: int, left_out: int) -> ExportedFile:
    """The description of a file of the folder: what it holds, its size and its SHA-256."""
    with (folder / name).open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return ExportedFile(name, table, rows, left_out, (folder / name).stat().st_size, sha256)
