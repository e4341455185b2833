"""Modes of a list: all elements that appear most often, at least twice (F.7.3 of the paper)."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.kinds import INTEGER_SET
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import (
    ListParams,
    Values,
    count_space,
    draw_distinct,
    numbers_of,
    shuffle_values,
)

MOST_OFTEN, MOST_MODES = 4, 3


@cache
def patterns(size: int) -> list[tuple[int, int, int]]:
    """Return what may be drawn: how often the modes appear, how many they are, how many appear once less.

    All other elements appear once.
    """
    return [
        (times, modes, runners_up)
        for times in range(2, min(MOST_OFTEN, size // 2) + 1)
        for modes in range(1, MOST_MODES + 1)
        for runners_up in range(3 if times > 2 else 1)
        if times * modes + (times - 1) * runners_up <= size
    ]


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    times, modes, runners_up = rng.choice(patterns(size))
    single = size - times * modes - (times - 1) * runners_up
    values = draw_distinct(variation, modes + runners_up + single, rng)
    repeated = values[:modes] * (times - 1) + values[modes : modes + runners_up] * (times - 2)
    return shuffle_values(values + repeated, rng)


def count_lists(size: int, choices: int) -> Iterator[int]:
    """Yield the number of lists of each pattern: orders of a multiset, times choices of its elements."""
    for times, modes, runners_up in patterns(size):
        single = size - times * modes - (times - 1) * runners_up
        repeats = math.factorial(times) ** modes * math.factorial(times - 1) ** runners_up
        alike = math.factorial(modes) * math.factorial(runners_up) * math.factorial(single)
        yield math.factorial(size) // repeats * math.perm(choices, modes + runners_up + single) // alike


def _space(variation: str, size: int) -> Space:
    return count_space(sum(count_lists(size, len(numbers_of(variation)))), "lists of each pattern of repeats")


def _find_modes(values: Values) -> list[int]:
    counts = Counter(values)
    most = max(counts.values())
    return sorted(value for value, count in counts.items() if count == most)


def _measure_runs(values: Values) -> list[int]:
    """Return the values of the longest runs in the sorted list."""
    ordered = sorted(values)
    longest, found, start = 0, [0], 0
    for place, value in enumerate(ordered):
        start = start if ordered[start] == value else place
        length = place - start + 1
        if length > longest:
            longest, found = length, [value]
        elif length == longest:
            found.append(value)
    return found


TASK = list_task(
    __name__,
    "all modes of a list",
    _find_modes,
    _measure_runs,
    kind=INTEGER_SET,
    draw=_draw,
    space=_space,
    guess=lambda values, rng: [rng.choice(values)],
)
