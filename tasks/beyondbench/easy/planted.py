"""Lists with repeats, in which a part of the elements has what the task counts."""

import math
import random
from collections.abc import Callable, Sequence

from schemas.beyondbench.things import Space
from tasks.beyondbench.easy.lists import ListParams, count_space, shuffled


def plant(
    counted: Sequence[int], others: Sequence[int]
) -> tuple[Callable[[str, int, random.Random], ListParams], Callable[[str, int], Space]]:
    """Return how lists with 1 to k / 2 elements of `counted` are drawn, and how many there are."""

    def draw(_variation: str, size: int, rng: random.Random) -> ListParams:
        planted = rng.randint(1, size // 2)
        return shuffled(rng.choices(counted, k=planted) + rng.choices(others, k=size - planted), rng)

    def space(_variation: str, size: int) -> Space:
        numbers = (
            math.comb(size, planted) * len(counted) ** planted * len(others) ** (size - planted)
            for planted in range(1, size // 2 + 1)
        )
        return count_space(sum(numbers), "lists with 1 to k / 2 planted elements, repeats allowed")

    return draw, space
