"""Length of the longest strictly increasing subsequence (F.6.4 of the paper)."""

from bisect import bisect_left

from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import Values


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


TASK = list_task(
    __name__,
    "the length of the longest increasing subsequence",
    _lay_piles,
    _extend_each,
    guess=lambda values, rng: rng.randint(1, len(values)),
)
