"""The id of a data root, kept in `root.json` there and in its ledger: whose ledger is this?"""

import json
from uuid import uuid4

from perennial.schemas.errors import Damaged
from perennial.warehouse.store.store import Store

ROOT_FILE = "root.json"


def root_id(store: Store) -> str:
    """Return the root's id, making one where it has none yet; raise Damaged where it cannot be read."""
    while (found := find_root_id(store)) is None:
        store.create_bytes(ROOT_FILE, f'{{"root_id": "{uuid4().hex}"}}\n'.encode())
    return found


def find_root_id(store: Store) -> str | None:
    """Return the root's id, None where it has none yet; raise Damaged where it cannot be read."""
    try:
        return str(json.loads(store.read_bytes(ROOT_FILE))["root_id"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise Damaged(
            f"{store.location(ROOT_FILE)} cannot be read: restore it from a copy, or remove it and the next "
            "refresh with models makes another"
        ) from None
