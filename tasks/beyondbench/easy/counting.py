"""Tasks that count elements."""

import math
import random
import re
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle, pairwise
from math import comb, isqrt
from typing import Annotated

from pydantic import Field

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.lists import (
    LARGEST,
    Integer,
    ListParams,
    Values,
    arrange,
    count_space,
    draw_distinct,
    easy_task,
    guess_count,
    numbers_of,
    plant,
    plant_distinct,
    read_list,
    shuffle_values,
)

# Count of elements that are greater than the one before them (F.6.2 of the paper).


def _draw_count_greater_than_previous(variation: str, size: int, rng: random.Random) -> ListParams:
    ups = rng.randint(0, size - 1)
    return arrange(variation, rng.sample([True] * ups + [False] * (size - 1 - ups), size - 1), rng)


COUNT_GREATER_THAN_PREVIOUS = easy_task(
    "counting/count_greater_than_previous",
    "how many elements are greater than the one before",
    lambda values: sum(values[index] > values[index - 1] for index in range(1, len(values))),
    lambda values: len(values) - 1 - sum(after <= before for before, after in pairwise(values)),
    draw=_draw_count_greater_than_previous,
    guess=guess_count,
)


# Count of multiples of 2, 3 or 5, negative ones and 0 too (F.3 of the paper).
DIVISORS = (2, 3, 5)
_DIVISOR = re.compile(r"^Count the multiples of ([0-9]{1,3}) in this list", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MultiplesParams:
    """A list of integers, and what the counted ones are multiples of."""

    values: Annotated[tuple[Integer, ...], Field(min_length=1, max_length=100)]
    divisor: Annotated[int, Field(strict=True, ge=2, le=100)]


def _count(values: Values, divisor: int) -> int:
    return sum(value % divisor == 0 for value in values)


def _count_by_digits(values: Values, divisor: int) -> int:
    """The count by the rules of divisibility: the last digit, or the sum of digits for 3."""
    listed = [[int(digit) for digit in str(abs(value))] for value in values]
    if divisor == 3:
        return sum(sum(digits) in range(0, 10 * len(digits), 3) for digits in listed)
    return sum(digits[-1] in range(0, 10, divisor) for digits in listed)


def _draw(variation: str, size: int, rng: random.Random) -> MultiplesParams:
    divisor = rng.choice(DIVISORS)
    drawn = plant_distinct(*_split(variation, divisor), rng.randint(0, size), size, rng)
    return MultiplesParams(drawn.values, divisor)


@cache
def _split(variation: str, divisor: int) -> tuple[list[int], list[int]]:
    """The multiples and the other numbers of the variation's range."""
    numbers = numbers_of(variation)
    return [n for n in numbers if n % divisor == 0], [n for n in numbers if n % divisor]


def _read(prompt: str) -> MultiplesParams:
    divisors = _DIVISOR.findall(prompt)
    if not divisors:
        raise ValueError("the prompt names no divisor")
    return MultiplesParams(read_list(prompt).values, int(divisors[-1]))


def _space(variation: str, size: int) -> Space:
    number = len(DIVISORS) * math.perm(len(numbers_of(variation)), size)
    return count_space(number, "ordered lists of different integers, times three divisors")


COUNT_MULTIPLES = easy_task(
    "counting/count_multiples",
    "how many elements are multiples of 2, 3 or 5",
    _count,
    _count_by_digits,
    params=MultiplesParams,
    arguments=lambda params: (params.values, params.divisor),
    words=lambda params: {"values": list(params.values), "divisor": params.divisor},
    read=_read,
    draw=_draw,
    space=_space,
    guess=guess_count,
    near=lambda params: ((f"multiples of {other}", (params.values, other)) for other in range(2, 8)),
)


# Count of negative elements, in lists of both signs (F.3 of the paper).


def _draw_count_negative(variation: str, size: int, rng: random.Random) -> ListParams | None:
    largest = LARGEST[variation]
    params = plant_distinct(range(-largest, 0), range(largest + 1), rng.randint(1, size - 1), size, rng)
    return params if max(params.values) else None


def _space_count_negative(variation: str, size: int) -> Space:
    """How many lists of this size can be drawn: all but those of one sign."""
    of_one_sign = 2 * math.perm(LARGEST[variation] + 1, size)
    return count_space(
        math.perm(len(numbers_of(variation)), size) - of_one_sign,
        "ordered lists of different integers, both signs",
    )


COUNT_NEGATIVE = easy_task(
    "counting/count_negative",
    "how many elements are negative",
    lambda values: sum(value < 0 for value in values),
    lambda values: sorted([*values, 0]).index(0),
    draw=_draw_count_negative,
    space=_space_count_negative,
    guess=guess_count,
)


# Count of palindromic numbers, repeats counted each time (F.3 of the paper).


def _count_reversed(values: Values) -> int:
    """The count of values that equal the number with their digits reversed."""
    count = 0
    for value in values:
        rest, backwards = value, 0
        while rest > 0:
            rest, digit = divmod(rest, 10)
            backwards = 10 * backwards + digit
        count += backwards == value
    return count


def find_palindromes(largest: int) -> list[int]:
    """All palindromes up to a number: each half with its mirror image, of even and of odd length."""
    halves = map(str, range(10 ** ((len(str(largest)) + 1) // 2)))
    palindromes = {
        int(half + half[end::-1]) for half in halves for end in (len(half) - 1, len(half) - 2) if end >= 0
    }
    return sorted(value for value in palindromes | set(range(10)) if value <= largest)


_DRAW, _SPACE = plant(
    lambda variation: find_palindromes(LARGEST[variation]), lambda variation: range(LARGEST[variation] + 1)
)
COUNT_PALINDROMIC = easy_task(
    "counting/count_palindromic",
    "how many elements are palindromes",
    lambda values: sum(str(value) == str(value)[::-1] for value in values),
    _count_reversed,
    draw=_DRAW,
    space=_SPACE,
    guess=guess_count,
)


# Count of perfect squares, 0 among them, repeats counted each time (F.3 of the paper).


def _count_by_odd_sums(values: Values) -> int:
    """The count of values that are a sum 1 + 3 + 5 + .. of odd numbers."""
    count = 0
    for value in values:
        rest, odd = value, 1
        while rest > 0:
            rest, odd = rest - odd, odd + 2
        count += rest == 0
    return count


_DRAW_COUNT_PERFECT_SQUARES, _SPACE_COUNT_PERFECT_SQUARES = plant(
    lambda variation: [root**2 for root in range(isqrt(LARGEST[variation]) + 1)], numbers_of
)
COUNT_PERFECT_SQUARES = easy_task(
    "counting/count_perfect_squares",
    "how many elements are perfect squares",
    lambda values: sum(value >= 0 and isqrt(value) ** 2 == value for value in values),
    _count_by_odd_sums,
    draw=_DRAW_COUNT_PERFECT_SQUARES,
    space=_SPACE_COUNT_PERFECT_SQUARES,
    guess=guess_count,
)


# Count of distinct elements, of which lists have one to all (F.3 of the paper).


def _draw_count_unique(variation: str, size: int, rng: random.Random) -> ListParams:
    distinct = draw_distinct(variation, rng.randint(1, size), rng)
    return shuffle_values(distinct + rng.choices(distinct, k=size - len(distinct)), rng)


def _count_steps(values: Values) -> int:
    """One more than the number of steps in the sorted list."""
    ordered = sorted(values)
    return 1 + sum(first != second for first, second in pairwise(ordered))


COUNT_UNIQUE = easy_task(
    "counting/count_unique",
    "how many distinct elements a list has",
    lambda values: len(set(values)),
    _count_steps,
    draw=_draw_count_unique,
    space=lambda variation, size: count_space(
        len(numbers_of(variation)) ** size, "ordered lists, repeats allowed"
    ),
    guess=guess_count,
)


# Counts of even and of odd elements, negative ones and 0 too (F.3 of the paper).


def _draw_parity(remainder: int, variation: str, size: int, rng: random.Random) -> ListParams:
    numbers = numbers_of(variation)  # begins with an even one
    return plant_distinct(numbers[remainder::2], numbers[1 - remainder :: 2], rng.randint(0, size), size, rng)


EVEN_COUNT = easy_task(
    "counting/even_count",
    "how many elements are even",
    lambda values: sum(value % 2 == 0 for value in values),
    lambda values: len(values) - sum(value & 1 for value in values),
    draw=partial(_draw_parity, 0),
    guess=guess_count,
)

ODD_COUNT = easy_task(
    "counting/odd_count",
    "how many elements are odd",
    lambda values: sum(value % 2 for value in values),
    lambda values: len(values) - sum(not value & 1 for value in values),
    draw=partial(_draw_parity, 1),
    guess=guess_count,
)


# Count of elements within a list that are greater than both neighbours (F.6.3 of the paper).


def _count_peaks(values: Values) -> int:
    triples = zip(values, values[1:], values[2:], strict=False)
    return sum(before < value > after for before, value, after in triples)


def _count_turns(values: Values) -> int:
    steps = [after - before for before, after in pairwise(values)]
    return sum(step > 0 > following for step, following in pairwise(steps))


def _draw_local_maxima_count(variation: str, size: int, rng: random.Random) -> ListParams:
    """A list with 0 to (k - 1) / 2 local maxima, by its runs of steps up and of steps down."""
    peaks = rng.randint(0, (size - 1) // 2)
    # A run up and one down for each, perhaps a run down before them and one up behind.
    ends = [(first, last) for first in (0, 1) for last in (0, 1) if 1 <= 2 * peaks + first + last < size]
    ways = [comb(size - 2, 2 * peaks + first + last - 1) for first, last in ends]
    ((first, last),) = rng.choices(ends, ways)
    cuts = sorted(rng.sample(range(1, size - 1), 2 * peaks + first + last - 1))
    steps: list[bool] = []
    for up, (start, end) in zip(
        cycle((not first, bool(first))), pairwise((0, *cuts, size - 1)), strict=False
    ):
        steps += [up] * (end - start)
    return arrange(variation, steps, rng)


LOCAL_MAXIMA_COUNT = easy_task(
    "counting/local_maxima_count",
    "how many local maxima a list has",
    _count_peaks,
    _count_turns,
    draw=_draw_local_maxima_count,
    guess=guess_count,
)
