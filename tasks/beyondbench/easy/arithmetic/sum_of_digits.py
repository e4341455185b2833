"""Sum of the digits of all elements, signs aside (F.2 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import Values


def _add_digits(values: Values) -> int:
    return sum(int(digit) for value in values for digit in str(abs(value)))


def _add_remainders(values: Values) -> int:
    total = 0
    for value in values:
        rest = abs(value)
        while rest:
            rest, digit = divmod(rest, 10)
            total += digit
    return total


TASK = list_task(__name__, "the sum of all digits of a list", _add_digits, _add_remainders)
