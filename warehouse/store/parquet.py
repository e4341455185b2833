"""Arrow tables as the bytes of one Parquet file, and back; the order of the rows in a file."""

from typing import TYPE_CHECKING, Any

from perennial.schemas.disclosure import METADATA_KEY, canary_line
from perennial.schemas.rows import Rows
from perennial.schemas.table_form import Table
from perennial.schemas.units import split_unit

if TYPE_CHECKING:
    import pyarrow

DESCRIPTION_KEY = "description"  # of a column's metadata in the Arrow schema of a published file


def parquet_bytes(table: "pyarrow.Table") -> bytes:
    """Return the table as one zstd Parquet file; equal tables give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_index=True)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def sorted_file_options(table: Table, schema: "pyarrow.Schema", group_rows: int) -> dict[str, Any]:
    """How the sorted rows of a table are written: footers say how they are sorted, and help to find ids.

    A page index and statistics find what the rows are sorted by; bloom filters the other ids.
    """
    import pyarrow.parquet as pq

    order = [(name, "ascending") for name in (*(c.name for c in table.unit_columns), *table.key)]
    ids = [name for name in schema.names if name.endswith("_id") and name != table.key[0]]
    return {
        "compression": "zstd",
        "write_page_index": True,
        "sorting_columns": pq.SortingColumn.from_ordering(schema, order),
        "bloom_filter_options": {name: {"ndv": max(1, group_rows), "fpp": 0.05} for name in ids},
    }


def parquet_table(content: bytes, columns: list[str] | None = None) -> "pyarrow.Table":
    """Return the file's content, or these columns of it; raise ArrowException or OSError if it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # On this thread alone: one of Arrow's that still holds a Python object aborts an exiting process.
    source = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    return source.read(columns=columns, use_threads=False)


def rows_as_table(rows: Rows, table: Table) -> "pyarrow.Table":
    """Return the rows as an Arrow table of that form, in the order of its key."""
    import pyarrow as pa

    return sort_by_key(pa.Table.from_pylist(rows, schema=table.arrow_schema()), table)


def sort_by_key(rows: "pyarrow.Table", table: Table) -> "pyarrow.Table":
    """Return the rows in the order of the table's key, in one piece."""
    return rows.sort_by([(name, "ascending") for name in table.key]).combine_chunks()


def with_place(rows: "pyarrow.Table", table: Table, unit: str, canary: str = "") -> "pyarrow.Table":
    """Return the rows with the columns before them that say what publishes them.

    The schema's metadata hold the canary's line, where there is one; each column's say what it means.

    The columns are dictionaries: so Arrow reads the folder's name too, and refuses to read both where types
    differ.
    """
    import pyarrow as pa

    for index in reversed(range(len(table.unit_columns))):
        indices = pa.repeat(pa.scalar(0, pa.int32()), rows.num_rows)
        values = pa.DictionaryArray.from_arrays(indices, pa.array([split_unit(unit)[index]]))
        field = pa.field(table.unit_columns[index].name, values.type, nullable=False)
        rows = rows.add_column(0, field, values)
    docs = {column.name: column.doc for column in table.file_columns}
    fields = [field.with_metadata({DESCRIPTION_KEY: docs[field.name]}) for field in rows.schema]
    metadata = {METADATA_KEY: canary_line(canary)} if canary else None
    return pa.Table.from_arrays(rows.columns, schema=pa.schema(fields, metadata))
