"""Tasks about the largest, the smallest and differences."""

import math
import random
from itertools import pairwise, permutations

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.lists import (
    ListParams,
    Values,
    count_space,
    draw_distinct,
    guess_count,
    list_task,
    numbers_of,
    shuffle_values,
)

# The largest element (F.5 of the paper).
FIND_MAXIMUM = list_task(
    "extremes/find_maximum", "the largest element", max, lambda values: sorted(values)[-1]
)


# The smallest element (F.5 of the paper).
FIND_MINIMUM = list_task(
    "extremes/find_minimum", "the smallest element", min, lambda values: sorted(values)[0]
)


# The index, from 0, of the first largest element (F.5.5 of the paper).


def _step_through_index_of_maximum(values: Values) -> int:
    best = 0
    for index, value in enumerate(values):
        if value > values[best]:
            best = index
    return best


INDEX_OF_MAXIMUM = list_task(
    "extremes/index_of_maximum",
    "the index of the largest element",
    lambda values: values.index(max(values)),
    _step_through_index_of_maximum,
    guess=guess_count,
)


# The largest absolute difference of neighbours (F.6.1 of the paper).
MAX_ADJACENT_DIFFERENCE = list_task(
    "extremes/max_adjacent_difference",
    "the largest absolute difference of neighbours",
    lambda values: max(abs(after - before) for before, after in pairwise(values)),
    lambda values: max(max(two) - min(two) for two in zip(values[1:], values[:-1], strict=True)),
)


# Range: the largest element minus the smallest (F.5 of the paper).
RANGE = list_task(
    "extremes/range",
    "the largest element minus the smallest",
    lambda values: max(values) - min(values),
    lambda values: max(first - second for first, second in permutations(values, 2)),
)


# The largest element below the maximum (F.5 of the paper).


def _below_maximum(values: Values) -> int:
    largest = max(values)
    return max(value for value in values if value < largest)


SECOND_MAXIMUM = list_task(
    "extremes/second_maximum",
    "the second largest element",
    _below_maximum,
    lambda values: sorted(set(values))[-2],
)


# The sum of the indices, from 0, where the largest element stands, one to three times (F.5.6 of the paper).
#
# The paper's equation 32 counts from 1 and its prompt from 0; the prompt is what a player sees.
TIMES = (1, 2, 3)


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    times = rng.choice(TIMES)
    values = draw_distinct(variation, size - times + 1, rng)
    return shuffle_values(values + [max(values)] * (times - 1), rng)


def count_lists(size: int, times: int, choices: int) -> int:
    """The number of lists with the largest element so many times and all others once.

    The distinct elements, the places of the largest, the order of the others.
    """
    return math.comb(choices, size - times + 1) * math.comb(size, times) * math.factorial(size - times)


def _space(variation: str, size: int) -> Space:
    choices = len(numbers_of(variation))
    numbers = (count_lists(size, times, choices) for times in TIMES)
    return count_space(sum(numbers), "lists with the largest element one to three times, all others once")


def _add_places(values: Values) -> int:
    largest = max(values)
    return sum(index for index, value in enumerate(values) if value == largest)


def _step_through(values: Values) -> int:
    best, total = values[0], 0
    for index, value in enumerate(values):
        if value > best:
            best, total = value, index
        elif value == best:
            total += index
    return total


SUM_OF_MAX_INDICES = list_task(
    "extremes/sum_of_max_indices",
    "the sum of the indices of the largest element",
    _add_places,
    _step_through,
    draw=_draw,
    space=_space,
    guess=lambda values, rng: rng.randint(0, 3 * len(values)),
)
