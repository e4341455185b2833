"""Multiplication: the product of a list, below 1e15 (F.2 of the paper)."""

import math
import random
from collections.abc import Iterable

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import ListParams, Values, count_space
from perennial.tasks.beyondbench.task import Variation

LARGEST_PRODUCT = 10**15 - 1


def largest_factor(size: int) -> int:
    """Return the largest number whose power of this exponent is below 1e15."""
    root = int(LARGEST_PRODUCT ** (1 / size)) + 2
    while root**size > LARGEST_PRODUCT:
        root -= 1
    return root


def _draw(_variation: str, size: int, rng: random.Random) -> ListParams:
    """Return so many integers with repeats, without zero, which would make the product 0."""
    bound = largest_factor(size)
    return ListParams(tuple(rng.choice((-1, 1)) * rng.randint(1, bound) for _ in range(size)))


def _space(_variation: str, size: int) -> Space:
    return count_space((2 * largest_factor(size)) ** size, "lists of non-zero integers, repeats allowed")


def _add_repeatedly(values: Values) -> int:
    """Return the product by doubling and adding (the peasants' algorithm)."""
    product = 1
    for value in values:
        product = sum(_doublings(product, abs(value))) * (-1 if value < 0 else 1)
    return product


def _doublings(term: int, times: int) -> Iterable[int]:
    while times:
        if times & 1:
            yield term
        term, times = term + term, times >> 1


TASK = list_task(
    __name__,
    "the product of a list",
    math.prod,
    _add_repeatedly,
    draw=_draw,
    space=_space,
    variations=(Variation("standard", (2, 4, 6, 8)),),
    tokens=lambda _variation, size: (60 + 10 * size, 24),
    guess=lambda _values, rng: rng.randint(-LARGEST_PRODUCT, LARGEST_PRODUCT),
)
