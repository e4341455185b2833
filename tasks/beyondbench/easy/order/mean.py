"""Mean of a list, within 1e-6; sizes divide a power of ten, so that it ends (F.7.1 of the paper)."""

from fractions import Fraction

from perennial.tasks.beyondbench.easy.kinds import decimal
from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values


def _update(values: Values) -> Fraction:
    """Return the mean by running updates."""
    mean = Fraction(0)
    for count, value in enumerate(values, 1):
        mean += (value - mean) / count
    return mean


TASK = list_task(
    __name__,
    "the mean of a list",
    lambda values: Fraction(sum(values), len(values)),
    _update,
    kind=decimal(Fraction(1, 10**6)),
    guess=lambda values, rng: round(rng.uniform(min(values), max(values)), 2),
)
