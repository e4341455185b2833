"""Means over instances that stand in clusters, and how far chance moves them when clusters are redrawn.

Instances of one cluster (a domain, a rule, a pair of texts) are no independent draws: the cluster is. The
variance is CR2's, which is unbiased where instances are independent and nearly so with few clusters of
unlike sizes; its degrees of freedom are Satterthwaite's (R. M. Bell and D. F. McCaffrey, Survey Methodology
28 (2002) 169-181).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers


@dataclass(frozen=True, slots=True)
class Draw:
    """The cluster of each instance that would be drawn again, and the stratum that stays; None: one per draw.

    Without `cluster` each instance is drawn alone, without `strata` all clusters come from one population.
    Both are numbers from 0; a cluster lies in one stratum.
    """

    cluster: "Column | None" = None
    strata: "Column | None" = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """R = sum of sums / sum of sizes, and what chance does to it.

    `variance` is that of R, `degrees` its degrees of freedom (0 with one cluster), `skewness` that of R's
    distribution. `n` counts instances, `clusters` what was drawn. `is_stratified`: strata stay.
    """

    ratio: float
    variance: float
    degrees: float
    skewness: float
    n: int
    clusters: int
    is_stratified: bool


def estimate_ratio(sums: "Numbers", sizes: "Numbers", draw: Draw) -> Estimate:
    """Return R over instances with these sums and sizes (above 0), of which there is at least one.

    The variance is the larger one of that by cluster and that by instance: clusters that agree by chance
    say nothing about instances. Clusters alone in their stratum are taken together as one stratum; where
    only one is, all strata are.
    """
    import numpy as np

    alone = _by_cluster(sums, sizes, None, draw.strata)
    found = alone if draw.cluster is None else _by_cluster(sums, sizes, draw.cluster, draw.strata)
    return Estimate(
        ratio=float(sums.sum()) / float(sizes.sum()),
        variance=max(found.variance, alone.variance),
        degrees=found.degrees,
        skewness=found.skewness,
        n=len(sums),
        clusters=found.clusters,
        is_stratified=draw.strata is not None and bool(np.any(draw.strata != draw.strata[0])),
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    variance: float
    degrees: float
    skewness: float
    clusters: int


def _by_cluster(
    sums: "Numbers", sizes: "Numbers", cluster: "Column | None", strata: "Column | None"
) -> _Spread:
    """Return the variance of R by cluster.

    With M the sum of sizes, M_h that of stratum h, w_i = size_i / M_h and R_h the stratum's ratio, it is the
    sum over clusters of (sum_i - R_h size_i)^2 / (1 - w_i) / M^2. If instances were independent, a stratum
    would have df_h = 1 / (sum of w^2 + (sum of a)^2 - sum of a^2) degrees of freedom, a = w^2 / (1 - w),
    which is the number of clusters - 1 where sizes are equal, and all strata M^2 / sum of (M_h^2 / df_h).
    """
    import numpy as np

    if cluster is not None:
        totals: Numbers = np.bincount(cluster, sums).astype(np.float64)
        numbers: Numbers = np.bincount(cluster, sizes).astype(np.float64)
        if strata is not None:
            of_stratum = np.zeros(len(numbers), np.int64)
            of_stratum[cluster] = strata
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
        stratum = _join_single(strata)
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


def _join_single(strata: "Column") -> "Column":
    """Return numbers of strata, each of which has two clusters or more."""
    import numpy as np

    _, numbers, counts = np.unique(strata, return_inverse=True, return_counts=True)
    is_single = counts[numbers] == 1
    if is_single.sum() == 1:
        return np.zeros(len(strata), np.int64)
    numbers = np.where(is_single, len(counts), numbers)
    joined: Column = np.unique(numbers, return_inverse=True)[1]
    return joined
