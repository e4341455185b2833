"""Many instances of one domain, stage by stage: seconds, rows per second, peak memory of all processes.

By hand: `python -m tests.benchmarks.million --counts 100000 300000 1000000`. Each number of instances runs
in a process of its own: sampled and solved, merged into sorted files, audited (by SQL, which knows nothing
of the sampler, whether each instance's states leave its valid truths) and published; with --players, the
other stages run too: books and gate, then episodes, and their audit, statistics and publishing as one line,
`evaluation`. At the end the published ids are read back, and as many new ones are looked up among them. CPU
seconds are those of the process, all threads together; memory is that of all processes together.
"""

import argparse
import multiprocessing
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import Any

import psutil

_EDITION = "million"
_INTERVAL_S = 0.05


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--domain", default="mineral_identification")
    parser.add_argument("--setting", default="easy")
    parser.add_argument("--players", nargs="+", default=[], help="run every stage, with these players")
    parser.add_argument("--min-distinct-books", type=float, default=1.0)
    parser.add_argument("--folder", help="where the data roots go; default: a temporary folder")
    chosen = parser.parse_args()
    print(f"{'instances':>10}  {'stage':<11}{'seconds':>8}{'CPU s':>8}{'a CPU s':>10}{'peak MB':>9}  what")
    for count in chosen.counts:
        with TemporaryDirectory(dir=chosen.folder) as folder:
            asked = {
                "root": folder,
                "domains": [chosen.domain],
                "settings": [chosen.setting],
                "instances": count,
                "players": chosen.players or ["algorithm-3"],
                "min_distinct_books": chosen.min_distinct_books,
                "max_collision_probability": 1.0,
                "edition": _EDITION,
            }
            process = multiprocessing.get_context("spawn").Process(
                target=_run, args=(asked, bool(chosen.players))
            )
            process.start()
            process.join()
            if process.exitcode:
                sys.exit(process.exitcode)


class _Clock:
    """Prints a line a stage; the peak is that of this process and all that it started, read all the time."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._peak = resident_bytes(os.getpid())
        self._started, self._cpu = time.perf_counter(), time.process_time()
        self._highest = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            size = resident_bytes(os.getpid())
            self._peak = max(self._peak, size)
            self._highest = max(self._highest, size)
            time.sleep(_INTERVAL_S)

    @contextmanager
    def stage(self, name: str) -> Iterator[list[str]]:
        self._peak = resident_bytes(os.getpid())
        notes: list[str] = []
        begun, cpu = time.perf_counter(), time.process_time()
        yield notes
        seconds = time.perf_counter() - begun
        self._line(name, seconds, time.process_time() - cpu, self._peak, "; ".join(notes))

    def total(self) -> None:
        seconds = time.perf_counter() - self._started
        self._line("in all", seconds, time.process_time() - self._cpu, self._highest, "")

    def _line(self, name: str, seconds: float, cpu: float, peak: int, notes: str) -> None:
        rate, megabytes = self._count / cpu, peak / 1e6
        figures = f"{seconds:>8.1f}{cpu:>8.1f}{rate:>10,.0f}{megabytes:>9,.0f}"
        print(f"{self._count:>10,}  {name:<11}{figures}  {notes}", flush=True)


class _Clocked:
    """Runs batches here, one after the other, under the clock: of all stages, or of sampling alone."""

    def __init__(self, clock: _Clock, is_whole: bool) -> None:
        self._clock, self._is_whole = clock, is_whole

    def run(
        self,
        name: str,
        here: Sequence[Callable[[], dict[str, int]]],
        spread: Sequence[Any] = (),
    ) -> dict[str, int]:
        """Do all of it, unless the stage is left out."""
        total: Counter[str] = Counter()
        if self._is_whole or name in ("domains", "sample"):
            with self._clock.stage(name) as notes:
                for work in [*(work.run for work in spread), *here]:
                    total.update(work())
                notes.append(", ".join(f"{rows:,} {table}" for table, rows in total.items()))
        return dict(total)


def resident_bytes(root: int) -> int:
    """The memory of the process and of all that came from it."""
    process, size = psutil.Process(root), 0
    for member in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            size += member.memory_info().rss
    return size


def _run(asked: dict[str, Any], is_whole: bool) -> None:
    import pyarrow.parquet as pq

    from perennial.flows.kumo.kernels import prepare_kernels
    from perennial.flows.refresh.plan import prepare_refresh
    from perennial.flows.refresh.publish import audit_and_publish
    from perennial.flows.stages.grow import grow
    from perennial.flows.stages.workspace import Policies, open_workspace
    from perennial.schemas.settings import load_settings
    from perennial.warehouse.audit.audit import audit, require_pass
    from perennial.warehouse.catalog.catalog import published_editions
    from perennial.warehouse.editions.issued_ids import issued_instances
    from perennial.warehouse.editions.publish import publish
    from perennial.warehouse.merge_parts import consolidate
    from perennial.warehouse.staging import Staging
    from perennial.warehouse.store.store import Store

    prepare_kernels("sampling", "search")
    settings = load_settings({"seed": 0, **asked})
    store, count = Store(settings.root), asked["instances"]
    prepared = prepare_refresh(settings, store)
    plan = prepared.plan
    staging = Staging(store, plan.edition)
    staging.write_plan(plan.growth)
    workspace = open_workspace(store.root, plan.edition)
    clock = _Clock(count)
    policies = Policies.read(settings, prepared.part.inputs)
    grow(workspace, policies, _Clocked(clock, is_whole))
    with staging.scratch_folder() as scratch:
        with clock.stage("merge") as notes:
            files = consolidate(staging, scratch)
            rows = {name: pq.read_metadata(file).num_rows for name, file in files.items()}
            notes += [
                f"{rows[name]:,} {name} {files[name].stat().st_size / 1e6:,.0f} MB"
                for name in rows
                if rows[name]
            ]
        with clock.stage("audit") as notes:
            # Without --players there are no books, of which the rules would ask one for every instance.
            results = audit({name: file for name, file in files.items() if rows[name]}).rows
            require_pass(results, staging.folder)
            notes.append(f"{len(results)} expectations hold")
        with clock.stage("publish"):
            publish(store, plan.growth, {}, results, datetime.now(UTC), files)
    staging.remove()
    if is_whole:
        unit = plan.evaluation.unit
        Staging(store, unit).write_plan(plan.evaluation)
        grow(open_workspace(store.root, unit), policies, _Clocked(clock, is_whole))
        with clock.stage("evaluation") as notes:
            notes.append(f"{audit_and_publish(store.root, unit)['statistics']:,} statistics")
    with clock.stage("read ids") as notes:
        issued = issued_instances(store, published_editions(store))
        notes.append(f"{len(issued):,} ids")
    new = [f"ki_{number:032x}" for number in range(count)]
    with clock.stage("look up") as notes:
        notes.append(f"{sum(issued.which(new))} of {count:,} are known")
    clock.total()


if __name__ == "__main__":
    main()
