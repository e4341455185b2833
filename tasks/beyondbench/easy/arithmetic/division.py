"""Division: the quotient of a pair, within 0.01 (F.2 of the paper)."""

import random
from fractions import Fraction

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.easy.kinds import decimal
from perennial.tasks.beyondbench.easy.lists import count_space
from perennial.tasks.beyondbench.easy.pair_task import LARGEST, PairParams, draw_pair, pair_task


def _draw(variation: str, size: int, rng: random.Random) -> PairParams | None:
    """Return two integers, the second not 0; quotients below 0.1 are drawn again."""
    pair = draw_pair(variation, size, rng)
    return pair if pair.second and 10 * abs(pair.first) >= abs(pair.second) else None


def count_pairs(largest: int) -> int:
    """Return the number of pairs up to a multiple of 10 whose quotient is at least 0.1 in size.

    Of the 2 n + 1 dividends of a divisor b, the 2 ceil(b / 10) - 1 smallest are left out.
    """
    tens = largest // 10
    return 2 * (largest * (2 * largest + 1) - (10 * tens * (tens + 1) - largest))


def _space(_variation: str, _size: int) -> Space:
    return count_space(count_pairs(LARGEST), "ordered pairs with a quotient of at least 0.1 in size")


def _divide_by_hand(first: int, second: int) -> Fraction:
    """Return the quotient by long division, to 12 places."""
    digits, rest = divmod(abs(first), abs(second))
    for _ in range(12):
        digit, rest = divmod(10 * rest, abs(second))
        digits = 10 * digits + digit
    return Fraction(digits if (first < 0) == (second < 0) else -digits, 10**12)


TASK = pair_task(
    __name__,
    "the quotient of two numbers",
    Fraction,
    _divide_by_hand,
    kind=decimal(Fraction(1, 100)),
    draw=_draw,
    space=_space,
    guess=lambda _params, rng: round(rng.uniform(-10, 10), 2),
)
