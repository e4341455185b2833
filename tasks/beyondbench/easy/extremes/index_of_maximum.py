"""The index, from 0, of the first largest element (F.5.5 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values, guess_count


def _step_through(values: Values) -> int:
    best = 0
    for place, value in enumerate(values):
        if value > values[best]:
            best = place
    return best


TASK = list_task(
    __name__,
    "the index of the largest element",
    lambda values: values.index(max(values)),
    _step_through,
    guess=guess_count,
)
