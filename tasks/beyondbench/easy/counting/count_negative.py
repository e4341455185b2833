"""Count of negative elements, in lists of both signs (F.3 of the paper)."""

import math
import random

from schemas.beyondbench.things import Space
from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import CHOICES, HIGH, ListParams, count_space, draw_list, guess_count


def _draw(variation: str, size: int, rng: random.Random) -> ListParams | None:
    params = draw_list(variation, size, rng)
    return params if min(params.values) < 0 < max(params.values) else None


def _space(_variation: str, size: int) -> Space:
    of_one_sign = 2 * math.perm(HIGH + 1, size)
    return count_space(
        math.perm(CHOICES, size) - of_one_sign, "ordered lists of different integers, both signs"
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
