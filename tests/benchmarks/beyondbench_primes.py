"""Which next terms the prompt of prime_sequence allows, by a search of every rule that it states.

Nothing of the engine is used but the draw: rules and bounds are those of the prompt's text, and sieves are
of NumPy. By hand: `python -m tests.benchmarks.beyondbench_primes [PROBLEMS]` draws so many problems of each
variation and size and prints how many have more than one next term, or another one than the key.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS

BELOW, BEYOND = 1_000_000, 1_020_000  # a run that ends below the former has its next term below the latter
ARGUMENTS = 100_020
Numbers = NDArray[np.int64]


def main(problems: int) -> None:
    """Print for each variation how many prompts have one next term."""
    task = TASKS["prime_sequence"]
    for variation in task.variations:
        for size in variation.sizes:
            several, other = [], []
            for index in range(problems):
                problem, _ = draw_problem(task, variation.name, size, 271_828, index)
                found = next_terms(shown_terms(problem.prompt))
                if len(found) != 1:
                    several.append(problem.params.terms)
                elif found != {problem.solutions.reference}:
                    other.append(problem.params.terms)
            print(
                f"{variation.name:18} {size:>2} terms {problems:>6,} problems, {len(several)} with several "
                f"next terms, {len(other)} with another than the key {several[:2] or other[:2] or ''}",
                flush=True,
            )


def shown_terms(prompt: str) -> list[int]:
    """Return the terms that a prompt shows."""
    (line,) = re.findall(r"^Sequence: (.*), \?$", prompt, re.MULTILINE)
    return [int(term) for term in line.split(", ")]


def next_terms(terms: list[int]) -> set[int]:
    """Return the next terms of all rules that the prompt states."""
    return set(_runs(terms)) | set(_multiples(terms)) | set(_remainders(terms))


@cache
def sequences() -> list[tuple[Numbers, int]]:
    """Return the seven kinds of numbers that stand in a row, and how many of each may be shown."""
    is_prime = np.ones(2 * BEYOND + 2, bool)
    is_prime[:2] = False
    for p in range(2, 1_500):
        if is_prime[p]:
            is_prime[p * p :: p] = False
    primes = np.flatnonzero(is_prime[:BEYOND])
    factors = np.zeros(BEYOND, np.int8)  # prime factors with their multiplicity
    for p in primes:
        power = int(p)
        while power < BEYOND:
            factors[power::power] += 1
            power *= int(p)
    totient = np.arange(ARGUMENTS + 2)
    divisors = np.zeros(ARGUMENTS + 2, np.int64)
    for n in range(1, ARGUMENTS + 2):
        divisors[n::n] += n
        if is_prime[n]:
            totient[n::n] -= totient[n::n] // n
    rows = [
        primes,
        primes[is_prime[primes + 2]],
        primes[is_prime[2 * primes + 1]],
        np.flatnonzero(factors == 2),
    ]
    found = [(row.astype(np.int64), int((row < BELOW).sum())) for row in rows]
    found.append((np.diff(primes).astype(np.int64), int((primes < BELOW).sum())))
    found += [(row[1:], ARGUMENTS) for row in (totient.astype(np.int64), divisors)]
    return found


def _runs(terms: list[int]) -> Iterator[int]:
    shown = np.array(terms)
    for values, count in sequences():
        places = np.arange(count - len(terms) + 1)
        shifts = shown[0] - values[places]
        places = places[np.abs(shifts) <= 999]
        for n in range(1, len(terms)):
            places = places[values[places + n] - values[places] == shown[n] - shown[0]]
        for place in places:
            yield int(shown[0] - values[place] + values[place + len(terms)])


def _multiples(terms: list[int]) -> Iterator[int]:
    size = len(terms)
    exponents = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
    nested = [1]
    for k in range(1, 22):
        nested.append(nested[-1] * 2 * (2 * k - 1) // (k + 1))
    shapes = [([2**p - 1 for p in exponents[start:]], 999, 49_999) for start in range(3)]
    shapes += [([p**n for n in range(1, 15)], 9_999, 9_999) for p in (2, 3, 5, 7)]
    shapes += [(nested[start:], 9_999, 999) for start in range(8)]
    for values, largest, shift in shapes:
        for a in range(-largest, largest + 1):
            b = terms[0] - a * values[0]
            if a and abs(b) <= shift and all(a * values[n] + b == terms[n] for n in range(1, size)):
                yield a * values[size] + b


def _remainders(terms: list[int]) -> Iterator[int]:
    for p in range(7, 398):
        if all(p % q for q in range(2, p)) and all(
            (terms[n - 2] + terms[n - 1] - terms[n]) % p == 0 and 0 <= terms[n] < p
            for n in range(2, len(terms))
        ):
            yield (terms[-2] + terms[-1]) % p


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
