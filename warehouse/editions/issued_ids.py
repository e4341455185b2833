"""Which instances were issued before: the ids that the published editions hold, withdrawn ones included."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from warehouse.catalog.catalog import table_file
from warehouse.editions.id_set import IdSet
from warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

_COLUMN = "instance_id"
_BATCH_ROWS = 1 << 18


@lru_cache(maxsize=4)
def issued_instances(store: Store, editions: tuple[str, ...]) -> IdSet:
    """Return the ids of all instances that these published editions hold, in about 16 bytes each.

    Editions never change, so a set that was read is kept for the process's life: add nothing to it.
    """
    issued = IdSet()
    for edition in editions:
        name = table_file("kumo_instances", edition)
        if store.exists(name):
            for ids in _ids_of(store, name):
                issued.update(ids)
    return issued


def _ids_of(store: Store, name: str) -> Iterator["pyarrow.Array"]:
    import pyarrow.parquet as pq

    with store.open(name) as file, pq.ParquetFile(file, pre_buffer=False) as source:
        for batch in source.iter_batches(_BATCH_ROWS, columns=[_COLUMN], use_threads=False):
            yield batch.column(0)
