"""Alternating sum of a list: x1 - x2 + x3 - .. (F.2 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values


def _alternate(values: Values) -> int:
    return sum(value if place % 2 == 0 else -value for place, value in enumerate(values))


TASK = list_task(
    __name__, "the alternating sum of a list", _alternate, lambda values: sum(values[::2]) - sum(values[1::2])
)
