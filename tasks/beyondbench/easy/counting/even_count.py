"""Count of even elements, negative ones and 0 too (F.3 of the paper)."""

from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import guess_count

TASK = list_task(
    __name__,
    "how many elements are even",
    lambda values: sum(value % 2 == 0 for value in values),
    lambda values: len(values) - sum(value & 1 for value in values),
    guess=guess_count,
)
