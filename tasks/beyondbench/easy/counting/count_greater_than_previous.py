"""Count of elements that are greater than the one before them (F.6.2 of the paper)."""

import random
from itertools import pairwise

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import ListParams, Values, guess_count
from perennial.tasks.beyondbench.easy.planted import arrange


def _subtract_descents(values: Values) -> int:
    return len(values) - 1 - sum(after <= before for before, after in pairwise(values))


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    ups = rng.randint(0, size - 1)
    return arrange(variation, rng.sample([True] * ups + [False] * (size - 1 - ups), size - 1), rng)


TASK = list_task(
    __name__,
    "how many elements are greater than the one before",
    lambda values: sum(values[place] > values[place - 1] for place in range(1, len(values))),
    _subtract_descents,
    draw=_draw,
    guess=guess_count,
)
