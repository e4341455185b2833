"""Means over items with intervals in which a rule counts once: its items are no independent draws."""

from typing import TYPE_CHECKING, NamedTuple

from tasks.statistics.intervals import LEVEL, Interval, ratio_and_error
from tasks.statistics.shares import FEW, exact_interval, is_near_an_end

if TYPE_CHECKING:
    from tasks.statistics.cells import Column, Numbers

METHOD = (
    "mean over items of the mean over scored runs; 95% interval R -+ t s(R), rules being clusters (t of "
    f"their number - 1); Clopper-Pearson over rules where fewer than {FEW} rules' worth is one or the other"
)
GAP_METHOD = (
    "mean over pairs of an item and its copy of the difference of their rates; 95% interval mean -+ t s / "
    f"sqrt(n) over pairs; where fewer than {FEW} pairs' worth differ, Clopper-Pearson of gains and of losses "
    "joined by the squares of their arms"
)


class Estimate(NamedTuple):
    """A mean over `n` items or pairs with its 95% interval, None where that is undefined."""

    n: int
    value: float
    interval: Interval | None


def estimate_share(rates: "Numbers", rules: "Column") -> Estimate | None:
    """Return the mean of rates in 0..1, one an item, whose rules have these numbers; None without any."""
    import numpy as np

    if not len(rates):
        return None
    _, cluster = np.unique(rules, return_inverse=True)
    sums: Numbers = np.bincount(cluster, rates).astype(np.float64)
    sizes: Numbers = np.bincount(cluster).astype(np.float64)
    value, error = ratio_and_error(sums, sizes)
    n = len(sums)
    if is_near_an_end(value * n, n):
        return Estimate(len(rates), value, exact_interval(value * n, n))
    half = _quantile(n - 1) * error
    return Estimate(len(rates), value, (max(0.0, value - half), min(1.0, value + half)))


def estimate_gap(gaps: "Numbers") -> Estimate | None:
    """Return the mean of differences in -1..1, one a pair; None without any.

    Where fewer than 10 pairs' worth differ, Student's interval is too narrow: there gains p and losses q
    each have Clopper and Pearson's interval, and the arms of p - q are the roots of the sums of squares of
    theirs (G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702).
    """
    import numpy as np

    n = len(gaps)
    if not n:
        return None
    mean = float(gaps.mean())
    if float(np.abs(gaps).sum()) >= FEW:
        half = _quantile(n - 1) * float(gaps.std(ddof=1)) / n**0.5
        return Estimate(n, mean, (max(-1.0, mean - half), min(1.0, mean + half)))
    totals = float(gaps[gaps > 0].sum()), float(-gaps[gaps < 0].sum())
    (gain, (gain_low, gain_high)), (loss, (loss_low, loss_high)) = (
        (total / n, exact_interval(total, n)) for total in totals
    )
    low = mean - ((gain - gain_low) ** 2 + (loss_high - loss) ** 2) ** 0.5
    high = mean + ((gain_high - gain) ** 2 + (loss - loss_low) ** 2) ** 0.5
    return Estimate(n, mean, (max(-1.0, low), min(1.0, high)))


def _quantile(degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + LEVEL) / 2))
