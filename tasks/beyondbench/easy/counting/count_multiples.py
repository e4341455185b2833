"""Count of multiples of 2, 3 or 5, negative ones and 0 too (F.3 of the paper)."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import Field

from perennial.schemas.beyondbench.things import Answer, Space, one
from perennial.tasks.beyondbench.easy.kinds import INTEGER
from perennial.tasks.beyondbench.easy.lists import (
    LARGE,
    STANDARD,
    Integer,
    Values,
    count_space,
    guess_count,
    list_tokens,
    numbers_of,
    read_list,
)
from perennial.tasks.beyondbench.easy.planted import plant_distinct
from perennial.tasks.beyondbench.task import RIGHT, Task

DIVISORS = (2, 3, 5)
_DIVISOR = re.compile(r"^Count the multiples of ([0-9]{1,3}) in this list", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MultiplesParams:
    """A list of integers, and what the counted ones are multiples of."""

    values: Annotated[tuple[Integer, ...], Field(min_length=1, max_length=100)]
    divisor: Annotated[int, Field(strict=True, ge=2, le=100)]


def _count(values: Values, divisor: int) -> int:
    return sum(value % divisor == 0 for value in values)


def _count_by_digits(params: MultiplesParams) -> int:
    """Return the count by the rules of divisibility: the last digit, or the sum of digits for 3."""
    digits = [[int(digit) for digit in str(abs(value))] for value in params.values]
    if params.divisor == 3:
        return sum(sum(found) in range(0, 10 * len(found), 3) for found in digits)
    return sum(found[-1] in range(0, 10, params.divisor) for found in digits)


def _draw(variation: str, size: int, rng: random.Random) -> MultiplesParams:
    divisor = rng.choice(DIVISORS)
    drawn = plant_distinct(*_split(variation, divisor), rng.randint(0, size), size, rng)
    return MultiplesParams(drawn.values, divisor)


@cache
def _split(variation: str, divisor: int) -> tuple[list[int], list[int]]:
    """Return the multiples and the other numbers of the variation's range."""
    numbers = numbers_of(variation)
    return [n for n in numbers if n % divisor == 0], [n for n in numbers if n % divisor]


def _read(prompt: str) -> MultiplesParams:
    found = _DIVISOR.findall(prompt)
    if not found:
        raise ValueError("the prompt names no divisor")
    return MultiplesParams(read_list(prompt).values, int(found[-1]))


def _space(variation: str, size: int) -> Space:
    number = len(DIVISORS) * math.perm(len(numbers_of(variation)), size)
    return count_space(number, "ordered lists of different integers, times three divisors")


def _near_misses(
    params: MultiplesParams, answer: Answer, _rng: random.Random
) -> Iterator[tuple[str, Answer]]:
    for divisor in range(2, 8):
        if (near := _count(params.values, divisor)) != answer:
            yield f"multiples of {divisor}", near


TASK = Task(
    name="count_multiples",
    suite="easy",
    title="how many elements are multiples of 2, 3 or 5",
    params=MultiplesParams,
    variations=(STANDARD, LARGE),
    template="beyondbench/easy/counting/count_multiples.md.j2",
    draw=_draw,
    solve=lambda params: one(_count(params.values, params.divisor)),
    verify=lambda params, answer: INTEGER.grade(_count(params.values, params.divisor), answer),
    check=lambda params, answer: INTEGER.grade(_count_by_digits(params), answer) == RIGHT,
    form=lambda _params: INTEGER.form,
    words=lambda params: {"values": list(params.values), "divisor": params.divisor},
    read=_read,
    guess=lambda params, rng: guess_count(params.values, rng),
    tokens=list_tokens,
    space=_space,
    mutate=_near_misses,
)
