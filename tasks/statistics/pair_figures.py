"""Each pair of players on the instances that both played: the difference, and McNemar's exact test.

An instance is as hard for one player as for the other, so pairing takes its difficulty out of the difference;
instances of one player alone are left out. All pairs are computed in whole numbers where that is possible: a
rate is solved runs times the least common multiple of all numbers of runs, over the runs.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from tasks.statistics.cells import ALL, Grid
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import METHOD, intervals_of_sums
from tasks.statistics.rate_figures import rates_in_units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tasks.statistics.cells import Numbers

_DIFFERENCE = f"mean difference over shared instances; {METHOD}; n counts instances"
_MCNEMAR = (
    "share that only the player solves of those that one alone does; majority labels on shared instances; "
    "McNemar exact, two-sided; n counts discordant instances"
)
_GAPS_AT_ONCE = 4_000_000


class _Pair(NamedTuple):
    one: str
    other: str
    gap: "Numbers"
    only_one: int
    only_other: int


def pair_figures(grid: Grid, seed: int) -> Iterator[Figure]:
    """Yield `paired_difference` (player minus other) and `mcnemar` for each pair of players of a setting."""
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    shape = grid.runs.shape
    pairs: list[_Pair] = []
    held = 0
    for pair in _pairs(grid, rates.reshape(shape), grid.runs > 0, 2 * grid.solved > grid.runs):
        pairs.append(pair)
        held += len(pair.gap)
        if held > _GAPS_AT_ONCE:
            yield from _figures(grid.setting, pairs, unit, seed)
            pairs, held = [], 0
    yield from _figures(grid.setting, pairs, unit, seed)


def _pairs(
    grid: Grid, rates: "Numbers", seen: "NDArray[np.bool_]", labels: "NDArray[np.bool_]"
) -> Iterator[_Pair]:
    # Instances are resampled in the order of their ids.
    by_id = grid.rank.argsort()
    for one, other in combinations(range(len(grid.players)), 2):
        shared = seen[one] & seen[other]
        if shared.any():
            first, second = labels[one] & shared, labels[other] & shared
            yield _Pair(
                grid.players[one],
                grid.players[other],
                (rates[one] - rates[other])[by_id][shared[by_id]],
                int((first & ~second).sum()),
                int((second & ~first).sum()),
            )


def _figures(setting: str, pairs: list[_Pair], unit: int, seed: int) -> Iterator[Figure]:
    import numpy as np

    intervals = intervals_of_sums([(pair.gap, np.ones(len(pair.gap))) for pair in pairs], seed)
    for pair, interval in zip(pairs, intervals, strict=True):
        low, high = interval or (None, None)
        n, discordant = len(pair.gap), pair.only_one + pair.only_other
        yield Figure(
            "paired_difference",
            *(setting, ALL, pair.one, n, float(pair.gap.sum()) / (unit * n), _DIFFERENCE),
            other=pair.other,
            low=None if low is None else low / unit,
            high=None if high is None else high / unit,
        )
        yield Figure(
            "mcnemar",
            *(
                setting,
                ALL,
                pair.one,
                discordant,
                pair.only_one / discordant if discordant else None,
                _MCNEMAR,
            ),
            other=pair.other,
            p_value=mcnemar_p(pair.only_one, pair.only_other),
        )


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the p-value of McNemar's exact test of whether two players solve equally many instances.

    Of m instances that one player alone solved, each is equally likely to be either's if they are equal:
    p = min(1, 2 P(X <= the smaller number)) with X binomial(m, 1/2), which is 1.0 for m = 0. Sources:
    McNemar 1947; Fagerland, Lydersen and Laake 2013 (the exact conditional test).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(only_one, only_other), only_one + only_other, 0.5)))
