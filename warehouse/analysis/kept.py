"""Where a later analysis of a published edition is kept.

A published file is never changed. An analysis that was made anew, with newer definitions or with scores
of other benchmarks, stands beside the edition and takes the place of its statistics in all views.
"""

from typing import TYPE_CHECKING, Any

from schemas.tables import TABLES
from warehouse.store import Store

if TYPE_CHECKING:
    import pyarrow

STATISTICS = "statistics"


def analysis_file(edition: str) -> str:
    """Return the name of the file that holds the edition's latest statistics, relative to the data root."""
    return f"analyses/{STATISTICS}/edition={edition}/part-0.parquet"


def keep_analysis(store: Store, edition: str, rows: list[dict[str, Any]]) -> None:
    """Keep these statistics of the edition in place of earlier ones; equal rows give equal bytes."""
    store.write_table(analysis_file(edition), as_statistics(rows))


def as_statistics(rows: list[dict[str, Any]]) -> "pyarrow.Table":
    """Return the rows as table `statistics`, sorted by its key."""
    import pyarrow as pa

    table = TABLES[STATISTICS]
    whole = pa.Table.from_pylist(rows, schema=table.arrow_schema())
    return whole.sort_by([(name, "ascending") for name in table.key]).combine_chunks()
