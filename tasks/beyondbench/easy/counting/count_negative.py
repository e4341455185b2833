"""Count of negative elements, in lists of both signs (F.3 of the paper)."""

import math
import random

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import LARGEST, ListParams, count_space, guess_count, numbers_of
from perennial.tasks.beyondbench.easy.planted import plant_distinct


def _draw(variation: str, size: int, rng: random.Random) -> ListParams | None:
    largest = LARGEST[variation]
    params = plant_distinct(range(-largest, 0), range(largest + 1), rng.randint(1, size - 1), size, rng)
    return params if max(params.values) else None


def _space(variation: str, size: int) -> Space:
    of_one_sign = 2 * math.perm(LARGEST[variation] + 1, size)
    return count_space(
        math.perm(len(numbers_of(variation)), size) - of_one_sign,
        "ordered lists of different integers, both signs",
    )


TASK = list_task(
    __name__,
    "how many elements are negative",
    lambda values: sum(value < 0 for value in values),
    lambda values: sorted([*values, 0]).index(0),
    draw=_draw,
    space=_space,
    guess=guess_count,
)
