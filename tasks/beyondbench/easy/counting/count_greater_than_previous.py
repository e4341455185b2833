"""Count of elements that are greater than the one before them (F.6.2 of the paper)."""

from itertools import pairwise

from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import Values, guess_count


def _subtract_descents(values: Values) -> int:
    return len(values) - 1 - sum(after <= before for before, after in pairwise(values))


TASK = list_task(
    __name__,
    "how many elements are greater than the one before",
    lambda values: sum(values[place] > values[place - 1] for place in range(1, len(values))),
    _subtract_descents,
    guess=guess_count,
)
