"""95% intervals of ranks: which places a player may have, given how surely others are better or worse.

A player's place is at least 1 + the number of players that are surely better, and at most the number of
players - that of the surely worse. Two players are compared on the instances that both have, by the mean
differences in their domains with Student's t (over instances where there is one domain), and a player's
comparisons are corrected together by Bonferroni: so the interval holds the player's place among all domains
in 95% (M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, Inference for Ranks, Review of Economic
Studies 91 (2024) 476-518, with one-step critical values).
"""

from itertools import pairwise
from typing import TYPE_CHECKING

from tasks.statistics.cells import Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

METHOD = "interval by paired differences over domains, Student's t, Bonferroni over a player's comparisons"
_LEVEL = 0.95
_FEWEST = 3
"""Domains (or instances of one domain) by which two players can differ."""


def rank_intervals(grid: Grid, ranked: "NDArray[np.bool_]") -> list[tuple[float, float] | None]:
    """Return the interval of each player's place among the ranked ones; None for one that is not ranked."""
    import numpy as np

    places = np.flatnonzero(ranked).tolist()
    seen = grid.runs > 0
    rates = np.divide(grid.solved, grid.runs, out=np.zeros(grid.runs.shape), where=seen)
    better, worse = np.zeros(len(seen), int), np.zeros(len(seen), int)
    number = max(1, len(places) - 1)
    for row, one in enumerate(places):
        for two in places[row + 1 :]:
            sign = _compare(grid, rates, seen, one, two, number)
            better[two if sign > 0 else one] += sign != 0
            worse[one if sign > 0 else two] += sign != 0
    return [
        (1.0 + better[place], float(len(places) - worse[place])) if ranked[place] else None
        for place in range(len(seen))
    ]


def _compare(grid: Grid, rates: "Floats", seen: "NDArray[np.bool_]", one: int, two: int, number: int) -> int:
    """Return 1 where the first player is surely better, -1 where the other is, else 0."""
    import numpy as np
    from scipy.special import stdtrit

    both = seen[one] & seen[two]
    gaps = np.where(both, rates[one] - rates[two], 0.0)
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
