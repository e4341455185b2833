"""Subtraction: the first number of a pair from the second (F.2 of the paper)."""

import operator

from tasks.beyondbench.easy.pair_task import pair_task


def _missing_addend(first: int, second: int) -> int:
    """Return what must be added to the first to get the second, digit by digit in base 2."""
    while borrow := ~second & first:
        second, first = second ^ first, borrow << 1
    return second ^ first


TASK = pair_task(
    __name__,
    "the first number subtracted from the second",
    lambda first, second: operator.sub(second, first),
    _missing_addend,
)
