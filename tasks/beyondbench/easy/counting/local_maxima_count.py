"""Count of elements within a list that are greater than both neighbours (F.6.3 of the paper)."""

import random
from itertools import cycle, pairwise
from math import comb

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import ListParams, Values, guess_count
from perennial.tasks.beyondbench.easy.planted import arrange


def _count_peaks(values: Values) -> int:
    triples = zip(values, values[1:], values[2:], strict=False)
    return sum(before < value > after for before, value, after in triples)


def _count_turns(values: Values) -> int:
    """Return how often a step up is followed by a step down."""
    steps = [after - before for before, after in pairwise(values)]
    return sum(step > 0 > following for step, following in pairwise(steps))


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    """Return a list with 0 to (k - 1) / 2 local maxima, by its runs of steps up and of steps down."""
    peaks = rng.randint(0, (size - 1) // 2)
    # A run up and one down for each, perhaps a run down before them and one up behind.
    ends = [(first, last) for first in (0, 1) for last in (0, 1) if 1 <= 2 * peaks + first + last < size]
    ways = [comb(size - 2, 2 * peaks + first + last - 1) for first, last in ends]
    ((first, last),) = rng.choices(ends, ways)
    cuts = sorted(rng.sample(range(1, size - 1), 2 * peaks + first + last - 1))
    steps: list[bool] = []
    for up, (start, end) in zip(
        cycle((not first, bool(first))), pairwise((0, *cuts, size - 1)), strict=False
    ):
        steps += [up] * (end - start)
    return arrange(variation, steps, rng)


TASK = list_task(
    __name__,
    "how many local maxima a list has",
    _count_peaks,
    _count_turns,
    draw=_draw,
    guess=guess_count,
)
