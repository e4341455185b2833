"""What the runners of a refresh gain, and what a batch costs on them beside its own work.

python -m tests.benchmarks.runners [--settings hard] [--instances 300] [--batches 200] [--repeat 1]

First the same refresh on every runner: seconds per stage, of the whole command, and of CPU in all its
processes (but for Prefect's server, which all share). Then batches that do nothing: seconds of each.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from tests.flows.prefect_harness import running_server

RUNNERS = {
    "one": ("--workers", "1"),
    "two": ("--workers", "2"),
    "dask": ("--runner", "dask", "--workers", "2"),
    "default": (),
}
STAGES = ("sample", "books", "gate", "episodes", "statistics", "publish")
_STAGE = re.compile(r"^(\w+) +\d+/\d+ batches +([\d.]+) s", re.MULTILINE)
_EDITION = "measured"
Seconds = dict[str, float]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domains", default="")
    parser.add_argument("--settings", default="hard")
    parser.add_argument("--instances", type=int, default=300)
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--runners", nargs="+", default=list(RUNNERS), choices=RUNNERS)
    arguments = parser.parse_args()
    asked = ["--settings", arguments.settings, "--instances", str(arguments.instances)]
    asked += ["--domains", arguments.domains] if arguments.domains else []
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as environment:
        os.environ.update(environment)
        if arguments.repeat:
            print_refreshes(asked, arguments.runners, arguments.repeat, Path(folder))
        if arguments.batches:
            print_overhead(arguments.runners, arguments.batches, Path(folder))


def print_refreshes(asked: Sequence[str], runners: Sequence[str], repeat: int, folder: Path) -> None:
    """Print the median seconds of each stage; in brackets how many times faster than the first runner."""
    print(f"perennial refresh {' '.join(asked)}: seconds, median of {repeat}")
    runs: dict[str, list[Seconds]] = {name: [] for name in runners}
    for number in range(repeat):  # taking turns, so that a busy minute does not hit one of them alone
        for name in runners:
            runs[name].append(refresh_seconds(asked, RUNNERS[name], folder / f"{name}-{number}"))
    print(f"{'':12}" + "".join(f"{name:>18}" for name in runners))
    for stage in (*STAGES, "all", "CPU"):
        taken = [median(run.get(stage, 0.0) for run in runs[name]) for name in runners]
        cells = (f"{seconds:10.1f} {_gain(taken[0], seconds):>7}" for seconds in taken)
        print(f"{stage:12}" + "".join(cells), flush=True)
    print()


def refresh_seconds(asked: Sequence[str], runner: Sequence[str], root: Path) -> Seconds:
    """Run one refresh; return the seconds of each stage, of the whole and of CPU."""
    begun, used = time.perf_counter(), _cpu_of_children()
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "perennial.flows.cli.app",
            "refresh",
            *asked,
            *runner,
            "--root",
            str(root),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    stages = {stage: float(seconds) for stage, seconds in _STAGE.findall(done.stdout)}
    return {**stages, "all": time.perf_counter() - begun, "CPU": _cpu_of_children() - used}


def print_overhead(runners: Sequence[str], batches: int, folder: Path) -> None:
    """Print the seconds of a batch that does nothing, workers ready, and those of the first three."""
    from prefect import flow

    from perennial.flows.run.choose_runner import open_runner
    from perennial.flows.run.prefect_stages import Stages
    from perennial.flows.watchers.watcher import Watchers

    root = _stage_plan(folder / "root")

    @flow(name="idle-batches", validate_parameters=False)
    def idling(runner: str, workers: int) -> tuple[float, float, float]:
        with open_runner(runner, workers, root, _EDITION) as taken:
            stages = Stages(Watchers(), taken)
            marks = [time.perf_counter()]
            for count in (3, batches):
                used = time.process_time()
                stages.run("idle", [], [Idle()] * count)
                marks.append(time.perf_counter())
        first, rest = (after - before for before, after in pairwise(marks))
        return first, rest / batches, (time.process_time() - used) / batches

    print(f"{batches} batches that do nothing: seconds")
    print(f"{'':12}{'first three':>14}{'a batch':>14}{'CPU here':>14}")
    for name in runners:
        chosen = dict(zip(RUNNERS[name][::2], RUNNERS[name][1::2], strict=True))
        if chosen:
            seconds = idling(chosen.get("--runner", "local"), int(chosen["--workers"]))
            print(f"{name:12}" + "".join(f"{value:14.4f}" for value in seconds), flush=True)


class Idle:
    """Work that does nothing."""

    def run(self) -> dict[str, int]:
        """Return a count."""
        return {"batches": 1}


def _stage_plan(root: Path) -> str:
    """Stage a plan, for the workers of Dask to see."""
    from perennial.flows.refresh.planning.plan import prepare_refresh
    from perennial.schemas.settings import load_settings
    from perennial.warehouse.staging import Staging
    from perennial.warehouse.store.store import Store

    store = Store(str(root))
    settings = load_settings({"root": str(root), "edition": _EDITION, "seed": 0})
    Staging(store, _EDITION).write_plan(prepare_refresh(settings, store).plan.growth)
    return str(root)


def _gain(slow: float, fast: float) -> str:
    return f"({slow / fast:.2f}x)" if fast else ""


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
