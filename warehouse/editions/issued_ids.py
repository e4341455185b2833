"""Which instances were issued before: the ids that the published editions hold, withdrawn ones included."""

from functools import lru_cache

from perennial.warehouse.catalog.catalog import table_file
from perennial.warehouse.catalog.published_rows import read_batches
from perennial.warehouse.editions.id_set import IdSet
from perennial.warehouse.store.store import Store

_TABLE, _COLUMN = "instances", "content_hash"
_BATCH_ROWS = 1 << 18


@lru_cache(maxsize=4)
def issued_instances(store: Store, editions: tuple[str, ...]) -> IdSet:
    """Return the content of all instances that these published editions hold, in about 16 bytes each.

    Editions never change, so a set that was read is kept for the process's life: add nothing to it.
    """
    issued = IdSet()
    for edition in editions:
        if store.exists(table_file(_TABLE, edition)):
            for batch in read_batches(store, _TABLE, edition, [_COLUMN], _BATCH_ROWS):
                issued.update(batch.column(0).to_pylist())
    return issued
