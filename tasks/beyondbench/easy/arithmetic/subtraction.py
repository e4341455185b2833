"""Subtraction: the first number of a pair from the second (F.2 of the paper)."""

from perennial.tasks.beyondbench.easy.pair_task import pair_task

TASK = pair_task(
    __name__,
    "the first number subtracted from the second",
    lambda first, second: second - first,
    lambda first, second: second + ~first + 1,  # by the complement, in which -n is ~n + 1
)
