"""Comparison of a pair: less, equal or greater, a third of the problems each (F.3 of the paper)."""

import random

from perennial.tasks.beyondbench.easy.kinds import RELATION
from perennial.tasks.beyondbench.easy.pair_task import PairParams, draw_pair, pair_task
from perennial.tasks.beyondbench.forms.relation import RELATIONS


def _draw(variation: str, size: int, rng: random.Random) -> PairParams:
    pair = draw_pair(variation, size, rng)
    lower, upper = sorted((pair.first, pair.second))
    return rng.choice((PairParams(lower, upper), PairParams(lower, lower), PairParams(upper, lower)))


def _compare(first: int, second: int) -> str:
    return RELATIONS[(first > second) - (first < second) + 1]


def _compare_difference(first: int, second: int) -> str:
    if first == second:
        return "equal to"
    return "less than" if str(first - second).startswith("-") else "greater than"


TASK = pair_task(
    __name__,
    "whether a number is less than, equal to or greater than another",
    _compare,
    _compare_difference,
    kind=RELATION,
    draw=_draw,
    guess=lambda _params, rng: rng.choice(RELATIONS),
)
