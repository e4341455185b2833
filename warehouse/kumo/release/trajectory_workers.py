"""Import one chunk of results files in one process: read them, and write one part a table."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.kumo.things import Rejection, Setting
from warehouse.kumo.release.folders import read_lines
from warehouse.kumo.release.things import Skipped, TrajectoryFile
from warehouse.kumo.release.trajectory_columns import TRAJECTORY_TABLES, TrajectoryColumns
from warehouse.kumo.release.trajectory_lines import Board, ForeignLine, InstanceKey, Run, read_line

if TYPE_CHECKING:
    import pyarrow

STAGE = "import"
# The longest line of the release has under a megabyte.
MAX_LINE_BYTES = 64 << 20
Instances = Mapping[tuple[str, Setting], Mapping[int, InstanceKey]]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Files that one worker reads into the parts with this number; `size` is their bytes together."""

    number: int
    files: tuple[TrajectoryFile, ...]
    instances: Instances
    folder: Path
    size: int


@dataclass(slots=True)
class ChunkResult:
    """What became of a chunk: rows of each table, what was skipped, what was found."""

    number: int
    counts: dict[str, int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    findings: list[Rejection] = field(default_factory=list)


def import_chunk(chunk: Chunk) -> ChunkResult:
    """Read the chunk's files and write its parts; OSError where a part cannot be written."""
    result = ChunkResult(chunk.number)
    columns = TrajectoryColumns()
    for file in chunk.files:
        _read_file(file, chunk.instances.get((file.domain, file.setting), {}), columns, result)
    for name in TRAJECTORY_TABLES:
        table = columns.table(name)
        result.counts[name] = table.num_rows
        write_part(table, chunk.folder, name, chunk.number)
    return result


def _read_file(
    file: TrajectoryFile,
    keys: Mapping[int, InstanceKey],
    columns: TrajectoryColumns,
    result: ChunkResult,
) -> None:
    boards = {seed: Board.of(key) for seed, key in keys.items()}
    subject = f"{file.player} {file.domain} {file.setting.name}"
    numbers: Counter[tuple[str, str | None]] = Counter()
    skipped: list[Skipped] = []
    for entry in read_lines(file.file, MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        try:
            seed, runs = read_line(entry[1], boards)
        except ForeignLine as error:
            skipped.append(Skipped(file.file.name, entry[0], str(error)))
            continue
        key = boards[seed].key
        first = numbers[key.instance_id, key.book_id]
        numbers[key.instance_id, key.book_id] += len(runs)
        for number, run in enumerate(runs, first):
            columns.add(boards[seed], file.player, number, run)
        result.findings += _findings(f"{subject} seed={seed}", first, runs)
    result.skipped += skipped if numbers else [_whole_file(file, bool(keys), skipped)]


def _whole_file(file: TrajectoryFile, has_instances: bool, skipped: list[Skipped]) -> Skipped:
    """Return why nothing of the file was imported, in one entry."""
    first = skipped[0]
    if first.line is None:
        return first
    if not has_instances:
        return Skipped(file.file.name, None, "the release has no instances of its domain and setting")
    told = f"none of its {len(skipped)} lines holds runs (line {first.line}: {first.reason})"
    return Skipped(file.file.name, None, told)


def _findings(subject: str, first: int, runs: Iterable[Run]) -> Iterator[Rejection]:
    """Yield what was found in a line's runs, each once with the numbers of the runs that it was found in."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, run in enumerate(runs, first):
        for note in dict.fromkeys(run.notes):
            found[note].append(number)
    if first:
        found["instance_repeated", "an earlier line has runs on this instance: numbered on"].append(first)
    for (rule, told), numbers in found.items():
        which = ", ".join(map(str, numbers))
        yield Rejection(STAGE, subject, rule, f"{told}; kept as published (run {which})")


def write_part(rows: "pyarrow.Table", folder: Path, table: str, number: int) -> None:
    """Write the rows as one part of the table; no rows make no part."""
    import pyarrow.parquet as pq

    if rows.num_rows:
        (folder / table).mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, folder / table / f"part-{number:05d}.parquet", compression="lz4")
