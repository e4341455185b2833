"""One sorted Parquet file per table, from parts in any order, in bounded memory however many they are.

An external merge sort: parts are gathered into runs of a bounded size, each sorted in memory and, where
there are several, kept on disk; then all runs are read once, block by block, as one sorted stream. The
stream is cut into row groups by counting its rows and its letters, so that the file's bytes depend on
the rows alone, not on how they were dealt over parts. (DuckDB's sort gave the same bytes, for more CPU time
at 4 million rows, and ran out of memory on 3,000 texts of 300 kB, which are merged here.)
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from perennial.schemas.table_form import Table
from perennial.schemas.tables import TABLES, staged_tables
from perennial.schemas.units import is_evaluation
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.parquet import sort_by_key, sorted_file_options, with_place

RUN_BYTES = 64 << 20
_BLOCK_BYTES = 1 << 20
_GROUP_ROWS = 1 << 16
_GROUP_LETTERS = 32 << 20
_PIECE_ROWS = 1 << 10
Key = tuple[tuple[bool, Any], ...]


def consolidate(staging: Staging, folder: Path) -> dict[str, Path]:
    """Write every staged table whole, sorted by its key, into `folder`; return the files by table.

    Raises Damaged where a staged part is not what was written.
    """
    plan = staging.require_plan()
    tables = staged_tables(plan.benchmark, answers=is_evaluation(staging.unit))
    marks = {key: staging.parts(key) for key in staging.done_keys()}

    def parts_of(name: str) -> Iterator[pa.Table]:
        for key, parts in marks.items():
            if name in parts:
                yield staging.read_part(key, name, parts[name])

    return {name: write_sorted(name, parts_of(name), folder, staging.unit, plan.canary) for name in tables}


def write_sorted(name: str, parts: Iterable[pa.Table], folder: Path, unit: str, canary: str = "") -> Path:
    """Write the parts' rows as the unit's `folder/<name>.parquet`, sorted by the table's key.

    Equal rows give equal bytes. A shared table keeps one row per key. Each part is in memory on its own;
    beside it stand about three times `RUN_BYTES`, and a block of each run.
    """
    table = TABLES[name]
    file = folder / f"{name}.parquet"
    with ExitStack() as open_runs:
        runs, schema = _sort_runs(table, parts, folder, open_runs)
        rows = _merge(runs, table)
        if table.is_shared:
            rows = _each_key_once(rows, table.key[0])
        nothing = with_place(schema.empty_table(), table, unit, canary)
        groups = _row_groups(rows)
        first = next(groups, schema.empty_table())
        options = sorted_file_options(table, nothing.schema, first.num_rows)
        with pq.ParquetWriter(file, nothing.schema, **options) as writer:
            for group in chain([first], groups):
                whole = with_place(group.cast(schema), table, unit, canary)
                writer.write_table(whole, row_group_size=max(1, group.num_rows))
    return file


def _sort_runs(
    table: Table, parts: Iterable[pa.Table], folder: Path, open_runs: ExitStack
) -> tuple[list["_Run"], pa.Schema]:
    """The rows in sorted runs, those on disk, which close with `open_runs`, and a last one.

    And the schema that fits all rows: the table's, but for columns that hold NULLs against it. To say so is
    the audit's part.
    """
    loose = pa.schema([field.with_nullable(True) for field in table.arrow_schema()])
    runs: list[_Run] = []
    held: list[pa.Table] = [loose.empty_table()]
    held_bytes = 0
    with_nulls: set[str] = set()
    for part in parts:
        held.append(part.cast(loose))
        held_bytes += held[-1].nbytes
        with_nulls.update(name for name in loose.names if part[name].null_count)
        if held_bytes >= RUN_BYTES:
            file = folder / f".{table.name}-{len(runs)}.run"
            open_runs.callback(file.unlink, missing_ok=True)
            _write_run(sort_by_key(pa.concat_tables(held), table), file)
            source = open_runs.enter_context(pa.OSFile(str(file)))
            runs.append(_Run((pa.Table.from_batches([b]) for b in pa.ipc.open_stream(source)), table))
            held, held_bytes = [loose.empty_table()], 0
    runs.append(_Run(iter([sort_by_key(pa.concat_tables(held), table)]), table))
    return runs, pa.schema([loose.field(f.name) if f.name in with_nulls else f for f in table.arrow_schema()])


def _write_run(rows: pa.Table, file: Path) -> None:
    block_rows = max(1, rows.num_rows * _BLOCK_BYTES // rows.nbytes)
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, rows.schema, options=options) as writer:
        writer.write_table(rows, max_chunksize=block_rows)


class _Run:
    """A sorted run of at least one block: the rest of the current one is in `rows`."""

    def __init__(self, blocks: Iterator[pa.Table], table: Table) -> None:
        self._blocks, self._key = blocks, table.key
        self.rows = next(blocks)

    @property
    def last(self) -> Key:
        """The key of the current block's last row."""
        return self._key_of(self.rows.num_rows - 1)

    def take(self, bound: Key) -> pa.Table:
        """Return, and take off, the current block's rows up to and with the key `bound`."""
        count = bisect_right(range(self.rows.num_rows), bound, key=self._key_of)
        taken, self.rows = self.rows.slice(0, count), self.rows.slice(count)
        self._go_on()
        return taken

    def _go_on(self) -> None:
        if not self.rows.num_rows:
            self.rows = next(self._blocks, self.rows)

    def _key_of(self, row: int) -> Key:
        values = (self.rows[name][row].as_py() for name in self._key)
        return tuple((value is None, value) for value in values)


def _merge(runs: list[_Run], table: Table) -> Iterator[pa.Table]:
    """The rows of all runs, sorted; each step uses up a block of at least one of them."""
    while runs := [run for run in runs if run.rows.num_rows]:
        if len(runs) == 1:
            yield runs[0].take(runs[0].last)
        else:
            bound = min(run.last for run in runs)
            yield sort_by_key(pa.concat_tables([run.take(bound) for run in runs]), table)


def _each_key_once(blocks: Iterator[pa.Table], key: str) -> Iterator[pa.Table]:
    """The first row of each key: the others are equal to it, as the key is a content id."""
    last = None
    for block in blocks:
        if block.num_rows:
            keys = block[key].combine_chunks()
            is_new = pc.not_equal(keys.slice(1), keys.slice(0, len(keys) - 1))
            starts_new = pa.array([keys[0].as_py() != last], pa.bool_())
            yield block.filter(pa.concat_arrays([starts_new, is_new]))
            last = keys[len(keys) - 1].as_py()


def _row_groups(blocks: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The rows in row groups, each full of rows or of letters but for the last one."""
    held: list[pa.Table] = []
    rows = letters = 0
    for piece in _pieces(blocks):
        held.append(piece)
        rows += piece.num_rows
        letters += _letters(piece)
        if rows >= _GROUP_ROWS or letters >= _GROUP_LETTERS:
            yield pa.concat_tables(held).combine_chunks()
            held, rows, letters = [], 0, 0
    if held:
        yield pa.concat_tables(held).combine_chunks()


def _pieces(blocks: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The rows in pieces of one number of rows, the last one aside."""
    held: pa.Table | None = None
    for block in blocks:
        whole = block if held is None else pa.concat_tables([held, block])
        full = whole.num_rows - whole.num_rows % _PIECE_ROWS
        for start in range(0, full, _PIECE_ROWS):
            yield whole.slice(start, _PIECE_ROWS)
        held = whole.slice(full)
    if held is not None and held.num_rows:
        yield held


def _letters(rows: pa.Table) -> int:
    """The bytes of all texts: unlike those of buffers they do not depend on where rows came from."""
    total = 0
    for column in rows.columns:
        texts = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if pa.types.is_string(texts.type):
            total += pc.sum(pc.binary_length(texts)).as_py() or 0
    return total
