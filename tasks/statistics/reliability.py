"""How much of the spread of players' scores is theirs, and what correlations would be without chance.

Scores that rest on few clusters scatter by chance, which hides correlations: a true one of .9 shows as .55
where half of the spread is chance.
"""

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.statistics.board import MODELS
from perennial.schemas.statistics.populations import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Grid
from perennial.tasks.statistics.clusters import Draw, estimate_ratio
from perennial.tasks.statistics.correlation import Correlation
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.multiplicity import Kind
from perennial.tasks.statistics.populations import headline, within

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Numbers

FEWEST_PLAYERS = 7
"""Fewer have no correlation: 6 players without any relation show |r| > .8 in 1 of 18 cases."""
METHOD = (
    "1 - mean squared error / variance of players' rates, over the instances that all of them have; errors "
    "are of differences from the players' mean; n counts players"
)
DISATTENUATED_METHOD = (
    "Pearson / sqrt of the product of both reliabilities (supposed 1 of other benchmarks), and so the ends "
    "of its 95% interval by Fisher z; not beyond -1 and 1; n counts players"
)
NOT_RELIABLE = "a reliability is unknown or not above 0: the spread of scores may be chance alone"


class Corrected(NamedTuple):
    """A correlation without chance, with its interval; None where it has none."""

    r: float | None
    low: float | None
    high: float | None


def reliability_figures(grid: Grid, kind: Kind) -> Iterator[Figure]:
    """Yield `reliability` of the rates of all players and of the models, in all domains and in each.

    `convention` is the population that is drawn again. Fewer than 7 players have none.
    """
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    scaled, numbers = rates.reshape(grid.runs.shape) / unit, grid.domain
    is_model = np.array([kind(player) == MODELS for player in grid.players], bool)
    groups = [(ALL, np.ones_like(is_model))]
    groups += [(MODELS, is_model)] if not is_model.all() else []
    for domain, columns in grid.places():
        for who, chosen in groups:
            kept = np.zeros(grid.runs.shape[1], bool)
            kept[columns] = (grid.runs[chosen][:, columns] > 0).all(axis=0)
            if chosen.sum() < FEWEST_PLAYERS or not kept.any():
                continue
            draw, population = headline(grid.cluster[kept], numbers[kept], grid.population)
            draws = {population: draw}
            if population == NEW_DOMAINS:
                draws[THESE_DOMAINS] = within(grid.cluster[kept])
            for name, of in draws.items():
                value = estimate_reliability(scaled[chosen][:, kept], of)
                place = (grid.setting, domain, who, int(chosen.sum()), value)
                yield Figure("reliability", *place, METHOD, convention=name)


def estimate_reliability(rates: "Numbers", draw: Draw) -> float | None:
    """Return the reliability of players' means over instances; a row of rates is a player.

    1 - E n / (n - 1) / s^2, with E the mean over n players of the variance of their rate's difference from
    the mean of all, and s^2 the variance of their rates. With instances drawn alone it is Hoyt's (C. Hoyt,
    Psychometrika 6 (1941) 153-160), which is Cronbach's alpha. At most 1, and below 0 where chance alone
    would spread scores more. None where scores do not vary or nothing can be drawn again.
    """
    import numpy as np

    ones = np.ones(rates.shape[1])
    found = [estimate_ratio(row, ones, draw) for row in rates - rates.mean(axis=0)]
    spread = float(rates.mean(axis=1).var(ddof=1))
    if found[0].clusters < 2 or spread < 1e-15:
        return None
    n = len(found)
    return round(1 - sum(one.variance for one in found) / (n - 1) / spread, 12)


def disattenuate(observed: Correlation, reliability: float | None, other: float | None) -> Corrected:
    """Return what the correlation would be without chance in either score (C. Spearman 1904)."""
    if reliability is None or other is None or min(reliability, other) <= 0 or observed.r is None:
        return Corrected(None, None, None)
    share = sqrt(reliability * other)
    ends = (
        None if end is None else max(-1.0, min(1.0, end / share))
        for end in (observed.r, observed.low, observed.high)
    )
    return Corrected(*ends)
