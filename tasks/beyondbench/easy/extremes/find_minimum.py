"""The smallest element (F.5 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task

TASK = list_task(
    __name__,
    "the smallest element",
    min,
    lambda values: sorted(values)[0],
)
