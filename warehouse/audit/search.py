"""Rows for the audit's suites, by DuckDB: a table's, all or a sample, and those that break a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perennial.schemas.ids import derive_rng
from perennial.schemas.table_form import Table
from perennial.warehouse.audit.suites import EVIDENCE_ROWS, TableExpectation
from perennial.warehouse.catalog.sql.confinement import quote

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow

# A table of more rows or bytes (not compressed) is validated by a sample, and searched whole by DuckDB.
WHOLE_ROWS = 10_000
WHOLE_BYTES = 64 << 20
SAMPLE_ROWS = 2_000
_FETCHED = 10_000


@dataclass(frozen=True, slots=True)
class AuditedRows:
    """The rows that a suite is run on.

    `rows` is how many the table or the rule has in all; `counts`, by sentence, how many of all break an
    expectation, where DuckDB counted them.
    """

    frame: "pd.DataFrame"
    rows: int
    counts: Mapping[str, int] = field(default_factory=dict)


def read_rows(
    connection: "duckdb.DuckDBPyConnection", table: Table, file: Path, suite: Sequence[TableExpectation]
) -> AuditedRows:
    """Return the rows of a table, or of a large one a sample, seeded by the table's name and size.

    With the sample come rows that break an expectation, at most `EVIDENCE_ROWS` for each: DuckDB looks for
    them in the whole table and counts them.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parquet:
        metadata = parquet.metadata
        rows = metadata.num_rows
        size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        if rows <= WHOLE_ROWS and size <= WHOLE_BYTES:
            return AuditedRows(_as_frame(parquet.read(use_threads=False)), rows)
        types = [(column.name, name_type(column.type)) for column in parquet.schema_arrow]
    numbers = set(derive_rng(rows, f"audit {table.name}", 0).sample(range(rows), min(rows, SAMPLE_ROWS)))
    has_structure = types == [(column.name, column.type) for column in table.file_columns]
    counts = _count_broken(connection, table, suite) if has_structure else {}
    source = f"read_parquet({quote(str(file))}, hive_partitioning = false, file_row_number = true)"
    for expectation in suite:
        if counts.get(expectation.sentence):
            sql = f"SELECT file_row_number FROM {source} WHERE {expectation.broken} ORDER BY ALL LIMIT ?"
            numbers.update(number for (number,) in connection.execute(sql, [EVIDENCE_ROWS]).fetchall())
    sql = (
        f"SELECT * EXCLUDE (file_row_number) FROM {source} "
        "WHERE file_row_number IN (SELECT unnest(?)) ORDER BY file_row_number"
    )
    chosen = connection.sql(sql, params=[sorted(numbers)]).to_arrow_table()
    return AuditedRows(_as_frame(chosen), rows, counts)


def name_type(type_: "pyarrow.DataType") -> str:
    """Name an Arrow type as `schemas` does; a text that is kept as a dictionary is a string."""
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        return name_type(type_.value_type)
    if pa.types.is_list(type_):
        return f"list<{name_type(type_.value_type)}>"
    if pa.types.is_timestamp(type_) and type_.unit == "us" and type_.tz is not None:
        return "timestamp"
    return "float64" if type_ == pa.float64() else str(type_)


def _count_broken(
    connection: "duckdb.DuckDBPyConnection", table: Table, suite: Sequence[TableExpectation]
) -> dict[str, int]:
    searched = [expectation for expectation in suite if expectation.broken]
    counted = ", ".join(f"count(*) FILTER ({expectation.broken})" for expectation in searched)
    counts = connection.execute(f'SELECT {counted} FROM "{table.name}"').fetchall()[0]
    return {expectation.sentence: count for expectation, count in zip(searched, counts, strict=True)}


def read_broken(connection: "duckdb.DuckDBPyConnection", sql: str, sentence: str) -> AuditedRows:
    """Return the rows that break the rule of this sentence, at most `EVIDENCE_ROWS`, and count all."""
    import pyarrow as pa

    reader = connection.sql(sql).to_arrow_reader(_FETCHED)
    batches = iter(reader)
    first = next(batches, None)
    if first is None:
        return AuditedRows(_as_frame(reader.schema.empty_table()), 0)
    count = first.num_rows + sum(batch.num_rows for batch in batches)
    shown = pa.Table.from_batches([first]).slice(0, EVIDENCE_ROWS)
    return AuditedRows(_as_frame(shown), count, {sentence: count})


def _as_frame(rows: "pyarrow.Table") -> "pd.DataFrame":
    """Return a frame whose columns stay Arrow's: no integer turns into a float where one is NULL."""
    import pandas as pd

    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    return frame
