"""Does a player follow hard and easy domains as the scale takes it to? A test for each player.

How much harder a domain is for all is predicted from the other players' rates there. The player's own gaps
are regressed on that prediction: by the model with a coefficient of 1, as a best linear prediction is not
diluted by its own error. Its standard error is by domain (H. White, Econometrica 48 (1980) 817-838, with the
leverage of HC3), so that the test also holds where the variances do not.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.tasks.statistics.scale.joint_model import JointModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST = 10
"""Domains that a player must share with others."""


@dataclass(frozen=True, slots=True)
class Slope:
    """How a player follows what is hard for all: 1 is as expected; `p_value` tests that."""

    value: float
    error: float
    domains: int
    p_value: float


def find_slopes(model: JointModel) -> dict[str, Slope]:
    """Return the slope of each player that shares ten domains or more with others, by name."""
    import numpy as np
    from scipy.special import stdtr

    found = {}
    for number, player in enumerate(model.seen.players):
        expected, gaps = _predict(model, number)
        if len(expected) < FEWEST or not (squares := float(expected @ expected)) > 0:
            continue
        value = float(expected @ gaps) / squares
        leverage = expected**2 / squares
        left = (gaps - value * expected) / np.maximum(1 - leverage, 1e-9)
        error = float(np.sqrt(((expected * left) ** 2).sum())) / squares
        if error > 0:
            p_value = 2 * float(stdtr(len(expected) - 1, -abs(value - 1) / error))
            found[player] = Slope(value, error, len(expected), p_value)
    return found


def _predict(model: JointModel, number: int) -> "tuple[Floats, Floats]":
    """Return, by domain that others played too, the player's gap as others predict it, and as it is."""
    import numpy as np

    expected, gaps = [np.empty(0)], [np.empty(0)]
    for block in model.seen.blocks:
        is_own = block.players == number
        others = ~is_own & np.isin(block.editions, block.editions[is_own])
        if not others.any():
            continue
        gap = block.rates - model.rates[block.players]
        # Errors of the same instances are common as well, and no slope of the player.
        scale = block.scale(model.variances)
        pulled = block.pull_from(gap, others, scale)
        common = block.effects[:, is_own].mean(axis=1) * scale
        common[:, block.spans[2]] = 0.0
        expected.append(np.einsum("dq,dq->d", common, pulled))
        gaps.append(gap[:, is_own].mean(axis=1))
    return np.concatenate(expected), np.concatenate(gaps)
