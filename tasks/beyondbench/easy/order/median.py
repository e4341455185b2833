"""Median of a list, within 1e-6: the middle element or the mean of the two (F.7.2 of the paper)."""

from dataclasses import replace
from fractions import Fraction

from perennial.tasks.beyondbench.easy.kinds import decimal
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import LARGE, STANDARD, Values


def _halve(values: Values) -> Fraction:
    ordered, half = sorted(values), len(values) // 2
    return Fraction(ordered[half] + ordered[-half - 1], 2)


def _count_smaller(values: Values) -> Fraction:
    """Return the mean of the elements with at most half of the list below them and above them."""
    middle = {
        value
        for value in values
        if 2 * sum(other < value for other in values) <= len(values)
        and 2 * sum(other > value for other in values) <= len(values)
    }
    return Fraction(min(middle) + max(middle), 2)


TASK = list_task(
    __name__,
    "the median of a list",
    _halve,
    _count_smaller,
    kind=decimal(Fraction(1, 10**6)),
    variations=(replace(STANDARD, sizes=(8, 17, 32, 65)), replace(LARGE, sizes=(16, 33, 64, 99))),
    guess=lambda values, rng: rng.randint(2 * min(values), 2 * max(values)) / 2,
)
