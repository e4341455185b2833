"""Some rows of a published table, in memory that does not grow with the table."""

from collections.abc import Iterable, Sequence
from typing import Any

from schemas.tables import TABLES
from warehouse.catalog.catalog import table_file
from warehouse.store.store import Store

_BATCH_ROWS = 1 << 13


def rows_with(
    store: Store, table: str, unit: str, column: str, values: Iterable[str], columns: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the published rows whose column is one of the values, in the file's order.

    Of these columns, or of all that are the table's own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    names = list(columns) or [own.name for own in TABLES[table].columns]
    wanted = pa.array(list(values), pa.string())
    rows: list[dict[str, Any]] = []
    with (
        store.open(table_file(table, unit)) as file,
        pq.ParquetFile(file, pre_buffer=False) as source,
    ):
        for batch in source.iter_batches(_BATCH_ROWS, columns=names, use_threads=False):
            rows += batch.filter(pc.is_in(batch[column], value_set=wanted)).to_pylist()
    return rows
