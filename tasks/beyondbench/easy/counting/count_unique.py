"""Count of distinct elements, of which lists have one to all (F.3 of the paper)."""

import random
from itertools import pairwise

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import (
    ListParams,
    Values,
    count_space,
    draw_distinct,
    guess_count,
    numbers_of,
    shuffle_values,
)


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    distinct = draw_distinct(variation, rng.randint(1, size), rng)
    return shuffle_values(distinct + rng.choices(distinct, k=size - len(distinct)), rng)


def _space(variation: str, size: int) -> Space:
    return count_space(len(numbers_of(variation)) ** size, "ordered lists, repeats allowed")


def _count_steps(values: Values) -> int:
    """Return one more than the number of steps in the sorted list."""
    ordered = sorted(values)
    return 1 + sum(first != second for first, second in pairwise(ordered))


TASK = list_task(
    __name__,
    "how many distinct elements a list has",
    lambda values: len(set(values)),
    _count_steps,
    draw=_draw,
    space=_space,
    guess=guess_count,
)
