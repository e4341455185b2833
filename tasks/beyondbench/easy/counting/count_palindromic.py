"""Count of palindromic numbers, repeats counted each time (F.3 of the paper)."""

from perennial.tasks.beyondbench.easy.list_task import list_task
from perennial.tasks.beyondbench.easy.lists import LARGEST, Values, guess_count
from perennial.tasks.beyondbench.easy.planted import plant


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


def find_palindromes(largest: int) -> list[int]:
    """Return all palindromes up to a number: each half with its mirror image, of even and of odd length."""
    halves = map(str, range(10 ** ((len(str(largest)) + 1) // 2)))
    found = {
        int(half + half[end::-1]) for half in halves for end in (len(half) - 1, len(half) - 2) if end >= 0
    }
    return sorted(value for value in found | set(range(10)) if value <= largest)


_DRAW, _SPACE = plant(
    lambda variation: find_palindromes(LARGEST[variation]), lambda variation: range(LARGEST[variation] + 1)
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
