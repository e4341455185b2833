"""What the statistics of an edition cost: cells a CPU second, and the peak memory of all processes.

By hand: `python -m tests.benchmarks.statistics --counts 100000 1000000`. For each number of instances an
edition of random answers is written (the bundled domains, Easy and Hard in halves; three programs that play
once and `random`, which plays so many runs), and `perennial analyse` computes its figures in a process of its
own.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from perennial.flows.editions.audit import analyse_editions
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.tables import TABLES
from perennial.tasks.kumo.configuration import parse_config
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import publish
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from perennial.warehouse.kumo.rows import config_row, domain_row
from perennial.warehouse.store.parquet import with_place
from perennial.warehouse.store.store import Store
from tests.benchmarks.million import resident_bytes

_EDITION = "synthetic"
_PLAYERS = {"algorithm-3": 1.0, "reader": 0.97, "greedy": 0.9, "random": 0.25}
_SETTINGS = {"easy": (6, 2), "hard": (16, 4)}
_A_PART = 100_000


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.statistics")
    parser.add_argument("--counts", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=5, help="runs of the random player")
    parser.add_argument("--folder", help="where the data roots go; default: a temporary folder")
    chosen = parser.parse_args()
    print(f"{'instances':>10}{'cells':>11}{'seconds':>9}{'CPU s':>8}{'cells a CPU s':>13}{'peak MB':>9}")
    for count in chosen.counts:
        with TemporaryDirectory(dir=chosen.folder) as folder:
            store = Store(folder)
            write_edition(store, count, chosen.runs)
            process = multiprocessing.get_context("spawn").Process(target=_analyse, args=(folder,))
            started, spent, peak = time.perf_counter(), _children_cpu_s(), 0
            process.start()
            while process.is_alive():
                peak = max(peak, resident_bytes(process.pid or 0))
                time.sleep(0.05)
            seconds = time.perf_counter() - started
            process.join()
            cells, cpu = count * len(_PLAYERS), _children_cpu_s() - spent
            print(
                f"{count:>10,}{cells:>11,}{seconds:>9.1f}{cpu:>8.1f}{cells / cpu:>13,.0f}{peak / 1e6:>9,.0f}",
                flush=True,
            )
            if process.exitcode:
                raise SystemExit(process.exitcode)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _analyse(folder: str) -> None:
    analyse_editions(Store(folder), _EDITION, print)


def write_edition(store: Store, count: int, runs: int) -> None:
    """Publish an edition of so many instances with random answers, a part at a time."""
    configs = [parse_config(bundled_text(name), name) for name in bundled_domains()]
    small = {
        "kumo_domains": [domain_row(config, "bundled") for config in configs],
        "kumo_authored_domains": [],
        "kumo_seed_configs": [config_row(config, []) for config in configs],
    }
    tables = {
        name: pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema()) for name, rows in small.items()
    }
    at = datetime(2026, 1, 1, tzinfo=UTC)
    plan = EditionPlan(_EDITION, "kumo", {}, 7, (), "synthetic")
    publish(store, plan, tables, [], at)
    names = [config.name for config in configs]
    players = tuple(_PLAYERS)
    evaluation = EvaluationPlan(_EDITION, "1", "kumo", players, runs, 7, "synthetic")
    publish(store, evaluation, {}, [], at)
    files = {
        name: Path(store.root) / table_file(name, unit)
        for unit, of in (
            (_EDITION, ("instances", "kumo_instances")),
            (evaluation.unit, ("episodes", "kumo_episodes")),
        )
        for name in of
    }
    writers: dict[str, pq.ParquetWriter] = {}
    for part in _parts(names, [config.config_id for config in configs], count, runs):
        for name, table in part.items():
            unit = evaluation.unit if name.endswith("episodes") else _EDITION
            whole = with_place(table.cast(TABLES[name].arrow_schema()), TABLES[name], unit)
            if name not in writers:
                files[name].parent.mkdir(parents=True, exist_ok=True)
                writers[name] = pq.ParquetWriter(files[name], whole.schema, compression="zstd")
            writers[name].write_table(whole)
    for writer in writers.values():
        writer.close()


def _parts(domains: list[str], configs: list[str], count: int, runs: int) -> Iterator[Mapping[str, pa.Table]]:
    rng = np.random.default_rng(3)
    for first in range(0, count, _A_PART):
        n = min(_A_PART, count - first)
        ids = np.array([f"ki_{rng.bytes(16).hex()}" for _ in range(n)])
        place, is_hard = rng.integers(0, len(domains), n), rng.random(n) < 0.5
        actions, optimum = np.where(is_hard, 16, 6), np.where(is_hard, 4, 2) + rng.integers(0, 3, n)
        skill = rng.random(n)
        instances = {
            "instance_id": ids,
            "benchmark": np.full(n, "kumo"),
            "domain": np.array(domains)[place],
            "setting": np.where(is_hard, "hard", "easy"),
            "seed": np.full(n, 7),
            "index": np.arange(first, first + n),
            "content_hash": ids,
        }
        own = {
            "instance_id": ids,
            "config_id": np.array(configs)[place],
            "n_actions": actions,
            "optimal_tests": optimum,
            "signature": np.char.add("1,2|", rng.integers(0, 60, n).astype(str)),
        }
        answered = [
            _answers(rng, player, run, ids, actions, optimum, skill)
            for player in _PLAYERS
            for run in range(runs if player == "random" else 1)
        ]
        yield {
            "instances": pa.table(instances),
            "kumo_instances": _filled("kumo_instances", own, n),
            "episodes": pa.concat_tables(
                _filled("episodes", {k: v for k, v in one.items() if k != "tests"}, n) for one in answered
            ),
            "kumo_episodes": pa.concat_tables(
                _filled("kumo_episodes", {k: one[k] for k in ("episode_id", "tests")}, n) for one in answered
            ),
        }


def _answers(
    rng: np.random.Generator, player: str, run: int, ids: Any, actions: Any, optimum: Any, skill: Any
) -> dict[str, Any]:
    n = len(ids)
    success = rng.random(n) < _PLAYERS[player] ** (0.2 + 2 * skill)
    tests = np.minimum(actions, optimum + (0 if player == "algorithm-3" else rng.integers(0, 4, n)))
    return {
        "episode_id": np.array([f"ep_{rng.bytes(16).hex()}" for _ in range(n)]),
        "instance_id": ids,
        "player": np.full(n, player),
        "run": np.full(n, run),
        "status": np.where(success, "solved", "wrong"),
        "success": success,
        "score": success.astype(float),
        "tests": tests,
    }


def _filled(name: str, columns: Mapping[str, Any], n: int) -> pa.Table:
    """Return the columns with the others of the table, in which nothing is."""
    empty: dict[str, Any] = {}
    for field in TABLES[name].arrow_schema():
        kind = field.type
        if field.name in columns:
            empty[field.name] = pa.array(columns[field.name]).cast(kind)
        elif field.nullable:
            empty[field.name] = pa.nulls(n, kind)
        elif pa.types.is_list(kind):
            empty[field.name] = pa.array([[]] * n, kind)
        else:
            empty[field.name] = pa.array([""] * n if pa.types.is_string(kind) else [0] * n).cast(kind)
    return pa.table(empty)


if __name__ == "__main__":
    main()
