"""How DuckDB reads the files of a remote data root: through fsspec, with one listing of what there is.

DuckDB's own way to S3 is an extension that it would have to fetch. Opening a catalog binds some forty views,
each of which asks for size and time of its files again: on S3 a request each time, unless a listing answers.
"""

from typing import TYPE_CHECKING, Any

from perennial.warehouse.store.file_system import file_system, is_local, is_s3
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb

# Where the files lie that a catalog names. None of them is ever written a second time.
_FOLDERS = ("tables", "analyses", "external_scores")
# Fetched at once: small files whole, and not fifty megabytes for a column of a large one.
_BLOCK_BYTES = 8 << 20


def let_duckdb_read(connection: "duckdb.DuckDBPyConnection", store: Store) -> None:
    """Let the connection read the root's files under their URLs; a local root needs nothing for that.

    On S3 it sees what lies in the root now: whatever is to be read must be there already.
    """
    filesystem, _ = file_system(store.root)
    if is_local(filesystem):
        return
    # As a catalog's files never change, what was read of one once is read from memory from then on.
    connection.execute("SET validate_external_file_cache = 'NO_VALIDATION'")
    connection.register_filesystem(_with_listings(filesystem, store) if is_s3(filesystem) else filesystem)


def _with_listings(filesystem: Any, store: Store) -> Any:
    """A file system of its own that remembers what lies in the root now."""
    options = {
        **filesystem.storage_options,
        "use_listings_cache": True,
        "default_block_size": _BLOCK_BYTES,
    }
    listed = type(filesystem)(**options, skip_instance_cache=True)
    for folder in _FOLDERS:
        listed.find(store.location(folder))
    return listed
