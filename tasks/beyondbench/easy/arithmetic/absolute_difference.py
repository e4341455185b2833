"""Absolute difference of a pair (F.2 of the paper)."""

from perennial.tasks.beyondbench.easy.pair_task import pair_task

TASK = pair_task(
    __name__,
    "the absolute difference of two numbers",
    lambda first, second: abs(second - first),
    lambda first, second: max(first, second) - min(first, second),
)
