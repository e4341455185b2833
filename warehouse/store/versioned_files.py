"""Tables that are replaced now and then, each time as a file of its own; the latest one counts.

A file that readers may have open is never written again: a query of DuckDB opens it more than once, and
would read the head of one and the rows of another. In `stem.v3.1f2e3d4c.parquet` the number says which is the
latest, the hash keeps two that were written at the same moment apart.
"""

import hashlib
import re
from typing import TYPE_CHECKING

from perennial.warehouse.store.parquet import parquet_bytes
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

_NAME = re.compile(r"(?P<stem>[^.]+)\.v(?P<number>\d+)\.[0-9a-f]{8}\.parquet")


def latest_version(store: Store, folder: str, stem: str) -> str | None:
    """Return the latest file of that stem, relative to the data root; None where there is none."""
    versions = _versions(store, folder).get(stem)
    return versions[-1][1] if versions else None


def latest_versions(store: Store, folder: str) -> list[str]:
    """Return the latest file of every stem in the folder, relative to the data root, sorted."""
    return sorted(versions[-1][1] for versions in _versions(store, folder).values())


def superseded_versions(store: Store, folder: str) -> list[str]:
    """Return all files of the folder that a later one took the place of, relative to the data root."""
    return sorted(name for versions in _versions(store, folder).values() for _, name in versions[:-1])


def write_version(store: Store, folder: str, stem: str, table: "pyarrow.Table") -> None:
    """Write the table as the latest file of that stem, unless the latest one holds just that.

    The same tables, one after the other, give the same files.
    """
    content = parquet_bytes(table)
    number, latest = _versions(store, folder).get(stem, [(0, "")])[-1]
    if latest and store.read_bytes(latest) == content:
        return
    digest = hashlib.sha256(content).hexdigest()[:8]
    store.write_bytes(f"{folder}/{stem}.v{number + 1}.{digest}.parquet", content)


def _versions(store: Store, folder: str) -> dict[str, list[tuple[int, str]]]:
    """Return number and name of the files of each stem, the latest last."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in store.names(folder):
        match = _NAME.fullmatch(name)
        if match:
            found.setdefault(match["stem"], []).append((int(match["number"]), f"{folder}/{name}"))
    return {stem: sorted(versions) for stem, versions in found.items()}
