"""How many boards of queens there are to complete, for tasks/beyondbench/hard/n_queens.py.

By hand: `python -m tests.benchmarks.queens_space [--draws 200000]`. Up to size 12, and on toroidal boards,
each choice of queens of each solution is counted; beyond, random placements are tried. It prints the entries
of the tables: variation, size, and the count, or placements tried and completable ones.
"""

import argparse
import random
from itertools import combinations

import numpy as np

from perennial.tasks.beyondbench.hard.kernels.n_queens import find_boards
from perennial.tasks.beyondbench.hard.n_queens import MOST_COMPLETIONS, VARIATIONS, draw, placed_range

_MOST_BOARDS = 100_000
_COUNTED = 12


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200_000)
    draws = parser.parse_args().draws
    for variation, (rules, sizes) in VARIATIONS.items():
        for size in sizes:
            if size <= _COUNTED or rules == "toroidal":
                print(f'    ("{variation}", {size}): {count_boards(size, rules)},', flush=True)
            else:
                rng = random.Random(1)
                found = sum(draw(variation, size, rng) is not None for _ in range(draws))
                print(f'    ("{variation}", {size}): ({draws}, {found}),', flush=True)


def count_boards(size: int, rules: str) -> int:
    """Return the number of boards that may be drawn, from all solutions of the empty board."""
    boards = np.empty((_MOST_BOARDS, size), np.int64)
    placed = np.full(size, -1, np.int64)
    count = find_boards(placed, rules == "toroidal", rules == "diagonal", 10**9, boards)
    boards = boards[:count]
    total = 0
    for number in placed_range(size):
        codes = []
        for rows in combinations(range(size), number):
            code = np.zeros(count, np.int64)
            for row in rows:
                code = code * 256 + row * 16 + boards[:, row]
            codes.append(code)
        distinct, completions = np.unique(np.concatenate(codes), return_counts=True)
        total += int((completions <= MOST_COMPLETIONS).sum())
        del codes, distinct
    return total


if __name__ == "__main__":
    main()
