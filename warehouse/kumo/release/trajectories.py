"""Import the authors' trajectories: hundreds of thousands of runs as rows of `episodes` and `turns`.

The files of each domain and setting are read together, by several processes where there are several; they
become one Parquet part a table, and `merge_parts` merges those. Rows, findings and their order depend on the
files alone, never on the number of processes or on which of them is faster.

Beyond what a run says of itself, its rows hold: as observation and state of a test those of the instance
(which never change, and with which the stored ones are compared while reading), no cost, and 0 seconds,
as the release does not say how long a run took.
"""

import os
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from perennial.schemas.errors import PerennialError
from perennial.schemas.kumo.things import Setting
from perennial.schemas.rows import Rejection, Row
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.release.files import Skipped, read_lines
from perennial.warehouse.kumo.release.layout import SettingFile
from perennial.warehouse.kumo.release.outcome_runs import read_outcome_rows
from perennial.warehouse.kumo.release.trajectory_lines import Board, ForeignLine, Run, read_line
from perennial.warehouse.kumo.rows import episode_id, kumo_episode_row
from perennial.warehouse.staging.merge_parts import write_sorted

if TYPE_CHECKING:
    import pyarrow

TRAJECTORY_TABLES = ("episodes", "turns", "kumo_episodes", "kumo_moves")
_MAX_LINE_BYTES = 64 << 20  # the longest line of the release has under a megabyte
Place = tuple[str, Setting]
Boards = Mapping[Place, Mapping[int, Board]]


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: files read of all, and the runs found so far."""

    files: int
    all_files: int
    runs: int


@dataclass(slots=True)
class ImportedTrajectories:
    """What an import staged: rows of each table; what it skipped; what it found and kept as it was.

    `outcomes` are rows of `kumo_outcome_runs`, of runs on instances that the release does not have.
    """

    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    findings: list[Rejection] = field(default_factory=list)
    outcomes: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The files of one domain and setting, its instances by seed, and where the parts go."""

    number: int
    files: tuple[SettingFile, ...]
    boards: Mapping[int, Board]
    folder: Path


def import_trajectories(
    files: Sequence[SettingFile],
    boards: Boards,
    folder: Path,
    *,
    workers: int | None = None,
    on_progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportedTrajectories:
    """Write the runs of the files as Parquet parts `folder/<table>/part-N.parquet`.

    `files` has one file for a player, domain and setting; `boards` has the instances of a domain and setting
    by seed. `workers` is the number of processes, by default that of the CPUs; one worker, or one domain and
    setting, is this process.

    A line or file that does not hold runs on these instances is skipped with its reason. Runs whose published
    success differs from our grader's (a truth that no observation of the instance rules out) keep it, and are
    findings; so is all else that `trajectory_lines` notes. Raises OSError where a part cannot be written, and
    PerennialError where a worker was ended from outside.
    """
    places: dict[Place, list[SettingFile]] = defaultdict(list)
    for file in sorted(files, key=lambda file: (file.domain, file.setting.name, file.player)):
        places[file.domain, file.setting].append(file)
    chunks = [
        _Chunk(number, tuple(chunk), boards.get(place, {}), folder)
        for number, (place, chunk) in enumerate(places.items())
    ]
    read = ImportedTrajectories(Counter(dict.fromkeys(TRAJECTORY_TABLES, 0)))
    done = 0
    for chunk, result in zip(chunks, _results(chunks, workers or os.cpu_count() or 1), strict=True):
        read.counts.update(result.counts)
        read.skipped += result.skipped
        read.findings += result.findings
        read.outcomes += result.outcomes
        done += len(chunk.files)
        on_progress(ImportProgress(done, len(files), read.counts["episodes"]))
    return read


def merge_parts(folder: Path, table: str, unit: str, canary: str = "") -> Path:
    """Merge the table's parts into the unit's `folder/<table>.parquet`, sorted by its key."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted((folder / table).glob("part-*.parquet"))
    rows = (pq.read_table(part, partitioning=None) for part in parts)
    return write_sorted(table, rows, folder, unit, canary)


def write_part(rows: "pyarrow.Table", folder: Path, table: str, number: int) -> None:
    """Write the rows as one part of the table; no rows make no part."""
    import pyarrow.parquet as pq

    if rows.num_rows:
        (folder / table).mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, folder / table / f"part-{number:05d}.parquet", compression="lz4")


def _results(chunks: Sequence[_Chunk], workers: int) -> Iterator[ImportedTrajectories]:
    if min(workers, len(chunks)) <= 1:
        yield from map(_import_chunk, chunks)
        return
    # Spawned, not forked: a fork of a process that has threads (Arrow's, DuckDB's) may hang.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_leave_interrupts_to_parent) as pool:
        try:
            yield from pool.map(_import_chunk, chunks)
        except BrokenProcessPool:
            raise PerennialError(
                f"one of {workers} worker processes was ended from outside, perhaps for want of memory: "
                "import again, where more memory is free"
            ) from None


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _import_chunk(chunk: _Chunk) -> ImportedTrajectories:
    """Read the chunk's files and write its parts."""
    import pyarrow as pa

    result = ImportedTrajectories()
    rows: dict[str, list[Row]] = {name: [] for name in TRAJECTORY_TABLES}
    for file in chunk.files:
        outcomes = None if chunk.boards else read_outcome_rows(file)
        if outcomes is not None:
            result.outcomes += outcomes
        else:
            _read_file(file, chunk.boards, rows, result)
    for name, own in rows.items():
        result.counts[name] = len(own)
        part = pa.Table.from_pylist(own, schema=TABLES[name].arrow_schema())
        write_part(part, chunk.folder, name, chunk.number)
    return result


def _read_file(
    file: SettingFile, boards: Mapping[int, Board], rows: dict[str, list[Row]], result: ImportedTrajectories
) -> None:
    subject = f"{file.player} {file.domain} {file.setting.name}"
    numbers: Counter[str] = Counter()
    skipped: list[Skipped] = []
    for entry in read_lines(file.file, _MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        try:
            seed, runs = read_line(entry[1], boards)
        except ForeignLine as error:
            skipped.append(Skipped(file.file.name, entry[0], str(error)))
            continue
        board = boards[seed]
        first = numbers[board.instance_id]
        numbers[board.instance_id] += len(runs)
        for number, run in enumerate(runs, first):
            _add_rows(rows, board, file.player, number, run)
        result.findings += _findings(f"{subject} seed={seed}", first, runs)
    result.skipped += skipped if numbers else [_describe_file(file, bool(boards), skipped)]


def _describe_file(file: SettingFile, has_instances: bool, skipped: list[Skipped]) -> Skipped:
    """Return why nothing of the file was imported, in one entry."""
    first = skipped[0]
    if first.line is None:
        return first
    if not has_instances:
        return Skipped(file.file.name, None, "the release has no instances of its domain and setting")
    reason = f"none of its {len(skipped)} lines holds runs (line {first.line}: {first.reason})"
    return Skipped(file.file.name, None, reason)


def _add_rows(rows: dict[str, list[Row]], board: Board, player: str, number: int, run: Run) -> None:
    identity = episode_id(board.book_id, board.instance_id, player, number)
    rows["episodes"].append(
        {
            "episode_id": identity,
            "instance_id": board.instance_id,
            "player": player,
            "run": number,
            "status": run.status,
            "success": run.success,
            "score": float(run.success),
            "turns": len(run.replies),
            "tokens": run.tokens,
            "seconds": 0.0,
        }
    )
    rows["kumo_episodes"].append(kumo_episode_row(identity, board.book_id, len(run.tests)))
    moves = [("action", test, board.state_of[test], board.observation_of[test]) for test in run.tests]
    ending = [] if run.ending is None else [(run.ending, run.truth, None, None)]
    for turn, (reply, (kind, move, state, feedback)) in enumerate(
        zip(run.replies, [*moves, *ending], strict=True), start=1
    ):
        of = {"episode_id": identity, "turn": turn}
        rows["turns"].append({**of, "reply": reply, "feedback": feedback})
        rows["kumo_moves"].append({**of, "kind": kind, "move": move, "state": state})


def _findings(subject: str, first: int, runs: Iterable[Run]) -> Iterator[Rejection]:
    """Yield what was found in a line's runs, each once with the numbers of the runs that it was found in."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, run in enumerate(runs, first):
        for note in dict.fromkeys(run.notes):
            found[note].append(number)
    if first:
        found["instance_repeated", "an earlier line has runs on this instance: numbered on"].append(first)
    for (rule, message), numbers in found.items():
        which = ", ".join(map(str, numbers))
        yield Rejection("import", subject, rule, f"{message}; kept as published (run {which})")
