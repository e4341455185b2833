"""Count of distinct elements, in lists where a quarter to all of them are distinct (F.3 of the paper)."""

import math
import random
from itertools import pairwise

from schemas.beyondbench.things import Space
from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import (
    CHOICES,
    ListParams,
    Values,
    count_space,
    draw_distinct,
    guess_count,
    shuffled,
)

QUARTERS = (1, 2, 3, 4)  # of the elements are distinct


def _draw(_variation: str, size: int, rng: random.Random) -> ListParams:
    distinct = draw_distinct(rng.choice(QUARTERS) * size // 4, rng)
    return shuffled(distinct + rng.choices(distinct, k=size - len(distinct)), rng)


def count_lists(size: int, distinct: int, choices: int) -> int:
    """Return the number of lists of a size with so many distinct elements, by inclusion and exclusion."""
    onto = 0  # lists of these elements with each of them
    for left_out in range(distinct + 1):
        lists: int = math.comb(distinct, left_out) * (distinct - left_out) ** size
        onto += -lists if left_out % 2 else lists
    return math.comb(choices, distinct) * onto


def _space(_variation: str, size: int) -> Space:
    numbers = (count_lists(size, quarters * size // 4, CHOICES) for quarters in QUARTERS)
    return count_space(sum(numbers), "lists with 1/4, 2/4, 3/4 or all of their elements distinct")


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
