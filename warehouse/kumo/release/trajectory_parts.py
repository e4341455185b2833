"""Parquet parts of one table, and the one sorted file that they become.

Writing and merging keep to a few hundred megabytes however large the table is: a part is sorted and has small
row groups with the range of their keys, and the merge takes one range of keys after the other out of all
parts. The merged file is cut into row groups by counting rows, so it depends on the rows alone, not on how
they were dealt over parts.
"""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.tables import TABLES
from warehouse.kumo.release.trajectory_columns import sorted_by_key

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

# Texts of this column are long: their dictionary and ranges cost much and serve nobody.
_LONG_TEXTS = ("reply",)
_PART_ROW_GROUP = 1 << 10
_FILE_ROW_GROUP = 1 << 16
_RANGE_BYTES = 48 << 20
_Groups = list[tuple[Any, Any, int]]


def part_file(folder: Path, table: str, number: int) -> Path:
    """Return the name of the table's part with that number."""
    return folder / table / f"part-{number:05d}.parquet"


def write_part(rows: "pyarrow.Table", folder: Path, table: str, number: int) -> None:
    """Write the rows, best sorted by the table's key, as one part of it; no rows make no part."""
    if not rows.num_rows:
        return
    file = part_file(folder, table, number)
    file.parent.mkdir(parents=True, exist_ok=True)
    with _writer(file, rows.schema) as writer:
        writer.write_table(rows, row_group_size=_PART_ROW_GROUP)


def consolidate_parts(folder: Path, table: str) -> Path:
    """Merge the table's parts into `folder/<table>.parquet`, sorted by its key, and return that file.

    The file is there whole or not at all, in zstd, with the Arrow schema of `schemas.tables`; no parts give a
    file without rows. Equal rows give equal bytes.
    """
    import pyarrow.parquet as pq

    schema = TABLES[table].arrow_schema()
    parts = [
        _Part(pq.ParquetFile(name, pre_buffer=False), TABLES[table].key[0])
        for name in sorted((folder / table).glob("part-*.parquet"))
    ]
    file = folder / f"{table}.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.draft")
    with _writer(draft, schema) as writer:
        for rows in _recut(_ranges_of_rows(parts, table), _FILE_ROW_GROUP):
            writer.write_table(rows, row_group_size=_FILE_ROW_GROUP)
    for part in parts:
        part.source.close()
    os.replace(draft, file)
    return file


class _Part:
    """One open part, and from and to which key each of its row groups goes."""

    def __init__(self, source: "pyarrow.parquet.ParquetFile", key: str) -> None:
        self.source = source
        self._key = key
        column = source.schema_arrow.names.index(key)
        metadata = source.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        self.groups: _Groups = [
            (statistics.min, statistics.max, group.total_byte_size)
            for group in groups
            for statistics in [group.column(column).statistics]
        ]

    def rows(self, low: Any, high: Any) -> "pyarrow.Table":
        """Return the rows with low <= key < high; None is no bound."""
        import pyarrow.compute as pc

        wanted = [
            number
            for number, (least, most, _) in enumerate(self.groups)
            if (low is None or most >= low) and (high is None or least < high)
        ]
        table = self.source.read_row_groups(wanted, use_threads=False)
        if low is not None:
            table = table.filter(pc.greater_equal(table[self._key], low))
        return table if high is None else table.filter(pc.less(table[self._key], high))


def _ranges_of_rows(parts: list[_Part], table: str) -> Iterator["pyarrow.Table"]:
    """Yield the rows of all parts, range after range of the key's first column, sorted."""
    import pyarrow as pa

    bounds = [None, *_bounds([group for part in parts for group in part.groups]), None]
    for low, high in pairwise(bounds):
        rows = [part.rows(low, high) for part in parts]
        if rows:
            yield sorted_by_key(pa.concat_tables(rows), table)


def _bounds(groups: _Groups) -> list[Any]:
    """Return keys that cut all row groups into ranges of about the same, bounded size."""
    found = []
    size = 0
    for least, _, group_size in sorted(groups, key=lambda group: (group[0], group[2])):
        if size >= _RANGE_BYTES:
            found.append(least)
            size = 0
        size += group_size
    return found


def _recut(tables: Iterator["pyarrow.Table"], size: int) -> Iterator["pyarrow.Table"]:
    """Yield the rows of the tables in their order, `size` at a time; the last ones may be fewer."""
    import pyarrow as pa

    held: list[pyarrow.Table] = []
    for table in tables:
        held.append(table)
        rows = sum(part.num_rows for part in held)
        if rows >= size:
            whole = pa.concat_tables(held)
            full = rows - rows % size
            for start in range(0, full, size):
                yield whole.slice(start, size).combine_chunks()
            held = [whole.slice(full)]
    rest = pa.concat_tables(held) if held else None
    if rest is not None and rest.num_rows:
        yield rest.combine_chunks()


def _writer(file: Path, schema: "pyarrow.Schema") -> "pyarrow.parquet.ParquetWriter":
    import pyarrow.parquet as pq

    short = [name for name in schema.names if name not in _LONG_TEXTS]
    return pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=short, write_statistics=short)
