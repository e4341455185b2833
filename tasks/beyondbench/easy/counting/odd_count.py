"""Count of odd elements, negative ones too (F.3 of the paper)."""

import random

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import ListParams, guess_count, numbers_of
from perennial.tasks.beyondbench.easy.planted import plant_distinct


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    numbers = numbers_of(variation)  # begins with an even one
    return plant_distinct(numbers[1::2], numbers[0::2], rng.randint(0, size), size, rng)


TASK = list_task(
    __name__,
    "how many elements are odd",
    lambda values: sum(value % 2 for value in values),
    lambda values: len(values) - sum(not value & 1 for value in values),
    draw=_draw,
    guess=guess_count,
)
