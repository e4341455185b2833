"""Lists of which the answer is drawn first, evenly: no count is right more often than another one.

Counts in lists that are drawn element by element gather round their mean: 27% of lists of eight hold four odd
numbers, and 49% have two local maxima.
"""

import random
from collections.abc import Callable, Sequence
from functools import cache

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.lists import ListParams, count_space, draw_distinct, shuffle_values


def plant(
    counted_of: Callable[[str], Sequence[int]], numbers_of: Callable[[str], range]
) -> tuple[Callable[[str, int, random.Random], ListParams], Callable[[str, int], Space]]:
    """Return how lists with repeats and 0 to k counted elements are drawn, and how many there are.

    Both functions take the variation: the counted numbers, and all that lists are drawn from.
    """

    @cache
    def split(variation: str) -> tuple[Sequence[int], Sequence[int]]:
        counted = counted_of(variation)
        known = frozenset(counted)
        return counted, [number for number in numbers_of(variation) if number not in known]

    def draw(variation: str, size: int, rng: random.Random) -> ListParams:
        counted, others = split(variation)
        planted = rng.randint(0, size)
        return shuffle_values(rng.choices(counted, k=planted) + rng.choices(others, k=size - planted), rng)

    def space(variation: str, size: int) -> Space:
        return count_space(len(numbers_of(variation)) ** size, "ordered lists, repeats allowed")

    return draw, space


def plant_distinct(
    counted: Sequence[int], others: Sequence[int], planted: int, size: int, rng: random.Random
) -> ListParams:
    """Return different integers, so many of them of `counted`."""
    return shuffle_values(rng.sample(counted, planted) + rng.sample(others, size - planted), rng)


def arrange(variation: str, is_up: Sequence[bool], rng: random.Random) -> ListParams:
    """Return different integers, of which each is above the one before it where the step between is up.

    The smallest is put in a random one of the places that may hold it, then the next smallest, and so on.
    """
    size = len(is_up) + 1
    smaller_neighbours = [0] * size  # that have no value yet
    for place, up in enumerate(is_up):
        smaller_neighbours[place + up] += 1
    free = [place for place in range(size) if not smaller_neighbours[place]]
    values = [0] * size
    for value in sorted(draw_distinct(variation, size, rng)):
        chosen = rng.randrange(len(free))
        free[chosen], free[-1] = free[-1], free[chosen]
        place = free.pop()
        values[place] = value
        for step, neighbour in ((place - 1, place - 1), (place, place + 1)):
            if 0 <= step < size - 1 and neighbour == step + is_up[step]:
                smaller_neighbours[neighbour] -= 1
                if not smaller_neighbours[neighbour]:
                    free.append(neighbour)
    return ListParams(tuple(values))
