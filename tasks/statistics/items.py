"""Item analysis: what each instance says about the players, and which say nothing.

Classical test theory with instances as items and players as subjects. It shows a maintainer which
instances to drop from the next edition: those that everybody or nobody solves, and those that good
players fail where bad ones succeed (negative discrimination).
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from perennial.tasks.statistics.cells import Grid
from perennial.tasks.statistics.intervals import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Matrix = NDArray[np.float64]
    _Mask = NDArray[np.bool_]
    _Counts = NDArray[np.int64]

METHOD = (
    "mean over players; point-biserial correlation with the mean over all other instances, 95% interval by "
    "Fisher z; n counts players"
)
_MIN_PLAYERS = 3
# Scores are in 0..1 and differ by far more than this, unless they are equal but for rounding.
_CONSTANT = 1e-12
# Closer to 1 than this, |r| is 1 but for rounding.
_PERFECT = 1e-12
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class Items:
    """What `item_statistics` says of a setting's instances, by number; nan: undefined. `n` are players."""

    n: "_Counts"
    share_solved: "_Matrix"
    discrimination: "_Matrix"
    low: "_Matrix"
    high: "_Matrix"


def item_statistics(grid: Grid) -> Items:
    """Return what the share of runs that each player solved says of each instance.

    - `share_solved` (the item's difficulty): mean over players. Each weighs the same, however often it
      ran, as players are the sample that an item is judged by. Undefined where nobody played.
    - `discrimination`: Pearson correlation over players of their score on this item with their mean
      score on all OTHER items, as with its own share in it an item correlates with itself (corrected
      item-total correlation; point-biserial where there is one run). J. P. Guilford, The correlation of
      an item with a composite of the remaining items in a test, Educational and Psychological
      Measurement 13 (1953) 87-93. Undefined below 3 players that also have another item, and where either
      side is constant. `low` and `high` are tanh(atanh r -+ 1.96 / sqrt(n - 3)), undefined for n = 3 and
      |r| = 1.
    """
    import numpy as np

    seen = grid.runs > 0
    sums = np.array(
        [(solved / np.maximum(runs, 1)).sum() for solved, runs in zip(grid.solved, grid.runs, strict=True)]
    )
    counts = seen.sum(axis=1)
    found = [np.empty(grid.runs.shape[1]) for _ in range(5)]
    step = max(1, _CELLS_AT_ONCE // max(1, len(grid.players)))
    for first in range(0, grid.runs.shape[1], step):
        part = slice(first, first + step)
        scores = (grid.solved[:, part] / np.maximum(grid.runs[:, part], 1)).T
        for whole, values in zip(found, _statistics(scores, seen[:, part].T, sums, counts), strict=True):
            whole[part] = values
    return Items(found[0].astype(np.int64), *found[1:])


def _statistics(
    scores: "_Matrix", seen: "_Mask", sums: "_Matrix", counts: "_Counts"
) -> "tuple[_Matrix, ...]":
    """Return the figures of some instances, a row each; scores are 0 where nobody played."""
    import numpy as np

    n = seen.sum(axis=1)
    with np.errstate(invalid="ignore"):
        shares = scores.sum(axis=1) / n
    others = counts - 1
    rest = (sums - scores) / np.maximum(others, 1)
    usable = seen & (others > 0)
    left, right = _deviations(scores, usable), _deviations(rest, usable)
    players = usable.sum(axis=1)
    defined = (
        (players >= _MIN_PLAYERS)
        & np.any(np.abs(left) > _CONSTANT, axis=1)
        & np.any(np.abs(right) > _CONSTANT, axis=1)
    )
    norm = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    r = (left * right).sum(axis=1) / np.where(defined, norm, 1.0)
    r = np.where(defined, np.clip(r, -1.0, 1.0), np.nan)
    bounded = defined & (players > _MIN_PLAYERS) & (1 - np.abs(r) >= _PERFECT)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) / np.sqrt(np.maximum(players - 3, 1))
    z = np.arctanh(np.where(bounded, r, 0.0))
    low, high = (np.where(bounded, np.tanh(z + side * half), np.nan) for side in (-1, 1))
    return n, shares, r, low, high


def _deviations(values: "_Matrix", usable: "_Mask") -> "_Matrix":
    """Return the usable values less their row's mean, and 0 elsewhere."""
    import numpy as np

    kept = np.where(usable, values, 0.0)
    means = kept.sum(axis=1, keepdims=True) / np.maximum(usable.sum(axis=1, keepdims=True), 1)
    return np.where(usable, kept - means, 0.0)
