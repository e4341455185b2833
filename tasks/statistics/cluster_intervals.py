"""95% intervals of shares, of differences and of other means, from what chance does to their estimates.

Each holds its level with few clusters and near the ends, or does not exist; `tests/benchmarks/coverage.py`
prints how often.
"""

from typing import TYPE_CHECKING

from perennial.tasks.statistics.intervals import LEVEL, Interval
from perennial.tasks.statistics.shares import exact_interval, is_near_an_end

if TYPE_CHECKING:
    from perennial.tasks.statistics.clusters import Estimate

SHARE_METHOD = (
    "Wilson's interval with Student's t for as many trials as give the variance by cluster (CR2, "
    "Satterthwaite's degrees of freedom)"
)
GAP_METHOD = (
    "t interval after t^2 / 4 gains and as many losses are added to as many pairs as give the variance by "
    "cluster (CR2, Satterthwaite's degrees of freedom)"
)
MEAN_METHOD = (
    "t interval by cluster (CR2, Satterthwaite's degrees of freedom), corrected for skewness by Hall's cubic"
)
FEWEST_CLUSTERS = 6
"""A mean without bounds has no interval below this number: none that was tried held 93% there."""
SUPPOSED_CORRELATION = 0.05
"""Between instances of a cluster, where the clusters show no variance; 65 released domains have .056."""
_WEIGHT = 4
"""Degrees of freedom that this supposition is worth beside strata, which hide variance if all are alike."""
ONE_CLUSTER = "one cluster: nothing shows how clusters vary"
TOO_FEW = f"fewer than {FEWEST_CLUSTERS} clusters of unbounded values: no method holds its level"
ALL_ALIKE = "all clusters are alike: their variance is unknown"


def share_interval(of: "Estimate", runs: float) -> Interval:
    """Return the interval of a mean of shares, each instance weighing the same; `runs` are all trials.

    The number of trials is R (1 - R) / variance, and all runs at most. Where fewer than 10 instances' worth
    are right, or are not, it is at most all instances. Strata that differ may make it more than all runs, but
    where fewer than 10 clusters' worth are right, or are not, it is at most all clusters. With one cluster it
    is 1, which has Clopper and Pearson's interval. E. B. Wilson, JASA 22 (1927) 209-212; number of trials:
    E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998) 193-201.
    """
    share = min(1.0, max(0.0, of.ratio))
    if of.clusters < 2:
        return exact_interval(share, 1)
    trials = _count_trials(of, share * (1 - share))
    units = of.clusters if of.is_stratified else of.n
    if is_near_an_end(share * units, units):
        trials = min(trials, units)
    elif not of.is_stratified:
        trials = min(trials, max(runs, units))
    t = student_quantile(of.degrees)
    shrink = 1 + t * t / trials
    middle = (share + t * t / (2 * trials)) / shrink
    half = t * (share * (1 - share) / trials + t * t / (4 * trials * trials)) ** 0.5 / shrink
    return (0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(1.0, middle + half))


def gap_interval(of: "Estimate", mean_square: float) -> Interval | None:
    """Return the interval of a mean of differences in -1..1, each instance weighing the same.

    `mean_square` is the mean of the squared differences q. The number of pairs m is (q - R^2) / variance, and
    that of instances (of clusters, with strata) at most where fewer than 10 of them differ. With t^2 / 4
    pairs of +1 and as many of -1 it is the adjusted interval of D. G. Bonett and R. M. Price (British Journal
    of Mathematical and Statistical Psychology 65 (2012) 479-488) with Student's t: it has width without any
    difference too. None with one cluster.
    """
    if of.clusters < 2:
        return None
    pairs = _count_trials(of, mean_square - of.ratio**2)
    units = of.clusters if of.is_stratified else of.n
    if is_near_an_end(mean_square * units, units):
        pairs = min(pairs, units)
    t = student_quantile(of.degrees)
    added = t * t / 4
    whole = pairs + 2 * added
    middle = of.ratio * pairs / whole
    variance = max(0.0, (mean_square * pairs + 2 * added) / whole - middle**2)
    half = t * (variance / whole) ** 0.5
    return max(-1.0, middle - half), min(1.0, middle + half)


def mean_interval(of: "Estimate") -> Interval | None:
    """Return the interval of a mean of values without bounds; None where `why_no_interval` says why.

    Student's T is replaced by T + g T^2 / 3 + g^2 T^3 / 27 + g / 6, g being the skewness of R: Student's
    interval of skewed values lies too low (P. Hall, Journal of the Royal Statistical Society B 54 (1992)
    221-228).
    """
    if why_no_interval(of) is not None:
        return None
    t, error = student_quantile(of.degrees), of.variance**0.5
    return of.ratio - _unskew(t, of.skewness) * error, of.ratio - _unskew(-t, of.skewness) * error


def why_no_interval(of: "Estimate") -> str | None:
    """Return why a mean of values without bounds has no interval; None where it has one."""
    if of.clusters < 2:
        return ONE_CLUSTER
    if of.clusters < FEWEST_CLUSTERS:
        return TOO_FEW
    return ALL_ALIKE if of.variance <= (1e-12 * max(1.0, abs(of.ratio))) ** 2 else None


def student_quantile(degrees: float) -> float:
    """Return the 0.975 quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + LEVEL) / 2))


def _count_trials(of: "Estimate", variance: float) -> float:
    """Return how many independent draws of this variance leave as much to chance.

    Where the clusters show no variance, instances of one are supposed to be correlated by 0.05. Beside
    strata the supposition counts as 4 degrees of freedom: strata in which all have one outcome hide theirs.
    """
    supposed = 1 + (of.n / of.clusters - 1) * SUPPOSED_CORRELATION
    effect = of.n * of.variance / variance if variance > 1e-15 and of.variance > 1e-18 else None
    if of.is_stratified:
        effect = (of.degrees * (effect or 0.0) + _WEIGHT * supposed) / (of.degrees + _WEIGHT)
    return of.n / (effect or supposed)


def _unskew(value: float, skewness: float) -> float:
    """Return the T at which T + g T^2 / 3 + g^2 T^3 / 27 + g / 6 is the value."""
    from math import cbrt

    if abs(skewness) < 1e-6:
        return value
    return 3 / skewness * (cbrt(1 + skewness * (value - skewness / 6)) - 1)
