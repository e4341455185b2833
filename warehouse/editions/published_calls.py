"""The ids of published model calls, some at a time: of an edition's `calls` no other column is read."""

from collections.abc import Iterator

from schemas.errors import Damaged
from warehouse.catalog.catalog import published_units, table_file
from warehouse.store.store import Store

_IDS_A_STEP = 20_000


def published_call_ids(store: Store) -> Iterator[tuple[str, list[str]]]:
    """Yield what is published, each time with some ids of its calls; an unreadable file is left out."""
    import pyarrow as pa
    from pyarrow import parquet

    for unit in published_units(store):
        try:
            with (
                store.open(table_file("calls", unit)) as file,
                parquet.ParquetFile(file, pre_buffer=False) as source,
            ):
                for batch in source.iter_batches(_IDS_A_STEP, columns=["call_id"], use_threads=False):
                    yield unit, batch.column(0).to_pylist()
        except (pa.ArrowException, OSError, Damaged):
            continue
