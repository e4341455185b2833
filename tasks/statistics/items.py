"""Item analysis: what each instance says about the players, and which say nothing.

Classical test theory with instances as items and players as subjects. It shows a maintainer which
instances to drop from the next edition: those that everybody or nobody solves, and those that good
players fail where bad ones succeed (negative discrimination).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Matrix = NDArray[np.float64]
    _Mask = NDArray[np.bool_]

METHOD = "mean over players; point-biserial correlation with the mean over all other instances"
_MIN_PLAYERS = 3
# Scores are in 0..1 and differ by far more than this, unless they are equal but for rounding.
_CONSTANT = 1e-12


@dataclass(frozen=True, slots=True)
class Item:
    """One instance: the `n` players that it was played by, and what `item_statistics` says."""

    instance_id: str
    n: int
    share_solved: float
    discrimination: float | None


def item_statistics(scores: Mapping[str, Mapping[str, float]]) -> list[Item]:
    """Return an item an instance, sorted by id.

    `scores[instance_id][player]` is the share of its runs on the instance that the player solved. Each
    instance has one player at least; a player has no score on an instance that it did not play.

    - `share_solved` (the item's difficulty): mean over players. Each weighs the same, however often it
      ran, as players are the sample that an item is judged by.
    - `discrimination`: Pearson correlation over players of their score on this item with their mean
      score on all OTHER items, as with its own share in it an item correlates with itself (corrected
      item-total correlation; point-biserial where there is one run). J. P. Guilford, The correlation of
      an item with a composite of the remaining items in a test, Educational and Psychological
      Measurement 13 (1953) 87-93. None below 3 players that also have another item, and where either
      side is constant.
    """
    import numpy as np

    matrix = _score_matrix(scores)
    seen = ~np.isnan(matrix)
    counts = seen.sum(axis=1)
    shares = np.where(seen, matrix, 0.0).sum(axis=1) / counts
    discriminations = _discriminations(matrix, seen)
    return [
        Item(
            instance_id=instance_id,
            n=int(counts[i]),
            share_solved=float(shares[i]),
            discrimination=None if np.isnan(discriminations[i]) else float(discriminations[i]),
        )
        for i, instance_id in enumerate(sorted(scores))
    ]


def _score_matrix(scores: Mapping[str, Mapping[str, float]]) -> "_Matrix":
    """Return the scores, a row an instance and a column a player, both sorted; nan where there is none."""
    import numpy as np

    players = sorted({player for by_player in scores.values() for player in by_player})
    columns = {player: column for column, player in enumerate(players)}
    matrix = np.full((len(scores), len(players)), np.nan)
    for row, instance_id in enumerate(sorted(scores)):
        for player, score in scores[instance_id].items():
            matrix[row, columns[player]] = score
    return matrix


def _discriminations(matrix: "_Matrix", seen: "_Mask") -> "_Matrix":
    """Return for each row the correlation of its scores with the players' mean over other rows, or nan."""
    import numpy as np

    scores = np.where(seen, matrix, 0.0)
    others = seen.sum(axis=0) - 1
    rest = (scores.sum(axis=0) - scores) / np.maximum(others, 1)
    usable = seen & (others > 0)
    left, right = _deviations(scores, usable), _deviations(rest, usable)
    defined = (
        (usable.sum(axis=1) >= _MIN_PLAYERS)
        & np.any(np.abs(left) > _CONSTANT, axis=1)
        & np.any(np.abs(right) > _CONSTANT, axis=1)
    )
    norm = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    r = (left * right).sum(axis=1) / np.where(defined, norm, 1.0)
    return np.where(defined, np.clip(r, -1.0, 1.0), np.nan)


def _deviations(values: "_Matrix", usable: "_Mask") -> "_Matrix":
    """Return the usable values less their row's mean, and 0 elsewhere."""
    import numpy as np

    kept = np.where(usable, values, 0.0)
    means = kept.sum(axis=1, keepdims=True) / np.maximum(usable.sum(axis=1, keepdims=True), 1)
    return np.where(usable, kept - means, 0.0)
