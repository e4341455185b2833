"""A player's profile: its rate and its place in each domain, on the instances that are common there.

The whole setting has its `common_rate` from `ranks.rank_figures`; here each domain has one by the same rule,
and the whole and each domain have places among players of one kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.tasks.statistics.cells import ALL, Grid
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.multiplicity import Kind
from perennial.tasks.statistics.populations import Bounds, bound_share
from perennial.tasks.statistics.ranks.rank_figures import COMMON_METHOD, find_common, rows_by_kind

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

_RANK = "place by common_rate among the {} that have one; n counts the common instances"
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class _Score:
    """A player's rate on the common instances of a domain, and its bounds; none in the whole setting."""

    domain: str
    player: str
    n: int
    rate: float
    bounds: Bounds


def domain_rank_figures(grid: Grid, kind: Kind) -> Iterator[Figure]:
    """Yield `common_rate` of each player in each domain, and `rank_in_kind` there and in the whole setting.

    The convention of a `rank_in_kind` is the kind of player that it ranks: models are ranked among models.
    Players without a common rate have no figure.
    """
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    scaled = rates.reshape(grid.runs.shape)
    for of_kind, rows in rows_by_kind(grid, kind).items():
        method = _RANK.format(of_kind)
        for domain, columns in grid.places():
            common = find_common(grid.runs[rows][:, columns] > 0)
            kept = np.zeros(grid.runs.shape[1], bool)
            kept[columns] = common.instances
            has_rate = common.players if kept.any() else np.zeros(len(rows), bool)
            scores = [_score(grid, domain, row, scaled[row, kept] / unit, kept) for row in rows[has_rate]]
            for score in scores:
                of = (grid.setting, domain, score.player, score.n)
                if domain != ALL:
                    rate = round(score.rate, 12)
                    yield Figure("common_rate", *of, rate, COMMON_METHOD, **score.bounds._asdict())
                rank = 1.0 + sum(other.rate > score.rate + _TIE for other in scores)
                yield Figure("rank_in_kind", *of, rank, method, convention=of_kind)


def _score(grid: Grid, domain: str, row: int, rates: "Numbers", kept: "Column") -> _Score:
    n, runs = len(rates), float(grid.runs[row, kept].sum())
    bounds = Bounds()
    if domain != ALL:
        bounds = bound_share(rates, runs, grid.cluster[kept], grid.domain[kept], grid.population)
    return _Score(domain, grid.players[row], n, float(rates.sum()) / n, bounds)
