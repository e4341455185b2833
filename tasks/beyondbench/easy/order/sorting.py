"""Sorting a list in ascending order (F.5 of the paper)."""

import math

from perennial.tasks.beyondbench.easy.kinds import INTEGER_LIST
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import LARGEST, Values, list_tokens


def _insert(values: Values) -> list[int]:
    ordered: list[int] = []
    for value in values:
        place = sum(other <= value for other in ordered)
        ordered.insert(place, value)
    return ordered


def _tokens(variation: str, size: int) -> tuple[int, int]:
    """Return the estimates with a solution of a n log10 M + b n + g, a = 1, b = 3, g = 10."""
    digits = math.log10(2 * LARGEST[variation])
    return list_tokens(variation, size)[0], round(size * digits + 3 * size + 10)


TASK = list_task(
    __name__,
    "a list in ascending order",
    sorted,
    _insert,
    kind=INTEGER_LIST,
    tokens=_tokens,
    guess=lambda values, rng: rng.sample(values, len(values)),
)
