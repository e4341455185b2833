"""The largest absolute difference of neighbours (F.6.1 of the paper)."""

from itertools import pairwise

from perennial.tasks.beyondbench.easy.list_task import list_task

TASK = list_task(
    __name__,
    "the largest absolute difference of neighbours",
    lambda values: max(abs(after - before) for before, after in pairwise(values)),
    lambda values: max(max(two) - min(two) for two in zip(values[1:], values[:-1], strict=True)),
)
