"""Which instances of an edition are private, until it is retired: from then on they are in exports too.

`retirements/<edition>.json` says when it was retired, and by whom. There is no way back: what was
exported is known.
"""

import json

from perennial.schemas.errors import EditionConflict
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store

_FOLDER = "retirements"


def is_retired(store: Store, edition: str) -> bool:
    """Whether the edition is retired."""
    return store.exists(_file(edition))


def private_ids(store: Store, edition: str) -> frozenset[str]:
    """The edition's private instances, whether it is retired or not."""
    _, rows = open_catalog(store, (edition,)).query("SELECT instance_id FROM private_instances")
    return frozenset(str(id_) for (id_,) in rows)


def retire(store: Store, edition: str, at: str, by: str) -> None:
    """Retire a published edition; raise EditionConflict where it is retired already."""
    if is_retired(store, edition):
        raise EditionConflict(f"edition {edition!r} is retired already: its exports leave nothing out")
    record = {"edition": edition, "at": at, "by": by}
    store.write_bytes(_file(edition), json.dumps(record, indent=1).encode())


def _file(edition: str) -> str:
    return f"{_FOLDER}/{edition}.json"
