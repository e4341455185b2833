"""How hard the domains of an edition were for all, and what each player's answers to one edition alone say.

The shift of an edition is the mean over its domains of what the model predicts for all players there (best
linear unbiased prediction, C. R. Henderson 1975): what a typical player gains by being asked in this edition.
A player's rate in one edition, less its slope times that shift, is on the common scale; where it
differs from the player's other editions, the player has changed.
"""

from typing import TYPE_CHECKING

from tasks.statistics.scale.cells import Block
from tasks.statistics.scale.joint_model import LEVEL, Estimate, JointModel, shapes_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def edition_shift(model: JointModel, edition: str) -> Estimate:
    """Return the mean over the edition's domains of what was common to all players there."""
    import numpy as np

    number = model.seen.editions.index(edition)
    value, variance, domains = 0.0, 0.0, 0
    pull = np.zeros(len(model.rates))
    for block in model.seen.blocks:
        if number not in block.editions:
            continue
        shared, inverse = _common_part(model, block, number)
        weights = np.einsum("i,dij->dj", shared, inverse)
        gaps = block.rates - model.rates[block.players]
        value += float(np.einsum("di,di->", weights, gaps))
        left = model.variances[:2].sum() - np.einsum("di,i->d", weights, shared)
        variance += float(left.sum())
        np.add.at(pull, block.players, weights.sum(axis=0))
        domains += len(block.names)
    variance = variance / domains**2 + float(pull @ model.covariance @ pull) / domains**2
    return _estimate(value / domains, variance, domains)


def rate_in_edition(model: JointModel, player: str, edition: str) -> Estimate | None:
    """Return the player's mean rate over its domains in the edition, less what these had in common.

    None where it has no answers there.
    """
    import numpy as np

    seen = model.seen
    who, number = seen.players.index(player), seen.editions.index(edition)
    slope = seen.slopes[who]
    value, variance, domains = 0.0, 0.0, 0
    pull = np.zeros(len(model.rates))
    for block in seen.blocks:
        own = np.flatnonzero((block.players == who) & (block.editions == number))
        if not len(own):
            continue
        shared, inverse = _common_part(model, block, number)
        weights = -slope * np.einsum("i,dij->dj", shared, inverse)
        weights[:, own] += 1
        gaps = block.rates - model.rates[block.players]
        value += float(np.einsum("di,di->", weights, gaps)) + len(block.names) * model.rates[who]
        whole = np.linalg.inv(inverse)
        variance += float(np.einsum("di,dij,dj->", weights, whole, weights))
        np.add.at(pull, block.players, weights.sum(axis=0))
        domains += len(block.names)
    if not domains:
        return None
    pull /= domains
    rest = -pull
    rest[who] += 1
    covariance = model.covariance
    variance = variance / domains**2 + float(2 * rest @ covariance @ pull + rest @ covariance @ rest)
    return _estimate(value / domains, variance, domains, is_rate=True)


def _common_part(model: JointModel, block: Block, number: int) -> "tuple[Floats, Floats]":
    """Return the covariance of a domain's shift in the edition with its cells, and the inverse of theirs."""
    import numpy as np

    slopes = model.seen.slopes[block.players]
    shared = slopes * (model.variances[0] + model.variances[1] * (block.editions == number))
    whole = np.einsum("k,kij->ij", model.variances, shapes_of(model.seen, block)) + block.sampling
    return shared, np.linalg.inv(whole)


def _estimate(value: float, variance: float, domains: int, *, is_rate: bool = False) -> Estimate:
    from scipy.special import stdtr, stdtrit

    freedom = float(max(1, domains - 1))
    error = max(variance, 0.0) ** 0.5
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    low, high = value - reach, value + reach
    if is_rate:
        low, high = max(0.0, low), min(1.0, high)
    p_value = 2 * float(stdtr(freedom, -abs(value) / error)) if error > 0 else float(value == 0)
    return Estimate(value, error, freedom, low, high, p_value)
