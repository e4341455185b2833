"""Length of the longest strictly increasing subsequence, each length as often (F.6.4 of the paper)."""

import random
from bisect import bisect_left

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import ListParams, Values, draw_distinct
from perennial.tasks.beyondbench.easy.order.tableaux import draw_order


def _lay_piles(values: Values) -> int:
    """Return the number of piles of patience sorting, in n log n."""
    tops: list[int] = []
    for value in values:
        place = bisect_left(tops, value)
        tops[place : place + 1] = [value]
    return len(tops)


def _extend_each(values: Values) -> int:
    """Return the longest by the longest that ends at each element, in n squared."""
    longest: list[int] = []
    for place, value in enumerate(values):
        ends = (longest[before] for before in range(place) if values[before] < value)
        longest.append(1 + max(ends, default=0))
    return max(longest)


def _draw(variation: str, size: int, rng: random.Random) -> ListParams:
    order = draw_order(size, rng.randint(1, size), rng)
    values = sorted(draw_distinct(variation, size, rng))
    return ListParams(tuple(values[place] for place in order))


TASK = list_task(
    __name__,
    "the length of the longest increasing subsequence",
    _lay_piles,
    _extend_each,
    draw=_draw,
    guess=lambda values, rng: rng.randint(1, len(values)),
)
