"""The largest element below the maximum (F.5 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values


def _below_maximum(values: Values) -> int:
    largest = max(values)
    return max(value for value in values if value < largest)


TASK = list_task(
    __name__, "the second largest element", _below_maximum, lambda values: sorted(set(values))[-2]
)
