"""Ranks and their 95% intervals: which places players have, each two compared on what both were asked.

A player's rank is 1 + the number of players with a higher rate on the instances that both have, so that one
with few instances is ranked on these and changes no rank of the others. Two that share too few are compared
by their adjusted rates.

The interval holds the places that a player may have, given how surely others are better or worse: at least
1 + the number of the surely better, at most the number of players - that of the surely worse. Two players are
compared by the mean differences in their domains with Student's t (over instances where there is one domain),
and a player's comparisons are corrected together by Bonferroni: so the interval holds the player's place
among all domains in 95% (M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, Inference for Ranks, Review
of Economic Studies 91 (2024) 476-518, with one-step critical values).
"""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from perennial.tasks.statistics.cells import Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

METHOD = "interval by paired differences over domains, Student's t, Bonferroni over a player's comparisons"
_LEVEL = 0.95
_FEWEST = 3
"""Domains (or instances of one domain) by which two players can differ surely."""
_FEWEST_SHARED = 5
"""Instances that rank two players, unless half of what some player has is fewer."""
_TIE = 1e-9


class Rank(NamedTuple):
    """A player's place with its interval; `is_adjusted`: some comparison went by adjusted rates."""

    value: float
    low: float
    high: float
    is_adjusted: bool


def rank_players(grid: Grid, adjusted: "Floats", linked: "NDArray[np.bool_]") -> list[Rank | None]:
    """Rank the players of the grid among each other; None for one with too few instances.

    `adjusted` are their adjusted rates (nan: undefined). Those that are not `linked` to the others, by chains
    of shared domains, have no rank.
    """
    import numpy as np

    seen = grid.runs > 0
    sizes = seen.sum(axis=1)
    fewest = min(_FEWEST_SHARED, float(sizes.max()) / 2)
    players = np.flatnonzero(linked & (sizes > 0) & (sizes >= fewest)).tolist()
    rates = np.divide(grid.solved, grid.runs, out=np.zeros(grid.runs.shape), where=seen)
    behind, better, worse = (np.zeros(len(seen), int) for _ in range(3))
    is_adjusted = np.zeros(len(seen), bool)
    number = max(1, len(players) - 1)
    for row, one in enumerate(players):
        for two in players[row + 1 :]:
            both = seen[one] & seen[two]
            gaps = np.where(both, rates[one] - rates[two], 0.0)
            shared = int(both.sum())
            if shared >= fewest:
                gap = float(gaps.sum()) / shared
            else:
                gap = float(adjusted[one] - adjusted[two])
                is_adjusted[[one, two]] = True
            behind[one] += gap < -_TIE
            behind[two] += gap > _TIE
            sign = _compare(grid, gaps, both, number)
            better[two if sign > 0 else one] += sign != 0
            worse[one if sign > 0 else two] += sign != 0
    ranks: list[Rank | None] = [None] * len(seen)
    for player in players:
        low, high = 1.0 + better[player], float(len(players) - worse[player])
        ranks[player] = Rank(1.0 + behind[player], float(low), high, bool(is_adjusted[player]))
    return ranks


def _compare(grid: Grid, gaps: "Floats", both: "NDArray[np.bool_]", number: int) -> int:
    """Return 1 if the first player is surely better, by the gaps on what both have, -1 if worse, else 0."""
    import numpy as np
    from scipy.special import stdtrit

    counts = np.array([int(both[a:b].sum()) for a, b in pairwise(grid.domains.starts)])
    sums = np.array([float(gaps[a:b].sum()) for a, b in pairwise(grid.domains.starts)])
    means = sums[counts > 0] / counts[counts > 0]
    if len(means) == 1:
        means = gaps[both]
    if len(means) < _FEWEST:
        return 0
    reach = float(stdtrit(len(means) - 1, 1 - (1 - _LEVEL) / 2 / number))
    mean, error = float(means.mean()), float(means.std(ddof=1)) / len(means) ** 0.5
    return 0 if abs(mean) <= reach * error else (1 if mean > 0 else -1)
