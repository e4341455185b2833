"""What the rows of a table are expected to keep to: a suite of Great Expectations, derived from `schemas`.

Each expectation has its condition in SQL beside it, for tables too large for the library's pandas engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from perennial.schemas.ids import derive_rng
from perennial.schemas.table_form import Column, Table
from perennial.warehouse.catalog.confinement import quote, quote_all

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = "expect_table_columns_to_match_ordered_list"
TYPES = "expect_column_types"
NOT_NULL = "expect_columns_to_not_be_null"
RULE = "expect_rule_to_hold"
EVIDENCE_ROWS = 20


@dataclass(frozen=True, slots=True)
class TableExpectation:
    """One expectation of a suite: a sentence, its class in Great Expectations and the arguments of that.

    `broken` is the condition, in SQL, of the rows that break it; "" where no row does.
    """

    sentence: str
    type: str
    arguments: dict[str, Any] = field(default_factory=dict)
    broken: str = ""


def table_suite(table: Table) -> list[TableExpectation]:
    """The suite of a published table: columns, types, NULL, key, and each column's values."""
    columns = [column.name for column in table.file_columns]
    types = {column.name: column.type for column in table.file_columns}
    filled = [column.name for column in table.file_columns if not column.nullable]
    suite = [
        TableExpectation(f"columns are {', '.join(columns)}", COLUMNS, {"column_list": columns}),
        TableExpectation("each column has the type that the schema names", TYPES, {"types": types}),
        TableExpectation(
            f"{', '.join(filled)} {'is' if len(filled) == 1 else 'are'} never NULL",
            NOT_NULL,
            {"column_list": filled},
            " OR ".join(f'"{name}" IS NULL' for name in filled),
        ),
        _unique_key(table),
    ]
    for column in table.columns:
        suite += _column_expectations(column)
    return suite


def rule_suite(sentence: str) -> list[TableExpectation]:
    """The suite of the rows that break a rule: there is none."""
    return [TableExpectation(sentence, RULE)]


def _unique_key(table: Table) -> TableExpectation:
    listed = ", ".join(f'"{name}"' for name in table.key)
    broken = f'({listed}) IN (SELECT ({listed}) FROM "{table.name}" GROUP BY {listed} HAVING count(*) > 1)'
    if len(table.key) == 1:
        (name,) = table.key
        kind = "expect_column_values_to_be_unique"
        return TableExpectation(f"{name} is unique", kind, {"column": name}, broken)
    kind, arguments = "expect_compound_columns_to_be_unique", {"column_list": list(table.key)}
    return TableExpectation(f"({', '.join(table.key)}) is unique", kind, arguments, broken)


def _column_expectations(column: Column) -> Iterator[TableExpectation]:
    name, quoted = column.name, f'"{column.name}"'
    if column.allowed:
        yield TableExpectation(
            f"{name} is one of {', '.join(column.allowed)}",
            "expect_column_values_to_be_in_set",
            {"column": name, "value_set": list(column.allowed)},
            f"{quoted} NOT IN ({quote_all(column.allowed)})",
        )
    if column.pattern:
        yield TableExpectation(
            f"{name} matches {column.pattern}",
            "expect_column_values_to_match_regex",
            {"column": name, "regex": f"^(?:{column.pattern})$"},
            f"NOT regexp_full_match({quoted}, {quote(column.pattern)})",
        )
    if column.minimum is not None or column.maximum is not None:
        bounds = {"min_value": column.minimum, "max_value": column.maximum}
        low = "" if column.minimum is None else f" >= {column.minimum:g}"
        high = "" if column.maximum is None else f" <= {column.maximum:g}"
        within = [f"{quoted}{bound}" for bound in (low, high) if bound]
        # DuckDB holds what is not a number for larger than any.
        number = [f"NOT isnan({quoted})"] if column.type == "float64" else []
        yield TableExpectation(
            f"{name}{low}{high}",
            "expect_column_values_to_be_between",
            {"column": name, **{key: value for key, value in bounds.items() if value is not None}},
            f"NOT ({' AND '.join(within + number)})",
        )


# Rows for the audit's suites, by DuckDB: a table's, all or a sample, and those that break a rule.

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
    connection: duckdb.DuckDBPyConnection, table: Table, file: Path, suite: Sequence[TableExpectation]
) -> AuditedRows:
    """The rows of a table, or of a large one a sample, seeded by the table's name and size.

    With the sample come rows that break an expectation, at most `EVIDENCE_ROWS` for each: DuckDB looks for
    them in the whole table and counts them.
    """
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


def name_type(type_: pa.DataType) -> str:
    """Name an Arrow type as `schemas` does; a text that is kept as a dictionary is a string."""
    if pa.types.is_dictionary(type_):
        return name_type(type_.value_type)
    if pa.types.is_list(type_):
        return f"list<{name_type(type_.value_type)}>"
    if pa.types.is_timestamp(type_) and type_.unit == "us" and type_.tz is not None:
        return "timestamp"
    return "float64" if type_ == pa.float64() else str(type_)


def _count_broken(
    connection: duckdb.DuckDBPyConnection, table: Table, suite: Sequence[TableExpectation]
) -> dict[str, int]:
    searched = [expectation for expectation in suite if expectation.broken]
    counted = ", ".join(f"count(*) FILTER ({expectation.broken})" for expectation in searched)
    counts = connection.execute(f'SELECT {counted} FROM "{table.name}"').fetchall()[0]
    return {expectation.sentence: count for expectation, count in zip(searched, counts, strict=True)}


def read_broken(connection: duckdb.DuckDBPyConnection, sql: str, sentence: str) -> AuditedRows:
    """The rows that break the rule of this sentence, at most `EVIDENCE_ROWS`, and count all."""
    reader = connection.sql(sql).to_arrow_reader(_FETCHED)
    batches = iter(reader)
    first = next(batches, None)
    if first is None:
        return AuditedRows(_as_frame(reader.schema.empty_table()), 0)
    count = first.num_rows + sum(batch.num_rows for batch in batches)
    evidence = pa.Table.from_batches([first]).slice(0, EVIDENCE_ROWS)
    return AuditedRows(_as_frame(evidence), count, {sentence: count})


def _as_frame(rows: pa.Table) -> "pd.DataFrame":
    """A frame whose columns stay Arrow's: no integer turns into a float where one is NULL."""
    import pandas as pd

    frame: pd.DataFrame = rows.to_pandas(types_mapper=pd.ArrowDtype)
    return frame
