"""Range: the largest element minus the smallest (F.5 of the paper)."""

from itertools import permutations

from perennial.tasks.beyondbench.easy.list_task import list_task

TASK = list_task(
    __name__,
    "the largest element minus the smallest",
    lambda values: max(values) - min(values),
    lambda values: max(first - second for first, second in permutations(values, 2)),
)
