"""Parquet parts of one table, and the one sorted file that they become."""

from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.staging.merge_parts import write_sorted

if TYPE_CHECKING:
    import pyarrow


def write_part(rows: "pyarrow.Table", folder: Path, table: str, number: int) -> None:
    """Write the rows as one part of the table; no rows make no part."""
    import pyarrow.parquet as pq

    if rows.num_rows:
        (folder / table).mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, folder / table / f"part-{number:05d}.parquet", compression="lz4")


def consolidate_parts(folder: Path, table: str, unit: str) -> Path:
    """Merge the table's parts into the unit's `folder/<table>.parquet`, sorted by its key."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted((folder / table).glob("part-*.parquet"))
    return write_sorted(table, (pq.read_table(part, partitioning=None) for part in parts), folder, unit)
