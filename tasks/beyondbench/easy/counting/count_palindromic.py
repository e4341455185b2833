"""Count of palindromic numbers, repeats counted each time (F.3 of the paper)."""

from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import HIGH, Values, guess_count
from tasks.beyondbench.easy.planted import plant


def is_palindrome(value: int) -> bool:
    """Whether the decimal notation reads the same backwards; a sign does not."""
    return str(value) == str(value)[::-1]


def _count_reversed(values: Values) -> int:
    """Return the count of values that equal the number with their digits reversed."""
    count = 0
    for value in values:
        rest, backwards = value, 0
        while rest > 0:
            rest, digit = divmod(rest, 10)
            backwards = 10 * backwards + digit
        count += backwards == value
    return count


_NUMBERS = range(HIGH + 1)
_DRAW, _SPACE = plant(
    [value for value in _NUMBERS if is_palindrome(value)],
    [value for value in _NUMBERS if not is_palindrome(value)],
)
TASK = list_task(
    __name__,
    "how many elements are palindromes",
    lambda values: sum(map(is_palindrome, values)),
    _count_reversed,
    draw=_DRAW,
    space=_SPACE,
    guess=guess_count,
)
