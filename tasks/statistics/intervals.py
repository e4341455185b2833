"""Confidence intervals that respect clusters: the runs on one instance are not independent."""

from collections.abc import Sequence

from schemas.ids import derive_seed

RESAMPLES = 10_000
METHOD = f"mean; percentile bootstrap over instances, {RESAMPLES} resamples"
_BLOCK = 1_000


def cluster_bootstrap(
    values: Sequence[float], clusters: Sequence[str], seed: int, level: float = 0.95
) -> tuple[float, float] | None:
    """Return the percentile interval of the mean when whole clusters are resampled.

    `values` and `clusters` are of one length, a value an episode and its instance. The mean of a
    resample is sum of values / number of values over the clusters drawn. None without any value; one
    cluster, or values all alike, give an interval of width 0.
    """
    import numpy as np

    if not values:
        return None
    _, codes = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    sums = np.bincount(codes, weights=np.asarray(values, dtype=float))
    sizes = np.bincount(codes).astype(float)
    count = len(sums)
    generator = np.random.Generator(np.random.PCG64(derive_seed(seed, "cluster_bootstrap", count)))
    means = np.empty(RESAMPLES)
    for start in range(0, RESAMPLES, _BLOCK):
        drawn = generator.multinomial(count, np.full(count, 1 / count), size=_BLOCK)
        means[start : start + _BLOCK] = (drawn @ sums) / (drawn @ sizes)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
