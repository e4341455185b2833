"""Whether stored data holds together: keys, references, row counts, staged parts, files beside the editions.

Each function returns what is wrong, one line per flaw; the caller knows the remedy. Nothing is changed,
and memory stays flat: tables are read in batches, or by DuckDB within a limit.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from perennial.schemas.errors import Damaged, in_one_line
from perennial.schemas.table_form import Reference, Table
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import Setting
from perennial.warehouse.catalog.later_statistics import ANALYSES, SCALES
from perennial.warehouse.catalog.scores import score_files
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

_MEMORY = "1GB"
_SHOWN = 3
_BATCH_ROWS = 1 << 14


def relation_flaws(store: Store, edition: str) -> list[str]:
    """What is wrong between the rows of a published edition or evaluation.

    That is: keys that repeat, references to nothing. Statistics are those that readers see.
    """
    try:
        with TemporaryDirectory(prefix="perennial-") as spill:
            limits: dict[str, Setting] = {
                "memory_limit": _MEMORY,
                "preserve_insertion_order": False,
                "temp_directory": spill,
            }
            units = (split_unit(edition)[0], *([edition] if is_evaluation(edition) else []))
            kinds = ("answers", "either") if is_evaluation(edition) else ("questions", "either", "analysis")
            catalog = open_catalog(store, units, limits)
            # What has no file has no rows: an edition has those of one benchmark.
            has_rows = catalog.contents.files
            tables = [table for table in TABLES.values() if table.kind in kinds and has_rows[table.name]]
            named = {link.to_table for table in tables for link in table.references}
            with closing(catalog.connect({table.name for table in tables} | named)) as connection:
                return [flaw for table in tables for flaw in _table_flaws(connection, table)]
    except (duckdb.Error, OSError) as error:
        return [f"keys and references cannot be followed, as a table cannot be read ({in_one_line(error)})"]


@dataclass(frozen=True, slots=True)
class StagedState:
    """What is staged for one edition: its marked batches, their parts, their bytes, and what is wrong."""

    batches: int
    parts: int
    flaws: tuple[str, ...]


def staged_state(staging: Staging) -> StagedState:
    """Read every staged part of an edition, one at a time, and return what was found."""
    parts = 0
    flaws = []
    keys = staging.done_keys()
    for key in keys:
        try:
            for table, part in staging.parts(key).items():
                parts += 1
                staging.read_part(key, table, part)
        except (Damaged, OSError) as error:
            flaws.append(str(error).removesuffix(f": {staging.remedy}"))
    return StagedState(len(keys), parts, tuple(flaws))


def beside_flaws(store: Store) -> tuple[int, list[str]]:
    """How many files of later analyses and other benchmarks' scores there are, and their flaws."""
    folders = [*(f"{ANALYSES}/{name}" for name in store.names(ANALYSES)), SCALES]
    listed = [f"{folder}/{name}" for folder in folders for name in store.names(folder)]
    names = [name for name in listed if name.endswith(".parquet") and "/." not in name] + score_files(store)
    return len(names), [flaw for name in names for flaw in _file_flaws(store, name)]


def _table_flaws(connection: duckdb.DuckDBPyConnection, table: Table) -> Iterator[str]:
    key = ", ".join(f'"{name}"' for name in table.key)
    group_key = f"evaluation, {key}" if table.of_evaluations else key
    repeated = connection.execute(
        f'SELECT {key}, count(*) OVER () FROM "{table.name}" GROUP BY {group_key} HAVING count(*) > 1 '
        f"LIMIT {_SHOWN}"
    ).fetchall()
    if repeated:
        yield f"{table.name}: {repeated[0][-1]:,} keys are not unique, such as {_describe(repeated)}"
    for link in table.references:
        lost = connection.execute(
            f'SELECT "{link.column}", count(*) OVER () FROM "{table.name}" AS t '
            f'WHERE "{link.column}" IS NOT NULL AND NOT EXISTS (FROM "{link.to_table}" AS o '
            f'WHERE o."{link.to_column}" = t."{link.column}"{_same_evaluation(table, link)}) LIMIT {_SHOWN}'
        ).fetchall()
        if lost:
            yield (
                f"{table.name}.{link.column}: {lost[0][-1]:,} rows refer to no row of {link.to_table}, "
                f"such as {_describe(lost)}"
            )


def _same_evaluation(table: Table, link: Reference) -> str:
    """The condition that a referenced answer is of the row's own evaluation."""
    if not TABLES[link.to_table].of_evaluations:
        return ""
    return " AND o.evaluation = " + ("t.evaluation" if table.of_evaluations else "''")


def _file_flaws(store: Store, name: str) -> Iterator[str]:
    try:
        with store.open(name) as file, pq.ParquetFile(file, pre_buffer=False) as source:
            for _ in source.iter_batches(_BATCH_ROWS, use_threads=False):
                pass
    except FileNotFoundError:
        yield f"{name} is missing"
    except (pa.ArrowException, OSError) as error:
        yield f"{name} cannot be read ({in_one_line(error)})"


def _describe(rows: list[tuple[Any, ...]]) -> str:
    return "; ".join(", ".join(str(value) for value in values) for *values, _ in rows)
