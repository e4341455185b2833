"""A table's file as the audit looks at it: block by block, and of each column no more than is asked of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import Damaged
from schemas.table_form import Table
from warehouse.store.parquet import sort_by_key

if TYPE_CHECKING:
    import pyarrow

_BLOCK_ROWS = 1 << 16
_READ_ROWS = 1 << 12


def read_blocks(table: Table, file: Path) -> Iterator["pyarrow.Table"]:
    """Yield the file's rows in blocks of about `_BLOCK_ROWS`, at least one; rows of one key share a block.

    Keys, and columns with allowed values or bounds, are there as they are. Of every other column only NULLs
    are asked, and it holds a mark in place of each value: texts would fill the memory. Raises Damaged where
    the file is not sorted by the table's key: then no block could say that a key is unique.
    """
    import pyarrow as pa

    held = None
    last = None
    for rows in _read(table, file):
        held = rows if held is None else pa.concat_tables([held, rows])
        count = _rows_before_last_key(held, table) if held.num_rows >= _BLOCK_ROWS else 0
        if count:
            block, held = held.slice(0, count), held.slice(count)
            last = _require_sorted(block, table, file, last)
            yield block
    if held is None:
        held = pa.Table.from_batches([], _schema(table, file))
    _require_sorted(held, table, file, last)
    yield held


def _read(table: Table, file: Path) -> Iterator["pyarrow.Table"]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(file, pre_buffer=False) as source:
        for batch in source.iter_batches(_READ_ROWS, use_threads=False):
            if batch.num_rows:
                yield _project(pa.Table.from_batches([batch]), table)


def _schema(table: Table, file: Path) -> "pyarrow.Schema":
    import pyarrow.parquet as pq

    return _project(pq.read_schema(file).empty_table(), table).schema


def _project(rows: "pyarrow.Table", table: Table) -> "pyarrow.Table":
    import pyarrow as pa
    import pyarrow.compute as pc

    kept = {
        *table.key,
        *(c.name for c in table.columns if c.allowed or c.minimum is not None or c.maximum is not None),
    }
    mark, nothing = pa.scalar(True), pa.scalar(None, pa.bool_())
    columns = [
        column if name in kept else pc.if_else(pc.is_valid(column), mark, nothing)
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    ]
    return pa.table(columns, names=rows.column_names)


def _rows_before_last_key(rows: "pyarrow.Table", table: Table) -> int:
    """Return how many rows come before those of the last key: 0 where there is no other."""
    last = _key_of(rows, table, rows.num_rows - 1)
    before = range(rows.num_rows - 1, 0, -1)
    return next((count for count in before if _key_of(rows, table, count - 1) != last), 0)


def _key_of(rows: "pyarrow.Table", table: Table, row: int) -> tuple[object, ...]:
    return tuple(rows[name][row].as_py() for name in table.key)


def _require_sorted(
    block: "pyarrow.Table", table: Table, file: Path, before: "pyarrow.Table | None"
) -> "pyarrow.Table":
    """Return the key of the block's last row; raise Damaged where block and key before are out of order."""
    import pyarrow as pa

    keys = block.select(list(table.key))
    whole = keys if before is None else pa.concat_tables([before, keys])
    if not sort_by_key(whole, table).equals(whole):
        raise Damaged(
            f"{file} is not sorted by {', '.join(table.key)}, as every file of {table.name} is written: it "
            "was altered since; restore it from a copy"
        )
    return keys.slice(max(0, keys.num_rows - 1))
