"""Addition: the sum of a list (F.2 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values


def _sum_by_sign(values: Values) -> int:
    positive, negative = 0, 0
    for value in values:
        if value > 0:
            positive += value
        else:
            negative -= value
    return positive - negative


TASK = list_task(__name__, "the sum of a list", sum, _sum_by_sign)
