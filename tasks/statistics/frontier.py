"""The cost frontier: in which share of redrawn editions no other model is both as good and as cheap.

A model is dominated if another one has at least its rate for at most its cost, and one of both is better, on
the instances on which all have a known cost. Of m clusters of a stratum m - 1 are redrawn with replacement
and count m / (m - 1) times, so that few vary enough (J. N. K. Rao and C. F. J. Wu, JASA 83 (1988) 231-241).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perennial.schemas.ids import derive_seed
from perennial.schemas.statistics import MODELS
from perennial.tasks.statistics.cells import ALL, SettingGrid
from perennial.tasks.statistics.clusters import ClusterDraw, headline, join_single
from perennial.tasks.statistics.multiplicity import Kind, Statistic
from perennial.tasks.statistics.rank_figures import find_common

if TYPE_CHECKING:
    import numpy as np

    from perennial.tasks.statistics.cells import Numbers

RESAMPLES = 2_000
_NUMBERS_AT_ONCE = 2_000_000
_TIE = 1e-12
_METHOD = (
    f"share of {RESAMPLES:,} editions with redrawn clusters (Rao and Wu) in which no other model dominates; "
    "n counts common instances"
)


def frontier_figures(grid: SettingGrid, kind: Kind, seed: int) -> Iterator[Statistic]:
    """Yield `frontier_share` of each model with others of known cost; the convention is the unit of cost."""
    import numpy as np

    models = np.array([row for row, player in enumerate(grid.players) if kind(player) == MODELS], np.int64)
    for unit, costs in grid.costs.items() if len(models) > 1 else ():
        has_cost = np.isfinite(costs[models])
        common = find_common(has_cost)
        rows, columns = models[common.players], common.instances
        if len(rows) < 2 or len(set(grid.cluster[columns])) < 2:
            continue
        rates = grid.solved[rows][:, columns] / grid.runs[rows][:, columns]
        draw, _ = headline(grid.cluster[columns], grid.domain[columns], grid.population)
        rng = np.random.default_rng(derive_seed(seed, f"cost frontier of {grid.setting} in {unit}", 0))
        shares = share_undominated(rates, costs[rows][:, columns], draw, rng)
        for row, share in zip(rows, shares.tolist(), strict=True):
            n = int(columns.sum())
            yield Statistic("frontier_share", grid.setting, ALL, grid.players[row], n, share, _METHOD, unit)


def share_undominated(
    rates: "Numbers", costs: "Numbers", draw: ClusterDraw, rng: "np.random.Generator"
) -> "Numbers":
    """Return the share of redrawn editions in which each row of rates and costs is not dominated."""
    import numpy as np

    players, instances = rates.shape
    cluster = np.arange(instances) if draw.cluster is None else draw.cluster
    _, firsts, number = np.unique(cluster, return_index=True, return_inverse=True)
    totals = np.zeros((len(firsts), 2 * players + 1))
    np.add.at(totals, number, np.concatenate([rates, costs, np.ones((1, instances))]).T)
    strata = np.zeros(instances, np.int64) if draw.strata is None else draw.strata
    stratum = join_single(strata[firsts])
    undominated, rows = np.zeros(players), max(1, _NUMBERS_AT_ONCE // len(firsts))
    for done in range(0, RESAMPLES, rows):
        rows = min(rows, RESAMPLES - done)
        weights = np.empty((rows, len(firsts)))
        for name in np.unique(stratum):
            members = np.flatnonzero(stratum == name)
            m = len(members)
            weights[:, members] = rng.multinomial(m - 1, np.full(m, 1 / m), rows) * (m / (m - 1))
        sums = weights @ totals
        means = sums[:, :-1] / sums[:, -1:]
        # By redrawn edition: how far each model is behind each other one in rate, and beyond it in cost.
        worse = means[:, None, :players] - means[:, :players, None]
        dearer = means[:, players:, None] - means[:, None, players:]
        tie = _TIE * np.abs(means[:, players:, None])
        dominates = (worse >= -_TIE) & (dearer >= -tie) & ((worse > _TIE) | (dearer > tie))
        undominated += (~dominates.any(axis=2)).sum(axis=0)
    shares: Numbers = undominated / RESAMPLES
    return shares
