"""How many draws of the Medium tasks repeat an earlier one, how many are rejected, and how fast they are.

Run by hand: `python -m tests.benchmarks.sequences [--draws 20000] [VARIATION ...]`. One line per variation
and number of shown terms; repeats of 20,000 draws are the figures in
`tasks/beyondbench/medium/sequence.py`. A draw includes the proof that its next term is the only one.
Seconds are CPU seconds of this process.
"""

import argparse
from time import process_time

from perennial.tasks.beyondbench.problem import Task, draw_problem
from perennial.tasks.beyondbench.registry import TASKS

NAMES = (
    "fibonacci_sequence",
    "geometric_sequence",
    "prime_sequence",
    "complex_pattern",
    "algebraic_sequence",
)
SEED = 2026


def main(arguments: argparse.Namespace) -> None:
    print(f"{'variation':24} {'terms':>5} {'repeats':>8} {'rejected':>9} {'draws/s':>8} {'prompts/s':>9}")
    for task in map(TASKS.__getitem__, NAMES):
        for variation in task.variations:
            if not arguments.variations or variation.name in arguments.variations:
                for size in variation.sizes:
                    measure(task, variation.name, size, arguments.draws)


def measure(task: Task, variation: str, size: int, draws: int) -> None:
    draw_problem(task, variation, size, SEED, draws)[0].solutions  # noqa: B018 (tables are built before)
    started = process_time()
    found = [draw_problem(task, variation, size, SEED, index) for index in range(draws)]
    drawn = process_time() - started
    rejected = sum(attempt for _, attempt in found)
    repeats = draws - len({problem.content_id for problem, _ in found})
    started = process_time()
    for problem, _ in found:
        assert problem.solutions.is_complete
        assert problem.prompt
    whole = drawn + process_time() - started
    share = rejected / (rejected + draws)
    print(
        f"{variation:24} {size:5} {repeats:8,} {share:9.3f} {draws / drawn:8,.0f} {draws / whole:9,.0f}",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variations", nargs="*", metavar="VARIATION")
    parser.add_argument("--draws", type=int, default=20_000)
    main(parser.parse_args())
