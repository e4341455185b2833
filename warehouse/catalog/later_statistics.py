"""Where later analyses of a published edition are kept.

A published file is never changed. A later analysis, with newer definitions or with scores
of other benchmarks, is stored beside the edition, and the latest one replaces its statistics in all
views. Each has a file of its own, so that a reader of an earlier one can finish.
"""

from typing import TYPE_CHECKING, Any

from schemas.tables import TABLES
from warehouse.store.parquet import sort_by_key
from warehouse.store.store import Store
from warehouse.store.versioned_files import latest_version, write_version

if TYPE_CHECKING:
    import pyarrow

STATISTICS = "statistics"
ANALYSES = f"analyses/{STATISTICS}"
_STEM = "part-0"


def analysis_folder(edition: str) -> str:
    """Return the folder of the edition's later statistics, relative to the data root."""
    return f"{ANALYSES}/edition={edition}"


def latest_analysis(store: Store, edition: str) -> str | None:
    """Return the name of the file that holds the edition's latest statistics; None where none came later."""
    return latest_version(store, analysis_folder(edition), _STEM)


def keep_analysis(store: Store, edition: str, rows: list[dict[str, Any]]) -> None:
    """Keep these statistics of the edition in place of earlier ones; equal rows give equal bytes."""
    write_version(store, analysis_folder(edition), _STEM, as_statistics(rows))


def as_statistics(rows: list[dict[str, Any]]) -> "pyarrow.Table":
    """Return the rows as table `statistics`, sorted by its key."""
    import pyarrow as pa

    table = TABLES[STATISTICS]
    return sort_by_key(pa.Table.from_pylist(rows, schema=table.arrow_schema()), table)
