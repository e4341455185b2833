"""The largest element below the maximum (F.5 of the paper)."""

from tasks.beyondbench.easy.list_task import list_task

TASK = list_task(
    __name__,
    "the second largest element",
    lambda values: max(value for value in values if value < max(values)),
    lambda values: sorted(set(values))[-2],
)
