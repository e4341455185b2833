"""The sum of the indices, from 0, where the largest element stands, one to three times (F.5.6 of the paper).

The paper's equation 32 counts from 1 and its prompt from 0; the prompt is what a player sees.
"""

import math
import random

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import (
    ListParams,
    Values,
    count_space,
    draw_distinct,
    numbers_of,
    shuffle_values,
)

TIMES = (1, 2, 3)


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    times = rng.choice(TIMES)
    values = draw_distinct(variation, size - times + 1, rng)
    return shuffle_values(values + [max(values)] * (times - 1), rng)


def count_lists(size: int, times: int, choices: int) -> int:
    """Return the number of lists with the largest element so many times and all others once.

    The distinct elements, the places of the largest, the order of the others.
    """
    return math.comb(choices, size - times + 1) * math.comb(size, times) * math.factorial(size - times)


def _space(variation: str, size: int) -> Space:
    choices = len(numbers_of(variation))
    numbers = (count_lists(size, times, choices) for times in TIMES)
    return count_space(sum(numbers), "lists with the largest element one to three times, all others once")


def _add_places(values: Values) -> int:
    largest = max(values)
    return sum(place for place, value in enumerate(values) if value == largest)


def _step_through(values: Values) -> int:
    best, total = values[0], 0
    for place, value in enumerate(values):
        if value > best:
            best, total = value, place
        elif value == best:
            total += place
    return total


TASK = list_task(
    __name__,
    "the sum of the indices of the largest element",
    _add_places,
    _step_through,
    draw=_draw,
    space=_space,
    guess=lambda values, rng: rng.randint(0, 3 * len(values)),
)
