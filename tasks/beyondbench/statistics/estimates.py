"""A mean at some level of cell -> task -> suite -> overall, with what its interval and deviation need.

A cell's value is a mean over its instances; a task's is the unweighted mean of its cells, a suite's of its
tasks, the overall one of the suites (sections 3 and 4 of the paper; checked on its table 3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING

from perennial.tasks.statistics.intervals import LEVEL, Interval
from perennial.tasks.statistics.shares import exact_interval, is_near_an_end

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Numbers


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of cells over `n` instances.

    `drawn` are its values when the instances of each cell are resampled: 10,000, or one where all are equal.
    `inverse_size` is the sum over its cells of weight^2 / instances: 1 / `inverse_size` instances of one
    cell would leave as much to chance. `cells` are the values of its cells.
    """

    value: float
    n: int
    drawn: "Numbers"
    inverse_size: float
    cells: tuple[float, ...]


def mean_of(parts: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean of estimates that share no instance."""
    number = len(parts)
    drawn = parts[0].drawn
    for part in parts[1:]:
        drawn = drawn + part.drawn
    return Estimate(
        fsum(part.value for part in parts) / number,
        sum(part.n for part in parts),
        drawn / number,
        fsum(part.inverse_size for part in parts) / number**2,
        tuple(cell for part in parts for cell in part.cells),
    )


def interval_of(estimate: Estimate, *, is_share: bool) -> Interval:
    """Return the middle 95% of the resampled values; of a share near 0 or 1 Clopper and Pearson's interval.

    Near is as in `perennial.tasks.statistics.shares`, for as many instances as leave the same to chance: a
    player that solved all of 100 gets (0.964, 1), where resampling would give (1, 1).
    """
    import numpy as np

    if is_share:
        size = 1 / estimate.inverse_size
        total = estimate.value * size
        if is_near_an_end(total, size):
            return exact_interval(min(total, size), size)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(estimate.drawn, [tail, 1 - tail])
    return float(low), float(high)


def deviation_of(estimate: Estimate) -> float | None:
    """Return the population standard deviation of its cells' values; None for one cell.

    It is what the paper prints after its means, and says how much cells differ, not how sure a mean is.
    """
    number = len(estimate.cells)
    if number < 2:
        return None
    mean = fsum(estimate.cells) / number
    return sqrt(fsum((value - mean) ** 2 for value in estimate.cells) / number)
