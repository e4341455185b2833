"""What the gate costs: the self-test per instance, the sizes of instance spaces, a look at earlier editions.

Run by hand: `python -m tests.benchmarks.gate [--instances 500] [--earlier 10000000]`. Seconds are CPU seconds
of this process, so that other work on the machine counts little; kernels are compiled before.
"""

import argparse
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.self_test import SelfTest, SoundInstance
from perennial.tasks.kumo.space import space_size
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.issued_ids import IdSet, issued_instances
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from perennial.warehouse.kumo.overlap import earlier_instances, same_names
from perennial.warehouse.store.store import Store

_A_PART = 500_000


def main(arguments: argparse.Namespace) -> None:
    domains = [encode_config(parse_config(bundled_text(name), name)) for name in bundled_domains()]
    for name in ("easy", "hard"):
        self_test(domains, Setting.parse(name), arguments.instances)
    for name in ("easy", "hard"):
        sizes(domains, Setting.parse(name))
    with TemporaryDirectory(prefix="perennial-gate-") as folder:
        earlier(Store(folder), arguments.earlier)


def self_test(domains: list[EncodedConfig], setting: Setting, instances: int) -> None:
    spent = 0.0
    for encoded in domains:
        sample = sample_instances(encoded, SamplingRequest(setting, instances, seed=1)).instances
        books = [write_book(encoded.config, i, rules_of(encoded, i), random.Random(1)) for i in sample]
        test = SelfTest(encoded)
        begun = process_time()
        for instance, book in zip(sample, books, strict=True):
            board = test.board(instance)
            assert isinstance(board, SoundInstance)
            assert test.find_misgrading(board) is None
            assert test.find_reader_failure(board, book) is None
        spent += process_time() - begun
    count = instances * len(domains)
    print(f"self-test, {setting.name}: {count / spent:,.0f} instances a CPU second")


def sizes(domains: list[EncodedConfig], setting: Setting) -> None:
    begun = process_time()
    for encoded in domains:
        print(f"  {encoded.config.name}, {setting.name}: {space_size(encoded, setting, 1.0)}")
    print(f"sizes of {len(domains)} spaces, {setting.name}: {process_time() - begun:.2f} CPU s")


def earlier(store: Store, count: int) -> None:
    write_earlier(store, count)
    for asked in (600, 1_000_000):
        sums = np.random.default_rng(1).integers(0, 1 << 63, asked).astype(np.uint64)
        begun, cpu = perf_counter(), process_time()
        found = sum(1 for _ in same_names(store, ("big",), sums))
        print(
            f"{asked:,} instances against {count:,} earlier ones by content: {perf_counter() - begun:.1f} s, "
            f"{process_time() - cpu:.1f} CPU s, {found} candidates"
        )
    own = _ids(np.random.default_rng(2), 1_000_000)
    begun = process_time()
    issued: IdSet = issued_instances(store, ("big",))
    read = process_time()
    known = sum(issued.which(own))
    print(f"ids: {read - begun:.1f} CPU s to read, {process_time() - read:.1f} for 1,000,000; {known} known")
    begun = process_time()
    counts = earlier_instances(store, ("big",))
    print(f"counted by domain and setting in {process_time() - begun:.1f} CPU s: {counts}")


def write_earlier(store: Store, count: int) -> None:
    """Write an edition of so many easy instances of one domain."""
    rng = np.random.default_rng(0)
    names = [
        pa.array([f"the name of {what} {i}" for i in range(n)]) for what, n in (("truth", 60), ("action", 38))
    ]
    path = Path(store.root) / table_file("kumo_instances", "big")
    path.parent.mkdir(parents=True)
    writer = None
    for first in range(0, count, _A_PART):
        rows = min(_A_PART, count - first)
        truths, actions = (_lists(rng, pool, rows, size) for pool, size in zip(names, (4, 6), strict=True))
        table = pa.table(
            {
                "instance_id": _ids(rng, rows),
                "config_id": ["cfg_a"] * rows,
                "setting": ["easy"] * rows,
                "truths": truths,
                "actions": actions,
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _ids(rng: np.random.Generator, rows: int) -> list[str]:
    return [f"ki_{rng.bytes(16).hex()}" for _ in range(rows)]


def _lists(rng: np.random.Generator, names: pa.Array, rows: int, size: int) -> pa.Array:
    picked = np.argpartition(rng.random((rows, len(names)), dtype=np.float32), size, axis=1)[:, :size]
    offsets = pa.array(np.arange(rows + 1) * size, pa.int32())
    return pa.ListArray.from_arrays(offsets, names.take(pa.array(picked.ravel())))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gate")
    parser.add_argument("--instances", type=int, default=500, help="instances of each domain and setting")
    parser.add_argument("--earlier", type=int, default=10_000_000, help="instances of the earlier edition")
    main(parser.parse_args())
