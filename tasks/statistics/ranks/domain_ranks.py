"""A player's profile: its rate and its place in each domain, on the instances that are common there.

The whole setting has its `common_rate` from `ranks.rank_figures`; here each domain has one by the same rule,
and the whole and each domain have places among players of one kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.statistics.cells import ALL, Grid
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import intervals_of_sums
from tasks.statistics.multiplicity import Kind
from tasks.statistics.ranks.rank_figures import COMMON_METHOD, find_common, rank_rates
from tasks.statistics.rate_figures import rates_in_units
from tasks.statistics.shares import exact_interval, is_near_an_end

if TYPE_CHECKING:
    from tasks.statistics.cells import Numbers

_RANK = "place by common_rate among the {} that have one; n counts the common instances"


@dataclass(frozen=True, slots=True)
class _Score:
    """A player's rates on the common instances of a domain, each times the unit."""

    domain: str
    player: str
    rates: "Numbers"


def domain_rank_figures(grid: Grid, kind: Kind, seed: int) -> Iterator[Figure]:
    """Yield `common_rate` of each player in each domain, and `rank_in_kind` there and in the whole setting.

    The convention of a `rank_in_kind` is the kind of player that it ranks: models are ranked among models.
    Players without a common rate have no figure.
    """
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    scaled = rates.reshape(grid.runs.shape)
    scores = [
        _Score(domain, grid.players[row], scaled[row, columns][common.instances])
        for domain, columns in grid.places()
        for common in [find_common(grid.runs[:, columns] > 0)]
        if common.instances.any()
        for row in np.flatnonzero(common.players)
    ]
    yield from _rates([score for score in scores if score.domain != ALL], unit, grid.setting, seed)
    places: dict[tuple[str, str], list[_Score]] = {}
    for score in scores:
        places.setdefault((score.domain, kind(score.player)), []).append(score)
    for (domain, of), members in places.items():
        ranks = rank_rates(np.array([float(one.rates.sum()) / (unit * len(one.rates)) for one in members]))
        for one, rank in zip(members, ranks, strict=True):
            place = (grid.setting, domain, one.player, len(one.rates), rank)
            yield Figure("rank_in_kind", *place, _RANK.format(of), convention=of)


def _rates(scores: list[_Score], unit: int, setting: str, seed: int) -> Iterator[Figure]:
    import numpy as np

    totals = [float(score.rates.sum()) / unit for score in scores]
    drawn = [
        place
        for place, (score, total) in enumerate(zip(scores, totals, strict=True))
        if not is_near_an_end(total, len(score.rates))
    ]
    groups = [(scores[place].rates, np.full(len(scores[place].rates), float(unit))) for place in drawn]
    found = dict(zip(drawn, intervals_of_sums(groups, seed), strict=True))
    for place, (score, total) in enumerate(zip(scores, totals, strict=True)):
        n = len(score.rates)
        low, high = (found[place] if place in found else exact_interval(total, n)) or (None, None)
        of = (setting, score.domain, score.player, n, round(total / n, 12))
        yield Figure("common_rate", *of, COMMON_METHOD, low=low, high=high)
