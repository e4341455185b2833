"""How fast BeyondBench's generators are beside package `beyondbench` 0.2.1, and how often they repeat.

By hand: `python -m tests.benchmarks.beyondbench_rates [--package PYTHON] [--tasks a,b] [--seconds 2]
[--rounds 3]`. PYTHON is the interpreter of an environment of its own in which `pip install
beyondbench==0.2.1` was run; both take turns, and the median of the rounds counts. Ours are drawn and proved,
variations and sizes in turn. `--repeats 100000` draws so many of each variation instead and counts how many
are distinct.
"""

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tasks.beyondbench.problem import Problem
from tasks.beyondbench.registry import MODULES, TASKS
from tasks.beyondbench.task import Task

_TENFOLD = ("n_queens", "sudoku", "cryptarithmetic", "logic_grid")


def main() -> None:
    """Print the rates, or the repeats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", help="Python of the package's own environment")
    parser.add_argument("--tasks", default=",".join(MODULES))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, help="problems to draw of each variation")
    parser.add_argument("--at-most", type=float, default=600.0, help="seconds to draw of each variation")
    chosen = parser.parse_args()
    names = chosen.tasks.split(",")
    if chosen.repeats:
        _print_repeats(names, chosen.repeats, chosen.at_most)
        return
    print(f"{'task':28} {'ours/s':>10} {'package/s':>10} {'ratio':>8}  distinct: ours, package")
    for name in names:
        _warm(TASKS[name])
        ours, theirs = [], []
        for number in range(chosen.rounds):
            ours.append(_time(TASKS[name], chosen.seconds, number))
            if chosen.package:
                theirs.append(_time_package(chosen.package, name, chosen.seconds))
        _print_rates(name, ours, theirs)


def _print_rates(name: str, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    rate = statistics.median(each["rate"] for each in ours)
    shown = f"{name:28} {rate:10,.0f}"
    if theirs:
        package = statistics.median(each["rate"] for each in theirs)
        goal = 10 if name in _TENFOLD else 1
        mark = "" if rate >= goal * package else f"  below {goal}"
        counts = ", ".join(f"{each['distinct']:,}/{each['made']:,}" for each in (ours[-1], theirs[-1]))
        shown += f" {package:10,.1f} {rate / package:8.2f}  {counts}{mark}"
    print(shown, flush=True)


def _cells(task: Task[Any]) -> Iterable[tuple[str, int]]:
    return [(variation.name, size) for variation in task.variations for size in variation.sizes]


def _warm(task: Task[Any]) -> None:
    for variation, size in _cells(task):
        task.draw(variation, size, random.Random(0))


def _time(task: Task[Any], seconds: float, seed: int) -> dict[str, Any]:
    """Return problems a second, sound ones only."""
    rng = random.Random(seed)
    made, elapsed = [], 0.0
    for variation, size in itertools.cycle(_cells(task)):
        start = time.perf_counter()
        params = task.draw(variation, size, rng)
        while params is None:
            params = task.draw(variation, size, rng)
        elapsed += time.perf_counter() - start
        made.append(params)
        if elapsed > seconds:
            break
    return {"rate": len(made) / elapsed, "made": len(made), "distinct": len(set(made))}


def _time_package(python: str, name: str, seconds: float) -> dict[str, Any]:
    script = Path(__file__).with_name("beyondbench_package.py")
    done = subprocess.run(
        [python, str(script), str(seconds), name], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _print_repeats(names: list[str], number: int, seconds: float) -> None:
    print(f"{'task/variation':44} {'drawn':>9} {'distinct':>9} {'log10 space':>12}  sizes")
    for name in names:
        task = TASKS[name]
        for variation in task.variations:
            rng = random.Random(1)
            seen, drawn, start = set(), 0, time.perf_counter()
            for size in itertools.islice(itertools.cycle(variation.sizes), number):
                while (params := task.draw(variation.name, size, rng)) is None:
                    pass
                drawn += 1
                seen.add(Problem(task, variation.name, size, params).content_id)
                if time.perf_counter() - start > seconds:
                    break
            spaces = [task.space(variation.name, size) for size in variation.sizes]
            shown = f"{max(space.log10 for space in spaces):.1f}"
            exact = "=" if all(space.is_exact for space in spaces) else ">="
            sizes = f"{variation.sizes[0]}..{variation.sizes[-1]}"
            print(
                f"{name + '/' + variation.name:44} {drawn:9,} {len(seen):9,} {exact + shown:>12}  {sizes}",
                flush=True,
            )


if __name__ == "__main__":
    main()
