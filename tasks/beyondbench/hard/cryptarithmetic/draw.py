"""Draw a cryptarithm digits first: an equation of numbers, its digits renamed, kept if one solution is left.

Words from a dictionary, as in Algorithm 22 of the paper, mostly have no solution or several.
"""

import random
import string
from typing import get_args

from schemas.beyondbench.things import Solutions
from tasks.beyondbench.hard.cryptarithmetic.params import CryptarithmParams, Operation

# For sums and differences the size is the number of digits of both operands (of a difference: of minuend and
# subtrahend); for products and quotients that of both factors together.
SUM_SIZES = {"medium": (4, 5), "hard": (5, 6), "extreme": (6, 7)}
FACTORS = {"medium": (3, 2), "hard": (4, 2), "extreme": (3, 3)}
MIN_OVERLAP = 0.3  # of an extreme sum or difference: the share of letters that all three words have (eq. 171)
MIN_LETTERS = 4
VARIATIONS = {
    f"{operation}_{level}": SUM_SIZES[level]
    if operation in ("addition", "subtraction")
    else (sum(FACTORS[level]),)
    for operation in get_args(Operation)
    for level in SUM_SIZES
}


def draw(variation: str, size: int, rng: random.Random) -> CryptarithmParams | None:
    """Return a cryptarithm with exactly one solution, None where the drawn equation has more."""
    operation, _, level = variation.partition("_")
    equation = _draw_equation(operation, level, size, rng)
    if not all(equation):
        return None
    numbers = [str(number) for number in equation]
    if operation in ("addition", "subtraction") and level == "extreme" and overlap(*numbers) < MIN_OVERLAP:
        return None
    digits = sorted(set("".join(numbers)))
    if len(digits) < MIN_LETTERS:
        return None
    letters = rng.sample(string.ascii_uppercase, len(digits))
    renaming = str.maketrans(dict(zip(digits, letters, strict=True)))
    first, second, result = (number.translate(renaming) for number in numbers)
    params = CryptarithmParams(operation, first, second, result)  # type: ignore[arg-type]
    return params if find_solutions(params).count == 1 else None


def _draw_equation(operation: str, level: str, size: int, rng: random.Random) -> tuple[int, int, int]:
    if operation in ("addition", "subtraction"):
        one, other = _draw_number(size, rng), _draw_number(size, rng)
        if operation == "addition":
            return one, other, one + other
        return max(one, other), min(one, other), abs(one - other)
    one, other = (_draw_number(length, rng) for length in FACTORS[level])
    if operation == "multiplication":
        return one, other, one * other
    return one * other, other, one


def _draw_number(length: int, rng: random.Random) -> int:
    return rng.randrange(10 ** (length - 1), 10**length)


def overlap(*words: str) -> float:
    """Return the share of all letters that every word has (eq. 171 of the paper)."""
    sets = [set(word) for word in words]
    return len(set.intersection(*sets)) / len(set.union(*sets))


def find_solutions(params: CryptarithmParams, limit: int = 2) -> Solutions:
    """Return the first solution and how many were found, up to `limit`."""
    import numpy as np

    from tasks.beyondbench.hard.cryptarithmetic.kernel import count_solutions

    letters = params.letters
    places = {letter: place for place, letter in enumerate(letters)}
    words = [np.array([places[letter] for letter in reversed(word)], np.int64) for word in params.forwards]
    is_product = params.operation in ("multiplication", "division")
    leading = np.array([letter in params.leading for letter in letters], np.bool_)
    solution = np.empty(len(letters), np.int64)
    found = int(count_solutions(*words, is_product, leading, limit, solution))
    if not found:
        return Solutions((), 0, True)
    return Solutions((dict(zip(letters, solution.tolist(), strict=True)),), found, found < limit)
