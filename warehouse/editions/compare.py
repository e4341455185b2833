"""Whether rebuilt tables are those of a published edition: the same rows, the same bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perennial.schemas.table_form import Table
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import table_file
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sameness:
    """One table: its rows then and now, whether they are equal, and whether its file's bytes are.

    `clock_columns` hold wall-clock values and are not compared; the file of a table that has any cannot be
    compared by its bytes, and `same_bytes` is None. `difference` says what differs, "" where nothing does.
    """

    table: str
    published: int
    rebuilt: int
    same_rows: bool
    same_bytes: bool | None
    clock_columns: tuple[str, ...]
    difference: str = ""


def compare_unit(store: Store, edition: str, rebuilt: Mapping[str, Path]) -> tuple[Sameness, ...]:
    """Return how each rebuilt table, a Parquet file, compares with the published one."""
    return tuple(_compare_tables(store, edition, TABLES[name], path) for name, path in rebuilt.items())


def _compare_tables(store: Store, edition: str, table: Table, path: Path) -> Sameness:
    clock = tuple(column.name for column in table.columns if column.volatile)
    name = table_file(table.name, edition)
    if not store.exists(name):
        rows = _read(path.read_bytes()).num_rows
        return Sameness(
            table=table.name,
            published=0,
            rebuilt=rows,
            same_rows=rows == 0,
            same_bytes=None,
            clock_columns=clock,
            difference="" if rows == 0 else "not published",
        )
    then_bytes, now_bytes = store.read_bytes(name), path.read_bytes()
    if then_bytes == now_bytes and not clock:
        rows = _read(now_bytes).num_rows
        return Sameness(
            table=table.name,
            published=rows,
            rebuilt=rows,
            same_rows=True,
            same_bytes=True,
            clock_columns=clock,
        )
    then, now = _read(then_bytes), _read(now_bytes)
    difference = _difference(table, then, now, [c.name for c in table.file_columns if not c.volatile])
    same_bytes = None if clock else False
    return Sameness(
        table=table.name,
        published=then.num_rows,
        rebuilt=now.num_rows,
        same_rows=not difference,
        same_bytes=same_bytes,
        clock_columns=clock,
        difference=difference,
    )


def _difference(table: Table, then: "pyarrow.Table", now: "pyarrow.Table", columns: list[str]) -> str:
    """Return what differs between the tables in these columns, "" where nothing does."""
    missing = [name for name in columns if name not in then.column_names]
    if missing:
        return f"published without column {', '.join(missing)}"
    then, now = then.select(columns), now.select(columns)
    if then.equals(now):
        return ""
    keys_then, keys_now = _keys(table, then), _keys(table, now)
    gone, new = keys_then.keys() - keys_now.keys(), keys_now.keys() - keys_then.keys()
    if gone or new:
        return f"{len(gone)} rows only published{_such_as(gone)}, {len(new)} only rebuilt{_such_as(new)}"
    both = ((key, then.slice(row, 1), now.slice(keys_now[key], 1)) for key, row in keys_then.items())
    changed = {key: [n for n in columns if not a[n].equals(b[n])] for key, a, b in both if not a.equals(b)}
    if not changed:
        return "the same rows in another order"
    named = sorted({name for names in changed.values() for name in names})
    return f"{len(changed)} rows differ in {', '.join(named)}{_such_as(changed)}"


def _keys(table: Table, rows: "pyarrow.Table") -> dict[tuple[object, ...], int]:
    columns = [rows[name].to_pylist() for name in table.key]
    return {key: row for row, key in enumerate(zip(*columns, strict=True))}


def _such_as(keys: Mapping[tuple[object, ...], object] | set[tuple[object, ...]]) -> str:
    shown = sorted(", ".join(map(str, key)) for key in keys)[:_SHOWN]
    return f" (such as {'; '.join(shown)})" if shown else ""


def _read(content: bytes) -> "pyarrow.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(pa.BufferReader(content), pre_buffer=False).read(use_threads=False)
