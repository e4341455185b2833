"""Draw a cryptarithm with one solution: digits first, or words first.

Digits first, an equation of numbers has its digits renamed. Words first, as in Algorithm 22 of the paper,
English words are drawn until an equation of them has one solution: most have none.
"""

import random
import string
from typing import get_args

from perennial.schemas.beyondbench.things import Solutions
from perennial.tasks.beyondbench.hard.cryptarithmetic.params import CryptarithmParams, Operation
from perennial.tasks.beyondbench.hard.cryptarithmetic.words import MAX_LENGTH, WORDS

# For sums and differences the size is the number of digits of both operands (of a difference: of minuend and
# subtrahend); for products and quotients that of both factors together.
SUM_SIZES = {"medium": (4, 5), "hard": (5, 6), "extreme": (6, 7)}
FACTORS = {"medium": (3, 2), "hard": (4, 2), "extreme": (3, 3)}
MIN_OVERLAP = 0.3  # of an extreme sum or difference: the share of letters that all three words have (eq. 171)
MIN_LETTERS = 4
# Words first: letters of both summands, or of the first factor, the second of which has three.
SUM_WORDS, FACTOR_WORDS = (4, 5, 6), (3, 4)
SECOND_FACTOR = 3
_TRIES = 200  # equations of words in a draw
_SUMS = ("addition", "subtraction")
VARIATIONS = {
    f"{operation}_{level}": SUM_SIZES[level] if operation in _SUMS else (sum(FACTORS[level]),)
    for operation in get_args(Operation)
    for level in SUM_SIZES
}
WORD_VARIATIONS = {
    f"{operation}_words": SUM_WORDS if operation in _SUMS else FACTOR_WORDS
    for operation in get_args(Operation)
}


def draw(variation: str, size: int, rng: random.Random) -> CryptarithmParams | None:
    """Return a cryptarithm with exactly one solution, None where the drawn equation has more."""
    operation, _, level = variation.partition("_")
    if variation in WORD_VARIATIONS:
        tried = (draw_words(operation, size, rng) for _ in range(_TRIES))
        return next((params for params in tried if params is not None), None)
    equation = _draw_equation(operation, level, size, rng)
    if not all(equation):
        return None
    numbers = [str(number) for number in equation]
    if operation in _SUMS and level == "extreme" and overlap(*numbers) < MIN_OVERLAP:
        return None
    digits = sorted(set("".join(numbers)))
    if len(digits) < MIN_LETTERS:
        return None
    letters = rng.sample(string.ascii_uppercase, len(digits))
    renaming = str.maketrans(dict(zip(digits, letters, strict=True)))
    first, second, result = (number.translate(renaming) for number in numbers)
    params = CryptarithmParams(operation, first, second, result)  # type: ignore[arg-type]
    return params if find_solutions(params).count == 1 else None


def draw_words(operation: str, size: int, rng: random.Random) -> CryptarithmParams | None:
    """Return the cryptarithm of three random words where it has exactly one solution, else None."""
    operands, results = word_choices(operation, size)
    one, other, made = (rng.choice(words) for words in (*operands, results))
    if len({one, other, made}) < 3 or len(set(one + other + made)) > 10:
        return None
    words = (one, other, made) if operation in ("addition", "multiplication") else (made, one, other)
    params = CryptarithmParams(operation, *words)  # type: ignore[arg-type]
    return params if find_solutions(params).count == 1 else None


def word_choices(
    operation: str, size: int
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]:
    """Return the words of both operands, and of what they make by addition or multiplication."""
    is_sum = operation in _SUMS
    shortest = size if is_sum else size + SECOND_FACTOR - 1
    lengths = range(shortest, min(shortest + 1, MAX_LENGTH) + 1)
    results = tuple(word for length in lengths for word in WORDS[length])
    return (WORDS[size], WORDS[size if is_sum else SECOND_FACTOR]), results


def _draw_equation(operation: str, level: str, size: int, rng: random.Random) -> tuple[int, int, int]:
    if operation in _SUMS:
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

    from perennial.tasks.beyondbench.hard.cryptarithmetic.kernel import count_solutions

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
