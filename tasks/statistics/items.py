"""Item analysis: what each instance says about the players, and which say nothing.

Classical test theory with instances as items and players as subjects. It shows a maintainer which
instances to drop from the next edition: those that everybody or nobody solves, and those that good
players fail where bad ones succeed (negative discrimination).
"""

from collections.abc import Mapping, Sequence
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
    """One instance: `n` players with a run on it, and what `item_statistics` says; None where undefined."""

    instance_id: str
    n: int
    share_solved: float | None
    discrimination: float | None
    everybody: bool
    nobody: bool


def item_statistics(scores: Mapping[str, Mapping[str, Sequence[bool]]]) -> list[Item]:
    """Return an item an instance, sorted by id. `scores[instance_id][player]` are the player's runs on it.

    A player without runs on an instance, or with none in the list, has no score there.

    - `share_solved` (the item's difficulty): mean over players of each player's mean over runs. Each
      player weighs the same, however often it ran, as players are the sample that an item is judged by.
      None without a player.
    - `discrimination`: Pearson correlation over players of their score on this item with their mean
      score on all OTHER items, as with its own share in it an item correlates with itself (corrected
      item-total correlation; point-biserial where there is one run). J. P. Guilford, The correlation of
      an item with a composite of the remaining items in a test, Educational and Psychological
      Measurement 13 (1953) 87-93. None below 3 players that also have another item, and where either
      side is constant.
    - `everybody`, `nobody`: every run, no run, of every player succeeded. Both False without a player.
    """
    import numpy as np

    matrix = _score_matrix(scores)
    seen = ~np.isnan(matrix)
    counts = seen.sum(axis=1)
    shares = np.where(seen, matrix, 0.0).sum(axis=1) / np.maximum(counts, 1)
    everybody = (counts > 0) & np.all(~seen | (matrix == 1), axis=1)
    nobody = (counts > 0) & np.all(~seen | (matrix == 0), axis=1)
    discriminations = _discriminations(matrix, seen)
    return [
        Item(
            instance_id=instance_id,
            n=int(counts[i]),
            share_solved=float(shares[i]) if counts[i] else None,
            discrimination=None if np.isnan(discriminations[i]) else float(discriminations[i]),
            everybody=bool(everybody[i]),
            nobody=bool(nobody[i]),
        )
        for i, instance_id in enumerate(sorted(scores))
    ]


def _score_matrix(scores: Mapping[str, Mapping[str, Sequence[bool]]]) -> "_Matrix":
    """Return mean scores, a row an instance and a column a player, both sorted; nan where there is none."""
    import numpy as np

    players = sorted({player for runs_by_player in scores.values() for player in runs_by_player})
    columns = {player: column for column, player in enumerate(players)}
    matrix = np.full((len(scores), len(players)), np.nan)
    for row, instance_id in enumerate(sorted(scores)):
        for player, runs in scores[instance_id].items():
            if len(runs) > 0:
                matrix[row, columns[player]] = sum(runs) / len(runs)
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
