"""Import the authors' trajectories: hundreds of thousands of runs as rows of `episodes` and `turns`.

Files are read in chunks, by several processes where there are several chunks; each chunk becomes one Parquet
part a table, and `consolidate_parts` merges those. Rows, parts, findings and their order depend on the files
alone, never on the number of processes or on which of them is faster.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from schemas.errors import PerennialError
from schemas.kumo.things import Rejection
from warehouse.kumo.release.things import Skipped, TrajectoryFile
from warehouse.kumo.release.trajectory_columns import TRAJECTORY_TABLES
from warehouse.kumo.release.trajectory_workers import Chunk, ChunkResult, Instances, import_chunk
from warehouse.staging.merge_parts import write_sorted

_CHUNK_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: bytes read of all, and the runs found so far."""

    size: int
    full_size: int
    runs: int


@dataclass(frozen=True, slots=True)
class ImportedTrajectories:
    """What an import staged: rows of each table; what it skipped; what it found and kept as it was."""

    counts: dict[str, int]
    skipped: tuple[Skipped, ...]
    findings: tuple[Rejection, ...]


def import_trajectories(
    files: Sequence[TrajectoryFile],
    instances: Instances,
    folder: Path,
    *,
    workers: int | None = None,
    chunk_bytes: int = _CHUNK_BYTES,
    on_progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportedTrajectories:
    """Write the runs of the files as Parquet parts `folder/<table>/part-N.parquet`.

    `files` has one file for a player, domain and setting; `instances` has the instances of a domain and
    setting by seed. Parts of an earlier import in `folder` are removed first. `workers` is the number of
    processes, by default that of the CPUs that this one may use; one worker, or one chunk, is this process.
    Files are dealt in chunks of about `chunk_bytes`, which a worker reads as a whole before it writes.

    A line or file that does not hold runs on these instances is skipped with its reason. Runs whose published
    success differs from our grader's (a truth that no observation of the instance rules out) keep it, and are
    findings; so is all else that `trajectory_lines` notes. Raises OSError where a part cannot be written, and
    PerennialError where a worker was ended from outside.
    """
    for table in TRAJECTORY_TABLES:
        shutil.rmtree(folder / table, ignore_errors=True)
    chunks = _chunks(files, instances, folder, chunk_bytes)
    results: list[ChunkResult] = []
    for result in _results(chunks, min(workers or _usable_cpus(), len(chunks))):
        results.append(result)
        on_progress(_progress(chunks, results))
    results.sort(key=lambda result: result.number)
    return ImportedTrajectories(
        _total(results),
        tuple(entry for result in results for entry in result.skipped),
        tuple(finding for result in results for finding in result.findings),
    )


def consolidate_parts(folder: Path, table: str, unit: str) -> Path:
    """Merge the table's parts into the unit's `folder/<table>.parquet`, sorted by its key."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted((folder / table).glob("part-*.parquet"))
    return write_sorted(table, (pq.read_table(part, partitioning=None) for part in parts), folder, unit)


def _chunks(
    files: Sequence[TrajectoryFile], instances: Instances, folder: Path, chunk_bytes: int
) -> list[Chunk]:
    """Return the files in chunks of about the same size; neighbours share domain and setting."""
    held: list[list[TrajectoryFile]] = [[]]
    sizes = [0]
    for file in sorted(files, key=_order):
        if sizes[-1] >= chunk_bytes:
            held.append([])
            sizes.append(0)
        held[-1].append(file)
        sizes[-1] += _size(file)
    return [
        Chunk(number, tuple(chunk), _instances_of(chunk, instances), folder, size)
        for number, (chunk, size) in enumerate(zip(held, sizes, strict=True))
        if chunk
    ]


def _order(file: TrajectoryFile) -> tuple[str, int, int, int, str, str]:
    setting = file.setting
    numbers = setting.n_truths, setting.n_actions, setting.n_valid
    return file.domain, *numbers, file.player, file.file.name


def _instances_of(files: Sequence[TrajectoryFile], instances: Instances) -> Instances:
    places = dict.fromkeys((file.domain, file.setting) for file in files)
    return {place: instances[place] for place in places if place in instances}


def _size(file: TrajectoryFile) -> int:
    try:
        return file.file.path.stat().st_size
    except OSError:
        return 0


def _results(chunks: Sequence[Chunk], workers: int) -> Iterator[ChunkResult]:
    """Yield the result of each chunk as soon as it is there."""
    if workers <= 1:
        yield from map(import_chunk, chunks)
        return
    # Spawned, not forked: a fork of a process that has threads (Arrow's, DuckDB's) may hang.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_leave_interrupts_to_parent) as pool:
        try:
            futures: list[Future[ChunkResult]] = [pool.submit(import_chunk, chunk) for chunk in chunks]
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise PerennialError(
                f"one of {workers} worker processes was ended from outside, perhaps for want of memory: "
                "import again, with fewer workers"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _total(results: Sequence[ChunkResult]) -> dict[str, int]:
    return {name: sum(result.counts[name] for result in results) for name in TRAJECTORY_TABLES}


def _progress(chunks: Sequence[Chunk], results: Sequence[ChunkResult]) -> ImportProgress:
    done = [chunks[result.number] for result in results]
    return ImportProgress(
        size=sum(chunk.size for chunk in done),
        full_size=sum(chunk.size for chunk in chunks),
        runs=_total(results)["episodes"],
    )
