"""How many cryptarithms of words have one solution, for tasks/beyondbench/hard/cryptarithmetic.py.

By hand: `python -m tests.benchmarks.cryptarithm_words [--tries 500000]`. It prints the entries of the table:
operation, size, and how many of so many random triples of words make one. A difference or quotient of words
is sound where the sum or product of the same words is.
"""

import argparse
import random

from perennial.tasks.beyondbench.hard.cryptarithmetic import FACTOR_WORDS, SUM_WORDS, draw_words


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=500_000)
    tries = parser.parse_args().tries
    for operation, sizes in (("addition", SUM_WORDS), ("multiplication", FACTOR_WORDS)):
        for size in sizes:
            rng = random.Random(1)
            found = sum(draw_words(operation, size, rng) is not None for _ in range(tries))
            print(f'    ("{operation}", {size}): ({found:_}, {tries:_}),', flush=True)


if __name__ == "__main__":
    main()
