"""How hard the domains of an edition were for all, and what each player's answers to one edition alone say.

The shift of an edition is the mean over its domains of what the model predicts for all players there (best
linear unbiased prediction, C. R. Henderson 1975): what a typical player gains by being asked in this edition.
A player's rate in one edition, less its slope times that shift, is on the common scale; where it
differs from the player's other editions, the player has changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perennial.tasks.statistics.scale.effects import Weighted
from perennial.tasks.statistics.scale.joint_model import LEVEL, Estimate, JointModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Shift:
    """A block of domains of the edition: the predicted shift of each domain (`values`), the sum of the
    prediction's weights on each player's cells (`pull`), and the variance of the prediction (`explained`).

    `cells` are the places of the edition's cells in the block, by the player's number.
    """

    weighted: Weighted
    cells: dict[int, int]
    values: "Floats"
    pull: "Floats"
    explained: "Floats"


class EditionShifts:
    """The shift of one edition, predicted once for all that is asked of it."""

    def __init__(self, model: JointModel, edition: str) -> None:
        self._model = model
        self._number = model.seen.editions.index(edition)
        self._shifts = tuple(self._predict())

    def _predict(self) -> Iterator[_Shift]:
        import numpy as np

        model = self._model
        for weighted in model.blocks:
            block = weighted.block
            (place,) = np.nonzero(block.in_editions == self._number)
            if not len(place):
                continue
            # The covariance of a domain's shift with its cells is Z times this.
            shared = np.zeros(block.effects.shape[2])
            shared[0], shared[1 + place[0]] = model.variances[:2]
            along = weighted.products @ shared
            values = weighted.pull_gaps(model.rates) @ shared
            (cells,) = np.nonzero(block.editions == self._number)
            by_player = dict(zip(block.players[cells].tolist(), cells.tolist(), strict=True))
            yield _Shift(weighted, by_player, values, along[:, block.spans[2]], along @ shared)

    def shift(self) -> Estimate:
        """Return the mean over the edition's domains of what was common to all players there."""
        import numpy as np

        model = self._model
        value, variance, domains = 0.0, 0.0, 0
        pull = np.zeros(len(model.rates))
        for one in self._shifts:
            value += float(one.values.sum())
            variance += float((model.variances[:2].sum() - one.explained).sum())
            pull[one.weighted.block.of_players] += one.pull.sum(axis=0)
            domains += len(one.values)
        variance = variance / domains**2 + float(pull @ model.covariance @ pull) / domains**2
        return _estimate(value / domains, variance, domains)

    def rate(self, player: str) -> Estimate | None:
        """Return the player's mean rate over its domains in the edition, less what these had in common.

        None where it has no answers there.
        """
        import numpy as np

        model = self._model
        who = model.numbers[player]
        slope = float(model.seen.slopes[who])
        value, variance, domains = 0.0, 0.0, 0
        pull = np.zeros(len(model.rates))
        for one in self._shifts:
            block = one.weighted.block
            if who not in one.cells:
                continue
            cell = one.cells[who]
            value += float(block.rates[:, cell].sum() - slope * one.values.sum())
            # The variance of a difference: that of the cell, that of the prediction, and twice their
            # covariance.
            own = block.own[:, cell] + block.effects[:, cell] ** 2 @ block.scale(model.variances)
            both = slope * float(model.variances[:2].sum())
            variance += float((own + slope**2 * one.explained - 2 * slope * both).sum())
            pull[block.of_players] -= slope * one.pull.sum(axis=0)
            pull[who] += len(block.names)
            domains += len(block.names)
        if not domains:
            return None
        pull /= domains
        rest = -pull
        rest[who] += 1
        covariance = model.covariance
        variance = variance / domains**2 + float(2 * rest @ covariance @ pull + rest @ covariance @ rest)
        return _estimate(value / domains, variance, domains, is_rate=True)


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
