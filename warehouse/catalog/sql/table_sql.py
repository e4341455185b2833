"""The SQL of a table: the rows of its files, of any version, with all of its columns."""

from collections.abc import Sequence

from perennial.schemas.table_form import DUCKDB_TYPES, Table
from perennial.warehouse.catalog.sql.confinement import quote


def table_sql(table: Table, places: Sequence[str]) -> str:
    """Return the SQL of the rows that these files hold of the table; of none where there is no file."""
    columns = [(column.name, DUCKDB_TYPES[column.type]) for column in table.file_columns]
    nothing = "SELECT " + ", ".join(f'NULL::{type_} AS "{name}"' for name, type_ in columns) + " WHERE false"
    if not places:
        return nothing
    listed = ", ".join(quote(place) for place in places)
    return f"{nothing} UNION ALL BY NAME SELECT * FROM read_parquet([{listed}], hive_partitioning = false)"
