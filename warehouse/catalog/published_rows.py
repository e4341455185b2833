"""Some rows of a published table, in memory that does not grow with the table."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import published_units, table_file
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


def read_batches(
    store: Store, table: str, unit: str, columns: Sequence[str], rows: int
) -> Iterator["pyarrow.RecordBatch"]:
    """Yield these columns of a published table, so many rows at a time."""
    import pyarrow.parquet as pq

    with (
        store.open(table_file(table, unit)) as file,
        pq.ParquetFile(file, pre_buffer=False) as source,
    ):
        yield from source.iter_batches(rows, columns=list(columns), use_threads=False)


def rows_with(
    store: Store, table: str, unit: str, column: str, values: Iterable[str], columns: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the published rows whose column is one of the values, in the file's order.

    Of these columns, or of all that are the table's own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = columns or [own.name for own in TABLES[table].columns]
    wanted = pa.array(list(values), pa.string())
    rows: list[dict[str, Any]] = []
    for batch in read_batches(store, table, unit, names, 1 << 13):
        rows += batch.filter(pc.is_in(batch[column], value_set=wanted)).to_pylist()
    return rows


def published_call_ids(store: Store) -> Iterator[tuple[str, list[str]]]:
    """Yield what is published, each time with some ids of its calls; an unreadable file is left out."""
    import pyarrow as pa

    for unit in published_units(store):
        try:
            for batch in read_batches(store, "calls", unit, ["call_id"], 20_000):
                yield unit, batch.column(0).to_pylist()
        except (pa.ArrowException, OSError, Damaged):
            continue
