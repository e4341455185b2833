"""What commands cost before they do anything, and a default refresh: two checkouts side by side, by hand.

    python -m tests.benchmarks.start_up BEFORE AFTER [--only help query first refresh compile lineage]

BEFORE and AFTER are the `perennial` programs of two environments. Rounds alternate; a line is the round's CPU
seconds (user and system, children's too) and wall seconds. `first` ends where a refresh begins its
first batch, `compile` is sampling and search with an empty cache. `lineage` needs
`--big BEFORE_ROOT AFTER_ROOT`.
"""

import argparse
import os
import resource
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

REFRESH = ["refresh", "--seed", "1"]
SMALL = ["--instances", "2", "--domains", "mineral_identification"]
# In place of the first batch of a command: prints the CPU seconds of the process and its children until then.
FIRST_BATCH = """
import os, sys, psutil
from perennial.flows.cli.start import main
from perennial.flows.console import progress
def stage(*_, **__):
    this = psutil.Process()
    print(sum(sum(one.cpu_times()[:2]) for one in (this, *this.children(recursive=True))), flush=True)
    os._exit(0)
progress.stage = stage
main()
"""


def measure(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return CPU and wall seconds of the command."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - started


def main() -> None:
    """Print the figures of each command for both, and the ratio of their medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", nargs="+", default=["help", "query", "refresh"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--big", nargs=2, help="roots with some 500,000 episodes")
    options = parser.parse_args()
    programs = (options.before, options.after)
    with TemporaryDirectory() as folder:
        for what in options.only:
            figures: list[list[tuple[float, float]]] = [[], []]
            if what in ("query", "refresh", "first"):
                for side, program in enumerate(programs):  # kernels and Prefect's database are warm then
                    _run(what, program, f"{folder}/root-{side}", options.big, side)
            for number in range(options.rounds):
                for side, program in enumerate(programs):
                    root = f"{folder}/root-{side}" if what == "query" else f"{folder}/{what}-{side}-{number}"
                    cpu, wall = _run(what, program, root, options.big, side)
                    figures[side].append((cpu, wall))
                    name, load = ("before", "after")[side], os.getloadavg()[0]
                    print(f"{what:8} {name:6} {cpu:7.2f} CPU {wall:7.2f} wall  load {load:.1f}")
            cpu, wall = (_median(figures[1], i) / _median(figures[0], i) for i in (0, 1))
            print(f"{what:8} after/before: CPU {cpu:.2f}, wall {wall:.2f}", flush=True)


def _run(what: str, program: str, root: str, big: list[str] | None, side: int) -> tuple[float, float]:
    environment = dict(os.environ)
    if what == "compile":
        environment["NUMBA_CACHE_DIR"] = root
        python = str(Path(program).with_name("python"))
        code = "from perennial.flows.kumo.kernels import prepare_kernels; prepare_kernels()"
        return measure([python, "-P", "-c", code], environment)
    if what == "help":
        return measure([program, "--help"], environment)
    if what == "first":
        command = [str(Path(program).with_name("python")), "-P", "-c", FIRST_BATCH, *REFRESH, *SMALL]
        started = time.perf_counter()
        ended = subprocess.run(
            [*command, "--root", root], env=environment, check=True, capture_output=True, text=True
        )
        # Its server is not waited for, so that the system's own account lacks it.
        return float(ended.stdout.split()[-1]), time.perf_counter() - started
    if what == "lineage":
        assert big is not None, "lineage needs --big"
        return measure([program, "query", "FROM lineage LIMIT 1", "--root", big[side]], environment)
    if what == "query" and Path(root).exists():
        return measure([program, "query", "SELECT 1", "--root", root], environment)
    return measure([program, *REFRESH, *(SMALL if what == "query" else []), "--root", root], environment)


def _median(figures: list[tuple[float, float]], which: int) -> float:
    return sorted(figure[which] for figure in figures)[len(figures) // 2]


if __name__ == "__main__":
    main()
