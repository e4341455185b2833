"""Means over questions with intervals in which a pair counts once: its two texts are no independent draws."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.intervals import LEVEL, Interval, ratio_and_error
from perennial.tasks.statistics.shares import FEW, exact_interval, is_near_an_end

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

METHOD = "R -+ t s(R), not below 0, pairs being clusters (t of their number - 1)"
EXACT = f"Clopper-Pearson over pairs where fewer than {FEW} pairs' worth is one or the other"
GAP_METHOD = (
    f"mean -+ t s / sqrt(n); where fewer than {FEW} pairs' worth differ, Clopper-Pearson of gains and of "
    "losses joined by the squares of their arms"
)


class Estimate(NamedTuple):
    """A mean over `n` questions with its 95% interval, None where that is undefined."""

    n: int
    value: float
    interval: Interval | None


class Clusters(NamedTuple):
    """Of each pair the sum of its questions' values and their number."""

    sums: "Numbers"
    sizes: "Numbers"


def cluster(values: "Numbers", pair: "Column") -> Clusters:
    """Return the clusters of values whose pairs are these; those of one pair stand side by side."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, pair[1:] != pair[:-1]])
    return Clusters(np.add.reduceat(values, starts), np.diff(np.r_[starts, len(values)]).astype(float))


def estimate_mean(totals: "Column", numbers: "Column", pair: "Column", *, is_share: bool) -> Estimate | None:
    """Return the mean over questions of totals / numbers, which are counts; None where all numbers are 0.

    The unit is the question: each weighs the same, however often it was run. Of a share near 0 or 1 the
    interval is Clopper and Pearson's, as if a pair were one trial: where both texts of every pair are
    solved, they say no more than one of them.
    """
    known = numbers > 0
    if not known.any():
        return None
    rates, unit = rates_in_units(totals[known], numbers[known])
    sums, sizes = cluster(rates, pair[known])
    value = float(sums.sum()) / (unit * len(rates))
    return Estimate(len(rates), value, _interval(Clusters(sums / unit, sizes), value, is_share))


def _interval(of: Clusters, value: float, is_share: bool) -> Interval | None:
    n = len(of.sums)
    if is_share and is_near_an_end(value * n, n):
        return exact_interval(value * n, n)
    if n < 2:
        return None
    half = _quantile(n - 1) * ratio_and_error(*of)[1]
    low, high = value - half, value + half
    return max(0.0, low), min(1.0, high) if is_share else high


def interval_of_average(parts: "Sequence[tuple[Numbers, Column]]", value: float) -> Interval:
    """Return the interval of the unweighted mean of cells (domain x language) whose value this is.

    A part is a domain: of each of its questions (x - m) / (C n), x being the question's value, m and n mean
    and number of its cell, C the number of cells; and its pair, those of a pair side by side. The variance
    of a domain is that of sums over pairs, and domains share no pair: the interval is normal. Near 0 and 1
    it is Clopper and Pearson's, a pair being one trial.
    """
    n, variance = 0, 0.0
    for deviations, pair in parts:
        sums = cluster(deviations, pair).sums
        n += len(sums)
        variance += float((sums**2).sum()) * len(sums) / max(1, len(sums) - 1)
    if is_near_an_end(value * n, n):
        return exact_interval(value * n, n)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(variance)
    return max(0.0, value - half), min(1.0, value + half)


def interval_of_gap(gaps: "Numbers") -> Interval:
    """Return the interval of the mean of differences in -1..1, one per pair.

    Where fewer than 10 pairs' worth differ, Student's interval is too narrow, and a point where none does:
    there gains p and losses q each have Clopper and Pearson's interval, and the arms of p - q are the
    roots of the sums of squares of theirs (G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008)
    1693-1702). Of 60 pairs without a difference that is [-0.060, 0.060].
    """
    import numpy as np

    n, mean = len(gaps), float(gaps.mean())
    if float(np.abs(gaps).sum()) >= FEW:
        half = _quantile(n - 1) * float(gaps.std(ddof=1)) / sqrt(n)
        return max(-1.0, mean - half), min(1.0, mean + half)
    totals = float(gaps[gaps > 0].sum()), float(-gaps[gaps < 0].sum())
    (gain, (gain_low, gain_high)), (loss, (loss_low, loss_high)) = (
        (total / n, exact_interval(total, n)) for total in totals
    )
    low = mean - sqrt((gain - gain_low) ** 2 + (loss_high - loss) ** 2)
    high = mean + sqrt((gain_high - gain) ** 2 + (loss - loss_low) ** 2)
    return max(-1.0, low), min(1.0, high)


def _quantile(degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + LEVEL) / 2))
