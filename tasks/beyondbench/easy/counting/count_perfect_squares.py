"""Count of perfect squares, 0 among them, repeats counted each time (F.3 of the paper)."""

from math import isqrt

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import LARGEST, Values, guess_count, numbers_of
from perennial.tasks.beyondbench.easy.planted import plant


def is_square(value: int) -> bool:
    """Whether the value is the square of an integer."""
    return value >= 0 and isqrt(value) ** 2 == value


def _count_by_odd_sums(values: Values) -> int:
    """Return the count of values that are a sum 1 + 3 + 5 + .. of odd numbers."""
    count = 0
    for value in values:
        rest, odd = value, 1
        while rest > 0:
            rest, odd = rest - odd, odd + 2
        count += rest == 0
    return count


_DRAW, _SPACE = plant(
    lambda variation: [root**2 for root in range(isqrt(LARGEST[variation]) + 1)], numbers_of
)
TASK = list_task(
    __name__,
    "how many elements are perfect squares",
    lambda values: sum(map(is_square, values)),
    _count_by_odd_sums,
    draw=_DRAW,
    space=_SPACE,
    guess=guess_count,
)
