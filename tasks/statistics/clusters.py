"""Means over instances that stand in clusters, and how far chance moves them when clusters are redrawn.

Instances of one cluster (a domain, a rule, a pair of texts) are no independent draws: the cluster is. The
variance is CR2's, which is unbiased where instances are independent and nearly so with few clusters of
unlike sizes; its degrees of freedom are Satterthwaite's (R. M. Bell and D. F. McCaffrey, Survey Methodology
28 (2002) 169-181).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.cells import Column, Counts, Mask, Numbers, SettingGrid

# What all 95% intervals share.

Interval = tuple[float, float]

LEVEL = 0.95


# 95% intervals of shares, which never leave 0..1 and never shrink to a point at its ends.

FEW = 10
"""Fewer instances' worth of successes, or of failures, are near 0 or 1: there variances mislead."""


def is_near_an_end(total: float, n: float) -> bool:
    """Return whether a sum of n shares is near 0 or near n."""
    return min(total, n - total) < FEW


def exact_interval(total: float, n: float) -> Interval:
    """Return Clopper and Pearson's interval of total / n, the ends being quantiles of beta distributions.

    Low is the 0.025 quantile of Beta(total, n - total + 1), high the 0.975 quantile of
    Beta(total + 1, n - total); 300 of 300 give (0.988, 1). `total` may be a sum of shares, one for each of n
    instances: a mean of shares varies no more than that of successes with the same mean. C. J. Clopper and
    E. S. Pearson, Biometrika 26 (1934) 404-413.
    """
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = 0.0 if total <= 0 else float(betaincinv(total, n - total + 1, tail))
    high = 1.0 if total >= n else float(betaincinv(total + 1, n - total, 1 - tail))
    return low, high


def wilson_interval(successes: int, n: int) -> Interval | None:
    """Return the Wilson score interval of a proportion of n independent trials (Wilson 1927).

    (p + z2/2n -+ z sqrt(p (1 - p)/n + z2/4n2)) / (1 + z2/n) with p = successes / n, z the normal quantile
    of 0.975 and z2 its square. It lies in 0..1 and holds p; it has width without variance too:
    0 of n gives (0, z2 / (n + z2)). Not for runs that share an instance: their interval would be too
    narrow. None for n = 0.
    """
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    share, shrink = successes / n, 1 + z * z / n
    center = (share + z * z / (2 * n)) / shrink
    half: float = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5 / shrink
    # At the ends the formula gives 0 and 1, which rounding would miss.
    return (0.0 if successes == 0 else center - half, 1.0 if successes == n else center + half)


# 95% intervals of shares, of differences and of other means, from what chance does to their estimates.
#
# Each holds its level with few clusters and near the ends, or does not exist; `tests/benchmarks/coverage.py`
# prints how often.

SHARE_METHOD = (
    "Wilson's interval with Student's t for as many trials as give the variance by cluster (CR2, "
    "Satterthwaite's degrees of freedom)"
)
GAP_METHOD = (
    "t interval after t^2 / 4 gains and as many losses are added to as many pairs as give the variance by "
    "cluster (CR2, Satterthwaite's degrees of freedom)"
)
MEAN_METHOD = (
    "t interval by cluster (CR2, Satterthwaite's degrees of freedom), corrected for skewness by Hall's cubic "
    "and cut off at the least value that there can be"
)
FEWEST_CLUSTERS = 6
"""A mean without bounds has no interval below this number: none that was tried held 93% there."""
SUPPOSED_CORRELATION = 0.05
"""Between instances of a cluster, where the clusters show no variance; 65 released domains have .056."""
_WEIGHT = 4
"""Degrees of freedom that this supposition is worth beside strata, which hide variance if all are alike."""
_MOST_KEPT = 1 << 14  # bytes of a column whose joined strata are kept
ONE_CLUSTER = "one cluster: nothing shows how clusters vary"
TOO_FEW = f"fewer than {FEWEST_CLUSTERS} clusters of unbounded values: no method holds its level"
ALL_ALIKE = "all clusters are alike: their variance is unknown"
BY_DEFINITION = "{} is 0 by definition, as the figure is measured from it"


def share_interval(mean: "Estimate", runs: float) -> Interval:
    """Return the interval of a mean of shares, each instance weighing the same; `runs` are all trials.

    The number of trials is R (1 - R) / variance, and all runs at most. Where fewer than 10 instances' worth
    are right, or are not, it is at most all instances. Strata that differ may make it more than all runs, but
    where fewer than 10 clusters' worth are right, or are not, it is at most all clusters. With one cluster it
    is 1, which has Clopper and Pearson's interval. E. B. Wilson, JASA 22 (1927) 209-212; number of trials:
    E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998) 193-201.
    """
    share = min(1.0, max(0.0, mean.ratio))
    if mean.clusters < 2:
        return exact_interval(share, 1)
    trials = _count_trials(mean, share * (1 - share))
    units = (mean.clusters if mean.is_stratified else mean.n) / mean.weighting
    # Few right or few wrong ones say little of the variance, which then promises more trials than there are.
    if is_near_an_end(share * units, units):
        trials = min(trials, units)
    elif not mean.is_stratified:
        trials = min(trials, max(runs, units))
    t = student_quantile(mean.degrees)
    shrink = 1 + t * t / trials
    middle = (share + t * t / (2 * trials)) / shrink
    half = t * (share * (1 - share) / trials + t * t / (4 * trials * trials)) ** 0.5 / shrink
    return (0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(1.0, middle + half))


def gap_interval(gap: "Estimate", mean_square: float, level: float = LEVEL) -> Interval | None:
    """Return the interval of a mean of differences in -1..1, each instance weighing the same.

    `mean_square` is the mean of the squared differences q. The number of pairs m is (q - R^2) / variance, and
    that of instances (of clusters, with strata) at most where fewer than 10 of them differ. With t^2 / 4
    pairs of +1 and as many of -1 it is the adjusted interval of D. G. Bonett and R. M. Price (British Journal
    of Mathematical and Statistical Psychology 65 (2012) 479-488) with Student's t: it has width without any
    difference too. None with one cluster.
    """
    if gap.clusters < 2:
        return None
    pairs = _count_pairs(gap, mean_square)
    t = student_quantile(gap.degrees, level)
    added = t * t / 4
    whole = pairs + 2 * added
    middle = gap.ratio * pairs / whole
    variance = max(0.0, (mean_square * pairs + 2 * added) / whole - middle**2)
    half = t * (variance / whole) ** 0.5
    return max(-1.0, middle - half), min(1.0, middle + half)


def gap_p_value(gap: "Estimate", mean_square: float) -> float | None:
    """Test that such a mean is 0: p is 1 - level of the `gap_interval` that ends at 0.

    It ends there where u = t^2 / m, with R, q and m as there, is the one root above 0 of
    u^3 / 4 + (q + 1) u^2 / 2 + (q - 3 R^2 / 2) u - R^2. None with one cluster.
    """
    if gap.clusters < 2:
        return None
    square = gap.ratio**2
    roots = np.roots([0.25, (mean_square + 1) / 2, mean_square - 1.5 * square, -square])
    # The others are below 0, or have a real part that is.
    t = (_count_pairs(gap, mean_square) * max(0.0, float(roots.real.max()))) ** 0.5
    return student_p_value(gap.degrees, t)


def _count_pairs(gap: "Estimate", mean_square: float) -> float:
    pairs = _count_trials(gap, mean_square - gap.ratio**2)
    units = gap.clusters if gap.is_stratified else gap.n
    return min(pairs, units) if is_near_an_end(mean_square * units, units) else pairs


def mean_interval(mean: "Estimate", least: float = -inf) -> Interval | None:
    """Return the interval of a mean without an upper bound; None where `why_no_interval` says why.

    Student's T is replaced by T + g T^2 / 3 + g^2 T^3 / 27 + g / 6, g being the skewness of R: Student's
    interval of skewed values lies too low (P. Hall, Journal of the Royal Statistical Society B 54 (1992)
    221-228). What lies below the least possible mean is cut off, which loses no truth. Intervals on the scale
    log(R - least) need no cut, but mostly hold the truth less often where values are skewed.
    """
    if why_no_interval(mean) is not None:
        return None
    t, error = student_quantile(mean.degrees), mean.variance**0.5
    low, high = (mean.ratio - _unskew(end, mean.skewness) * error for end in (t, -t))
    return max(least, low), high


def why_no_interval(mean: "Estimate") -> str | None:
    """Return why a mean of values without bounds has no interval; None where it has one."""
    if mean.clusters < 2:
        return ONE_CLUSTER
    if mean.clusters < FEWEST_CLUSTERS:
        return TOO_FEW
    return ALL_ALIKE if mean.variance <= (1e-12 * max(1.0, abs(mean.ratio))) ** 2 else None


def student_quantile(degrees: float, level: float = LEVEL) -> float:
    """Return the quantile of Student's t that ends an interval of this level."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def student_p_value(degrees: float, t: float) -> float:
    """Return the two-sided p-value of Student's t."""
    from scipy.special import stdtr

    # From the lower tail: 1 - stdtr(degrees, t) would lose the digits of a small p.
    return min(1.0, 2 * float(stdtr(degrees, -abs(t))))


def _count_trials(mean: "Estimate", variance: float) -> float:
    """Return how many independent draws of this variance leave as much to chance.

    Where the clusters show no variance, instances of one are supposed to be correlated by 0.05. Beside
    strata the supposition counts as 4 degrees of freedom: strata in which all have one outcome hide theirs.
    """
    supposed = (1 + (mean.n / mean.clusters - 1) * SUPPOSED_CORRELATION) * mean.weighting
    effect = mean.n * mean.variance / variance if variance > 1e-15 and mean.variance > 1e-18 else None
    if mean.is_stratified:
        effect = (mean.degrees * (effect or 0.0) + _WEIGHT * supposed) / (mean.degrees + _WEIGHT)
    return mean.n / (effect or supposed)


def _unskew(value: float, skewness: float) -> float:
    """Return the T at which T + g T^2 / 3 + g^2 T^3 / 27 + g / 6 is the value."""
    from math import cbrt

    if abs(skewness) < 1e-6:
        return value
    return 3 / skewness * (cbrt(1 + skewness * (value - skewness / 6)) - 1)


@dataclass(frozen=True, slots=True)
class ClusterDraw:
    """The cluster of each instance that would be drawn again, and the stratum that stays; None: one per draw.

    Without `cluster` each instance is drawn alone, without `strata` all clusters come from one population.
    Both are numbers from 0; a cluster lies in one stratum.
    """

    cluster: Column | None = None
    strata: Column | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """R = sum of sums / sum of sizes, and what chance does to it.

    `variance` is that of R, `degrees` its degrees of freedom (0 with one cluster), `skewness` that of R's
    distribution. `n` counts instances, `clusters` what was drawn. `weighting` is n times the sum of squared
    shares in R, 1 where all instances weigh the same. `is_stratified`: strata stay.
    """

    ratio: float
    variance: float
    degrees: float
    skewness: float
    n: int
    clusters: int
    is_stratified: bool
    weighting: float = 1.0


def estimate_ratio(sums: Numbers, sizes: Numbers, draw: ClusterDraw) -> Estimate:
    """Return R over instances with these sums and sizes (above 0), of which there is at least one.

    The variance is the larger one of that by cluster and that by instance: clusters that agree by chance
    say nothing about instances. Clusters alone in their stratum are taken together as one stratum; where
    only one is, its stratum is taken together with the one before it, or after it.
    """
    alone = _by_cluster(sums, sizes, None, draw.strata)
    clustered = alone if draw.cluster is None else _by_cluster(sums, sizes, draw.cluster, draw.strata)
    return Estimate(
        ratio=float(sums.sum()) / float(sizes.sum()),
        # By cluster alone, clusters that agree by chance would give an interval that is too narrow.
        variance=max(clustered.variance, alone.variance),
        degrees=clustered.degrees,
        skewness=clustered.skewness,
        n=len(sums),
        clusters=clustered.clusters,
        weighting=len(sizes) * float((sizes * sizes).sum()) / float(sizes.sum()) ** 2,
        is_stratified=draw.strata is not None and bool(np.any(draw.strata != draw.strata[0])),
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    variance: float
    degrees: float
    skewness: float
    clusters: int


def _by_cluster(sums: Numbers, sizes: Numbers, cluster: Column | None, strata: Column | None) -> _Spread:
    """Return the variance of R by cluster.

    With M the sum of sizes, M_h that of stratum h, w_i = size_i / M_h and R_h the stratum's ratio, it is the
    sum over clusters of (sum_i - R_h size_i)^2 / (1 - w_i) / M^2. If instances were independent, a stratum
    would have df_h = 1 / (sum of w^2 + (sum of a)^2 - sum of a^2) degrees of freedom, a = w^2 / (1 - w),
    which is the number of clusters - 1 where sizes are equal, and all strata M^2 / sum of (M_h^2 / df_h).
    """
    if cluster is not None:
        totals: Numbers = np.bincount(cluster, sums).astype(np.float64)
        numbers: Numbers = np.bincount(cluster, sizes).astype(np.float64)
        if strata is not None:
            of_stratum = np.zeros(len(numbers), np.int64)
            of_stratum[cluster] = strata
            # Clusters are numbered in all instances: those without one here are gaps.
            strata = of_stratum[numbers > 0]
        sums, sizes = totals[numbers > 0], numbers[numbers > 0]
    if len(sums) < 2:
        return _Spread(0.0, 0.0, 0.0, len(sums))
    total = float(sizes.sum())
    if strata is None:
        share = sizes / total
        deviations = sums - float(sums.sum()) / total * sizes
        parts = share * share / (1 - share)
        degrees = 1 / float((share * share - parts * parts).sum() + parts.sum() ** 2)
    else:
        stratum = join_single(strata)
        whole = np.bincount(stratum, sizes)
        share = sizes / whole[stratum]
        deviations = sums - (np.bincount(stratum, sums) / whole)[stratum] * sizes
        parts = share * share / (1 - share)
        spreads = np.bincount(stratum, share * share - parts * parts) + np.bincount(stratum, parts) ** 2
        degrees = total**2 / float((whole * whole * spreads).sum())
    squares = deviations * deviations
    centred = float(squares.sum())
    return _Spread(
        float((squares / (1 - share)).sum()) / total**2,
        degrees,
        float(((deviations / centred**0.5) ** 3).sum()) if centred > 0 else 0.0,
        len(sums),
    )


def join_several(strata: Column) -> Column:
    """Number the strata; two or more that have one cluster each are one."""
    _, numbers, counts = np.unique(strata, return_inverse=True, return_counts=True)
    is_single = counts[numbers] == 1
    if is_single.sum() < 2:
        return numbers
    joined: Column = np.unique(np.where(is_single, len(counts), numbers), return_inverse=True)[1]
    return joined


def join_single(strata: Column) -> Column:
    """Number the strata so that each has two clusters or more, of two clusters at least."""
    if strata.nbytes > _MOST_KEPT:
        return _join_single(strata)
    # Figures of all players and quantities are over the same few instances.
    return _joined(strata.tobytes(), strata.dtype.str)


@lru_cache(maxsize=1 << 10)
def _joined(content: bytes, kind: str) -> Column:
    return _join_single(np.frombuffer(content, kind))


def _join_single(strata: Column) -> Column:
    numbers = join_several(strata)
    counts = np.bincount(numbers)
    if (counts == 1).any():
        single = int(np.argmin(counts))
        numbers = np.where(numbers == single, abs(single - 1), numbers)
        return np.unique(numbers, return_inverse=True)[1]
    return numbers


# Item analysis: what each instance says about the players, and which say nothing.
#
# Classical test theory with instances as items and players as subjects. It shows a maintainer which
# instances to drop from the next edition: those that everybody or nobody solves, and those that good
# players fail where bad ones succeed (negative discrimination).

METHOD = (
    "mean over players; point-biserial correlation with the mean over all other instances, 95% interval by "
    "Fisher z; n counts players"
)
_MIN_PLAYERS = 8
"""By chance alone |r| is above .7 in half of all items with 3 players, in 1 of 16 with 8."""
# Scores are in 0..1 and differ by far more than this, unless they are equal but for rounding.
_CONSTANT = 1e-12
# Closer to 1 than this, |r| is 1 but for rounding.
_PERFECT = 1e-12
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """What `item_statistics` says of a setting's instances, by number; nan: undefined. `n` are players."""

    n: Counts
    share_solved: Numbers
    discrimination: Numbers
    low: Numbers
    high: Numbers


def item_statistics(grid: SettingGrid) -> ItemStatistics:
    """Return what the share of runs that each player solved says of each instance.

    - `share_solved` (the item's difficulty): mean over players. Each weighs the same, however often it
      ran, as players are the sample that an item is judged by. Undefined where nobody played.
    - `discrimination`: Pearson correlation over players of their score on this item with their mean
      score on all OTHER items, as with its own share in it an item correlates with itself (corrected
      item-total correlation; point-biserial where there is one run). J. P. Guilford, The correlation of
      an item with a composite of the remaining items in a test, Educational and Psychological
      Measurement 13 (1953) 87-93. Undefined below 8 players that also have another item, and where either
      side is constant. `low` and `high` are tanh(atanh r -+ 1.96 / sqrt(n - 3)), undefined for |r| = 1.
    """
    seen = grid.runs > 0
    sums = np.array(
        [(solved / np.maximum(runs, 1)).sum() for solved, runs in zip(grid.solved, grid.runs, strict=True)]
    )
    counts = seen.sum(axis=1)
    columns = [np.empty(grid.runs.shape[1]) for _ in range(5)]
    # A part of the instances at a time: six matrices of all of them would not fit into memory.
    step = max(1, _CELLS_AT_ONCE // max(1, len(grid.players)))
    for first in range(0, grid.runs.shape[1], step):
        part = slice(first, first + step)
        scores = (grid.solved[:, part] / np.maximum(grid.runs[:, part], 1)).T
        for whole, values in zip(columns, _statistics(scores, seen[:, part].T, sums, counts), strict=True):
            whole[part] = values
    return ItemStatistics(columns[0].astype(np.int64), *columns[1:])


def _statistics(scores: Numbers, seen: Mask, sums: Numbers, counts: Counts) -> tuple[Numbers, ...]:
    """Return the figures of some instances, a row each; scores are 0 where nobody played."""
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
    # Rounding may take a perfect correlation past 1, where arctanh has no value.
    r = np.where(defined, np.clip(r, -1.0, 1.0), np.nan)
    bounded = defined & (1 - np.abs(r) >= _PERFECT)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) / np.sqrt(np.maximum(players - 3, 1))
    z = np.arctanh(np.where(bounded, r, 0.0))
    low, high = (np.where(bounded, np.tanh(z + side * half), np.nan) for side in (-1, 1))
    return n, shares, r, low, high


def _deviations(values: Numbers, usable: Mask) -> Numbers:
    """Return the usable values less their row's mean, and 0 elsewhere."""
    kept = np.where(usable, values, 0.0)
    means = kept.sum(axis=1, keepdims=True) / np.maximum(usable.sum(axis=1, keepdims=True), 1)
    return np.where(usable, kept - means, 0.0)


# Of which population a group's figure is, and what is drawn again in it.


def headline(cluster: Column, domain: Column, widest: Population) -> tuple[ClusterDraw, Population]:
    """Return how a figure over these instances is drawn again in the widest population that they show.

    With new domains the clusters are drawn. Where they are one, or the domains are the definition, instances
    are drawn in these domains, those of a cluster together.
    """
    if widest == NEW_DOMAINS:
        if bool((cluster != cluster[0]).any()):
            return ClusterDraw(cluster), NEW_DOMAINS
        return ClusterDraw(), THESE_DOMAINS
    return ClusterDraw(cluster, domain), THESE_DOMAINS


def within(cluster: Column) -> ClusterDraw:
    """Return how instances are drawn again in clusters that stay: `these domains` of drawn domains."""
    return ClusterDraw(None, cluster)


class PopulationInterval(NamedTuple):
    """An interval with the population that it is of, or why there is none."""

    low: float | None = None
    high: float | None = None
    population: Population | None = None
    no_interval: str | None = None


class DrawnGap(NamedTuple):
    """A mean of differences in -1..1, of which intervals and p-value agree: they are of one population."""

    mean: Estimate
    mean_square: float
    population: Population

    def bound(self, level: float = LEVEL) -> PopulationInterval:
        """Return the bounds of the mean."""
        interval = gap_interval(self.mean, self.mean_square, level)
        if interval is None:
            return PopulationInterval(no_interval=ONE_CLUSTER)
        return PopulationInterval(*interval, self.population)

    def test(self) -> float | None:
        """Return the p-value of no difference; None with one cluster."""
        return gap_p_value(self.mean, self.mean_square)


def estimate_gap(gaps: Numbers, cluster: Column, domain: Column, widest: Population) -> DrawnGap:
    """Estimate the mean of differences in -1..1, one per instance; there is at least one."""
    draw, population = headline(cluster, domain, widest)
    return DrawnGap(estimate_ratio(gaps, gaps * 0 + 1, draw), float((gaps**2).mean()), population)


def bound_gap(gaps: Numbers, cluster: Column, domain: Column, widest: Population) -> PopulationInterval:
    """Return the bounds of a mean of differences in -1..1, one per instance; there is at least one."""
    return estimate_gap(gaps, cluster, domain, widest).bound()


def bound_share(
    rates: Numbers, runs: float, cluster: Column, domain: Column, widest: Population
) -> PopulationInterval:
    """Return the bounds of a mean of shares, one per instance; there is at least one."""
    return bound_ratio(rates, rates * 0 + 1, *headline(cluster, domain, widest), runs)


def bound_ratio(
    sums: Numbers,
    sizes: Numbers,
    draw: ClusterDraw,
    population: Population,
    runs: float | None = None,
    least: float = -inf,
) -> PopulationInterval:
    """Return the bounds of R over instances with these sums and sizes; of a share, `runs` are all trials.

    `least`: no value of another R is below it.
    """
    estimate = estimate_ratio(sums, sizes, draw)
    if runs is not None:
        return PopulationInterval(*share_interval(estimate, runs), population)
    interval = mean_interval(estimate, least)
    if interval is None:
        return PopulationInterval(no_interval=why_no_interval(estimate))
    return PopulationInterval(*interval, population)
