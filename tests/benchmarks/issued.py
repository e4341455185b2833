"""Ten million earlier ids: how long reading them takes, how much memory, and looking up a chunk's ids.

By hand: `python -m tests.benchmarks.issued [--count N --editions N --root ROOT]`. Made-up editions are
written first, if they are not there; the reading is a process of its own, so that its peak is its own.
"""

import argparse
import multiprocessing
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.store.store import Store

_CHUNK = 10_000
_ROW_GROUP = 1 << 16


def main() -> None:
    """Write the editions, read them in a new process, and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000_000, help="ids of all editions together")
    parser.add_argument("--editions", type=int, default=10)
    parser.add_argument("--root", help="data root to write and keep; default: a temporary one")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        root = chosen.root or folder
        editions = tuple(f"e{number:03}" for number in range(chosen.editions))
        for number, edition in enumerate(editions):
            _write(Store(root), edition, chosen.count // chosen.editions, number)
        process = multiprocessing.get_context("spawn").Process(target=_read, args=(root, editions))
        process.start()
        process.join()


def _ids(count: int, seed: int) -> pa.Array:
    """Return random hashes of content in order: 32 hexadecimal digits each, as text."""
    digits = np.sort(np.frombuffer(np.random.default_rng(seed).bytes(16 * count).hex().encode(), "S32"))
    ends = pa.py_buffer(np.arange(0, 32 * (count + 1), 32, dtype=np.int32))
    return pa.Array.from_buffers(pa.string(), count, [None, ends, pa.py_buffer(digits)])


def _write(store: Store, edition: str, count: int, seed: int) -> None:
    file = Path(store.root) / table_file("instances", edition)
    if not file.exists():
        file.parent.mkdir(parents=True)
        table = pa.table({"content_hash": _ids(count, seed)})
        pq.write_table(table, file, compression="zstd", row_group_size=_ROW_GROUP)


def _read(root: str, editions: tuple[str, ...]) -> None:
    chunk = _ids(_CHUNK, seed=-1 % (1 << 32)).to_pylist()
    before = _peak_mb()
    begun, cpu = time.perf_counter(), time.process_time()
    issued = issued_instances(Store(root), editions)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(f"{len(issued):,} ids of {len(editions)} editions read in {seconds:.2f} s ({cpu:.2f} s of CPU);")
    print(f"peak memory {_peak_mb():.0f} MB, {before:.0f} MB of them before")
    begun = time.perf_counter()
    known = sum(issued.which(chunk))
    print(f"{_CHUNK:,} ids looked up together in {time.perf_counter() - begun:.3f} s, {known} known")
    begun = time.perf_counter()
    known = sum(text in issued for text in chunk)
    print(f"{_CHUNK:,} ids looked up one by one in {time.perf_counter() - begun:.3f} s, {known} known")


def _peak_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
