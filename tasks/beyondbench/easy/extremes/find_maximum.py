"""The largest element (F.5 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task

TASK = list_task(
    __name__,
    "the largest element",
    max,
    lambda values: sorted(values)[-1],
)
