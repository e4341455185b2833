"""What BeyondBench's guesser answers, learned on a draw of its own, and its rates on another one.

By hand: `python -m tests.benchmarks.beyondbench_guesser --learn` writes `usual_answers.toml` of
`tasks/beyondbench`; run it again where the draw of problems changes. Without `--learn` it prints the rates of
that file by cell, task and suite; `--tasks a,b` chooses tasks, of which `--learn` writes anew and keeps the
others.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench import players
from perennial.tasks.beyondbench.players import (
    guess,
    shape_of,
    usual_answers,
)
from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS

PROCESSES = 2
CANDIDATES = 60  # answers of a cell that are tried on all of its problems
# Problems of each size: slow tasks have answers so varied that more teach nothing.
_LEARNED = {"easy": 1_000, "medium": 500, "hard": 500}
_FEWER = {
    "graph_coloring": 300,
    "constraint_optimization": 300,
    "sudoku": 150,
    "cryptarithmetic": 150,
    "logic_grid": 200,
}
_MEASURED = {"easy": 300, "medium": 40, "hard": 100}
ANSWERS = Path(players.__file__).with_name("usual_answers.toml")


class Cell(NamedTuple):
    """A variation of a task at one size."""

    task: str
    variation: str
    size: int

    def __str__(self) -> str:
        return " ".join(map(str, self))


class Measured(NamedTuple):
    """How many problems of a cell were tried, and how many of them the guess was right about."""

    cell: Cell
    number: int
    right: int


def main() -> None:
    """Learn, or print the rates on a draw that nothing was learned from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--tasks", default=",".join(TASKS))
    chosen = parser.parse_args()
    names = chosen.tasks.split(",")
    cells = [
        Cell(name, variation.name, size)
        for name in names
        for variation in TASKS[name].variations
        for size in variation.sizes
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        if chosen.learn:
            write_answers(names, list(zip(cells, pool.map(learn, cells), strict=True)))
        else:
            print_rates(list(pool.map(measure, cells)))


def learn(cell: Cell) -> str | None:
    """Return the shape that is right most often, None where it is right once or as often as the fixed one."""
    problems = list(_draw(cell, "learn", _number_learned(cell)))
    forms = [problem.task.form(problem.params) for problem in problems]
    counts = Counter(
        shape_of(form).describe(form, problem.solutions.reference)
        for form, problem in zip(forms, problems, strict=True)
    )
    shapes = sorted(counts, key=lambda shape: (-counts[shape], shape))[:CANDIDATES]
    pairs = list(zip(problems, forms, strict=True))
    # A solution of one answer is its reference, but for decimals, which are right within a tolerance.
    if TASKS[cell.task].variation(cell.variation).is_unique and TASKS[cell.task].suite != "easy":
        right = dict(counts)
    else:
        right = {shape: sum(_is_right(problem, form, shape) for problem, form in pairs) for shape in shapes}
    best = max(shapes, key=lambda shape: right[shape])
    fixed = sum(problem.is_right(shape_of(form).fixed(form, cell.size)) for problem, form in pairs)
    return best if right[best] >= max(2, fixed + 3 * fixed**0.5) else None


def _is_right(problem: TaskProblem, form: object, shape: str) -> bool:
    return problem.is_right(shape_of(form).write(form, shape))  # type: ignore[arg-type]


def measure(cell: Cell) -> Measured:
    """Return how often the guesser is right in a cell."""
    number = _MEASURED[TASKS[cell.task].suite]
    found = [
        problem.is_right(guess(*cell, problem.task.form(problem.params)))
        for problem in _draw(cell, "measure", number)
    ]
    return Measured(cell, number, sum(found))


def _number_learned(cell: Cell) -> int:
    return _FEWER.get(cell.task, _LEARNED[TASKS[cell.task].suite])


def _draw(cell: Cell, purpose: str, number: int) -> Iterator[TaskProblem]:
    seed = derive_rng(0, f"beyondbench/guesser/{purpose}", 0).getrandbits(32)
    for index in range(number):
        yield draw_problem(TASKS[cell.task], cell.variation, cell.size, seed, index)[0]


def write_answers(names: list[str], learned: list[tuple[Cell, str | None]]) -> None:
    """Write the usual answers into their file: those learned, and those of tasks that were not."""
    kept = {key: shape for key, shape in usual_answers().items() if key.split()[0] not in names}
    answers = kept | {str(cell): shape for cell, shape in learned if shape is not None}
    order = list(TASKS)
    comments = [line for line in ANSWERS.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    entries = [
        f"{json.dumps(key)} = {json.dumps(answers[key])}"
        for key in sorted(answers, key=lambda key: order.index(key.split()[0]))
    ]
    ANSWERS.write_text("\n".join([*comments, "", *entries, ""]), encoding="utf-8")


def print_rates(measured: list[Measured]) -> None:
    """Print the mean over sizes of each cell, over cells of each task, over tasks of each suite."""
    cells: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    numbers: Counter[str] = Counter()
    for (task, variation, _), number, right in measured:
        cells[task, variation].append(right / number)
        numbers[task] += number
    tasks: defaultdict[str, list[float]] = defaultdict(list)
    for (task, variation), rates in cells.items():
        tasks[task].append(fmean(rates))
        print(f"    {task + '/' + variation:46} {fmean(rates):.3f}  by size {[round(r, 3) for r in rates]}")
    suites: defaultdict[str, list[float]] = defaultdict(list)
    for task, rates in tasks.items():
        suites[TASKS[task].suite].append(fmean(rates))
        print(f"| {TASKS[task].suite} | {task} | {numbers[task]:,} | {fmean(rates):.3f} | {max(rates):.3f} |")
    for suite, rates in suites.items():
        print(f"{suite}: {fmean(rates):.3f}")


if __name__ == "__main__":
    main()
