"""Each pair of players on the instances that both played: the difference, and McNemar's exact test.

An instance is as hard for one player as for the other, so pairing takes its difficulty out of the difference;
instances of one player alone are left out. All pairs are computed in whole numbers where that is possible: a
rate is solved runs times the least common multiple of all numbers of runs, over the runs.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from perennial.tasks.statistics.cells import ALL, Grid
from perennial.tasks.statistics.cluster_intervals import GAP_METHOD
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.populations import bound_gap

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

_DIFFERENCE = f"mean difference over shared instances; {GAP_METHOD}; n counts instances"
_MCNEMAR = (
    "share that only the player solves of those that one alone does; majority labels on shared instances; "
    "McNemar exact, two-sided; n counts discordant instances"
)


def pair_figures(grid: Grid) -> Iterator[Figure]:
    """Yield `paired_difference` (player minus other) and `mcnemar` for each pair of players of a setting."""
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    rates = rates.reshape(grid.runs.shape)
    seen, labels, domain = grid.runs > 0, 2 * grid.solved > grid.runs, grid.domain
    for one, other in combinations(range(len(grid.players)), 2):
        shared = seen[one] & seen[other]
        if not shared.any():
            continue
        gap = (rates[one] - rates[other])[shared]
        players = grid.players[one], grid.players[other]
        yield _difference(grid, players, gap, unit, grid.cluster[shared], domain[shared])
        first, second = labels[one] & shared, labels[other] & shared
        yield _mcnemar(grid.setting, players, int((first & ~second).sum()), int((second & ~first).sum()))


def _difference(
    grid: Grid, players: tuple[str, str], gap: "Numbers", unit: int, cluster: "Column", domain: "Column"
) -> Figure:
    player, other = players
    bounds = bound_gap(gap / unit, cluster, domain, grid.population)
    return Figure(
        "paired_difference",
        *(grid.setting, ALL, player, len(gap), float(gap.sum()) / (unit * len(gap)), _DIFFERENCE),
        other=other,
        **bounds._asdict(),
    )


def _mcnemar(setting: str, players: tuple[str, str], only_one: int, only_other: int) -> Figure:
    player, other = players
    discordant = only_one + only_other
    return Figure(
        "mcnemar",
        *(setting, ALL, player, discordant, only_one / discordant if discordant else None, _MCNEMAR),
        other=other,
        p_value=mcnemar_p(only_one, only_other),
    )


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the p-value of McNemar's exact test of whether two players solve equally many instances.

    Of m instances that one player alone solved, each is equally likely to be either's if they are equal:
    p = min(1, 2 P(X <= the smaller number)) with X binomial(m, 1/2), which is 1.0 for m = 0. Sources:
    McNemar 1947; Fagerland, Lydersen and Laake 2013 (the exact conditional test).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(only_one, only_other), only_one + only_other, 0.5)))
