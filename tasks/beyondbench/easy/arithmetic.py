"""Tasks that compute a number from all elements."""

import math
import random
from collections.abc import Iterable
from fractions import Fraction

from perennial.tasks.beyondbench.easy.lists import (
    LARGEST_OF_PAIR,
    PAIRS,
    ListParams,
    PairParams,
    Values,
    count_space,
    decimal,
    draw_pair,
    easy_task,
)
from perennial.tasks.beyondbench.problem import Variation

# Absolute difference of a pair (F.2 of the paper).
ABSOLUTE_DIFFERENCE = easy_task(
    "arithmetic/absolute_difference",
    "the absolute difference of two numbers",
    lambda first, second: abs(second - first),
    lambda first, second: max(first, second) - min(first, second),
    PAIRS,
)


# Addition: the sum of a list (F.2 of the paper).


ADDITION = easy_task(
    "arithmetic/addition",
    "the sum of a list",
    sum,
    lambda values: sum(value for value in values if value > 0) - sum(-value for value in values if value < 0),
)


# Alternating sum of a list: x1 - x2 + x3 - .. (F.2 of the paper).

ALTERNATING_SUM = easy_task(
    "arithmetic/alternating_sum",
    "the alternating sum of a list",
    lambda values: sum(value if index % 2 == 0 else -value for index, value in enumerate(values)),
    lambda values: sum(values[::2]) - sum(values[1::2]),
)


# Division: the quotient of a pair, within 0.01 (F.2 of the paper).


def _draw_division(variation: str, size: int, rng: random.Random) -> PairParams | None:
    """Two integers, the second not 0; quotients below 0.1 are drawn again."""
    pair = draw_pair(variation, size, rng)
    return pair if pair.second and 10 * abs(pair.first) >= abs(pair.second) else None


def count_pairs(largest: int) -> int:
    """The number of pairs up to a multiple of 10 whose quotient is at least 0.1 in size.

    Of the 2 n + 1 dividends of a divisor b, the 2 ceil(b / 10) - 1 smallest are left out.
    """
    tens = largest // 10
    return 2 * (largest * (2 * largest + 1) - (10 * tens * (tens + 1) - largest))


def _divide_by_hand(first: int, second: int) -> Fraction:
    """The quotient by long division, to 12 places."""
    digits, rest = divmod(abs(first), abs(second))
    for _ in range(12):
        digit, rest = divmod(10 * rest, abs(second))
        digits = 10 * digits + digit
    return Fraction(digits if (first < 0) == (second < 0) else -digits, 10**12)


DIVISION = easy_task(
    "arithmetic/division",
    "the quotient of two numbers",
    Fraction,
    _divide_by_hand,
    PAIRS,
    draw=_draw_division,
    space=lambda _variation, _size: count_space(
        count_pairs(LARGEST_OF_PAIR), "ordered pairs with a quotient of at least 0.1 in size"
    ),
    guess=lambda _params, rng: round(rng.uniform(-10, 10), 2),
    kind=decimal(Fraction(1, 100)),
)


# Multiplication: the product of a list, below 1e15 (F.2 of the paper).
LARGEST_PRODUCT = 10**15 - 1


def largest_factor(size: int) -> int:
    """The largest number whose power of this exponent is below 1e15."""
    root = int(LARGEST_PRODUCT ** (1 / size)) + 2
    while root**size > LARGEST_PRODUCT:
        root -= 1
    return root


def _draw(_variation: str, size: int, rng: random.Random) -> ListParams:
    """So many integers with repeats, without zero, which would make the product 0."""
    bound = largest_factor(size)
    return ListParams(tuple(rng.choice((-1, 1)) * rng.randint(1, bound) for _ in range(size)))


def _add_repeatedly(values: Values) -> int:
    """The product by doubling and adding (the peasants' algorithm)."""
    product = 1
    for value in values:
        product = sum(_doublings(product, abs(value))) * (-1 if value < 0 else 1)
    return product


def _doublings(term: int, times: int) -> Iterable[int]:
    while times:
        if times & 1:
            yield term
        term, times = term + term, times >> 1


MULTIPLICATION = easy_task(
    "arithmetic/multiplication",
    "the product of a list",
    math.prod,
    _add_repeatedly,
    draw=_draw,
    space=lambda _variation, size: count_space(
        (2 * largest_factor(size)) ** size, "lists of non-zero integers, repeats allowed"
    ),
    variations=(Variation("standard", (2, 4, 6, 8)),),
    tokens=lambda _variation, size: (60 + 10 * size, 24),
    guess=lambda _params, rng: rng.randint(-LARGEST_PRODUCT, LARGEST_PRODUCT),
)


# Subtraction: the first number of a pair from the second (F.2 of the paper).
SUBTRACTION = easy_task(
    "arithmetic/subtraction",
    "the first number subtracted from the second",
    lambda first, second: second - first,
    lambda first, second: second + ~first + 1,  # by the complement, in which -n is ~n + 1
    PAIRS,
)


# Sum of the digits of all elements, signs aside (F.2 of the paper).


def _add_remainders(values: Values) -> int:
    total = 0
    for value in values:
        rest = abs(value)
        while rest:
            rest, digit = divmod(rest, 10)
            total += digit
    return total


SUM_OF_DIGITS = easy_task(
    "arithmetic/sum_of_digits",
    "the sum of all digits of a list",
    lambda values: sum(int(digit) for value in values for digit in str(abs(value))),
    _add_remainders,
)
