"""How fast BeyondBench's problems are made and proved, beside package `beyondbench` 0.2.1, and their repeats.

By hand: `python -m tests.benchmarks.beyondbench_rates [--package PYTHON] [--tasks a,b] [--seconds 2]
[--rounds 3] [--all]`. PYTHON is the interpreter of an environment of its own in which `pip install
beyondbench==0.2.1` was run; both take turns, and the median of the rounds counts. The variations that the
paper counts, or all, and their sizes take turns.

- `drawn`: problems a second that the generator makes, with the proofs that its variation claims.
- `proved`: distinct problems per second with all that makes them sound: drawn, solved, their solutions
  accepted by the grader and by the independent checker, one where the variation says so, and an id derived
  from what is shown, by which repeats are left out.
- `package`: what the package makes a second, without a proof; `distinct` of them are no repeats.

A suite's rate is that of one problem of each task in turn. `--repeats 100000` draws so many of each variation
instead and counts how many are distinct.
"""

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from perennial.schemas.beyondbench.things import SUITES
from perennial.tasks.beyondbench.problem import Task, TaskProblem, draw_problems
from perennial.tasks.beyondbench.registry import PATHS, TASKS


def main() -> None:
    """Print the rates, or the repeats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", help="Python of the package's own environment")
    parser.add_argument("--tasks", default=",".join(PATHS))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="variations that the paper does not count too")
    parser.add_argument("--repeats", type=int, help="problems to draw of each variation")
    parser.add_argument("--at-most", type=float, default=600.0, help="seconds to draw of each variation")
    chosen = parser.parse_args()
    names = chosen.tasks.split(",")
    if chosen.repeats:
        _print_repeats(names, chosen.repeats, chosen.at_most)
        return
    print(f"{'task':28} {'drawn/s':>10} {'proved/s':>10} {'package/s':>10} {'distinct/s':>10}")
    found = {}
    for name in names:
        cells = _cells(TASKS[name], chosen.all)
        _warm(TASKS[name], cells)
        rounds = [_time_task(name, cells, chosen, number) for number in range(chosen.rounds)]
        found[name] = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
        _print_line(name, found[name])
    for suite in SUITES:
        of_suite = [rates for name, rates in found.items() if TASKS[name].suite == suite]
        if of_suite:
            rates = {key: statistics.harmonic_mean([each[key] for each in of_suite]) for key in of_suite[0]}
            _print_line(f"{suite} ({len(of_suite)} tasks)", rates)


def _print_line(name: str, rates: dict[str, float]) -> None:
    print(f"{name:28}", *(f"{rate:10,.1f}" for rate in rates.values()), flush=True)


def _cells(task: Task[Any], every: bool) -> Sequence[tuple[str, int]]:
    return [
        (variation.name, size)
        for variation in task.variations
        if every or variation.is_counted
        for size in variation.sizes
    ]


def _warm(task: Task[Any], cells: Iterable[tuple[str, int]]) -> None:
    for variation, size in cells:
        _prove(next(draw_problems(task, variation, size, 0, 0))[0])


def _time_task(
    name: str, cells: Sequence[tuple[str, int]], chosen: argparse.Namespace, seed: int
) -> dict[str, float]:
    """Return problems per second: drawn, proved and distinct, the package's, its distinct ones."""
    drawn = proved = 0.0
    made, ids = 0, set()
    for index, (variation, size) in zip(itertools.count(), itertools.cycle(cells)):
        start = time.perf_counter()
        problem, _ = next(draw_problems(TASKS[name], variation, size, seed + 1, index))
        middle = time.perf_counter()
        ids.add(_prove(problem))
        drawn += middle - start
        proved += time.perf_counter() - start
        made += 1
        if proved > chosen.seconds and made >= len(cells):
            break
    rates = {"drawn": made / drawn, "proved": len(ids) / proved}
    if chosen.package:
        package = _time_package(chosen.package, name, chosen.seconds)
        rates["package"] = package["rate"]
        rates["distinct"] = package["rate"] * package["distinct"] / package["counted"]
    return rates


def _prove(problem: TaskProblem) -> str:
    """Return the problem's id, after both engines have agreed on its solutions."""
    task, params, solutions = problem.task, problem.params, problem.solutions
    for answer in solutions.answers:
        if not (problem.is_right(answer) and task.check(params, answer)):
            raise AssertionError(f"{task.name} {problem.variation}: {answer!r} is refused of {params}")
    if task.variation(problem.variation).is_unique and (solutions.count, solutions.is_complete) != (1, True):
        raise AssertionError(f"{task.name} {problem.variation}: not unique: {params}")
    return problem.content_id


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
                seen.add(TaskProblem(task, variation.name, size, params).content_id)
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
