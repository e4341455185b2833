"""The cluster bootstrap: of the product, by values; and plainly, one group at a time, in a few lines."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from schemas.ids import derive_seed
from tasks.statistics.intervals import Interval, intervals_of_sums

Group = tuple[Sequence[float], Sequence[str]]


def bootstraps(groups: Sequence[Group], seed: int) -> list[Interval | None]:
    """Return the product's intervals of groups of values, each with the cluster of every value."""
    return intervals_of_sums([_sums(*group) for group in groups], seed)


def bootstrap(values: Sequence[float], clusters: Sequence[str], seed: int) -> Interval | None:
    return bootstraps([(values, clusters)], seed)[0]


def _sums(values: Sequence[float], clusters: Sequence[str]) -> tuple[list[float], list[float]]:
    sums = dict.fromkeys(sorted(set(clusters)), 0.0)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] += value
    sizes = Counter(clusters)
    return list(sums.values()), [sizes[cluster] for cluster in sums]


def plain_bootstrap(values: Sequence[float], clusters: Sequence[str], seed: int) -> tuple[float, float]:
    _, codes = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    sums = np.bincount(codes, weights=np.asarray(values, dtype=float))
    sizes = np.bincount(codes).astype(float)
    count = len(sums)
    generator = np.random.Generator(np.random.PCG64(derive_seed(seed, "cluster_bootstrap", count)))
    means = np.empty(10_000)
    for start in range(0, 10_000, 1_000):
        drawn = generator.multinomial(count, np.full(count, 1 / count), size=1_000)
        means[start : start + 1_000] = (drawn @ sums) / (drawn @ sizes)
    tail = (1 - 0.95) / 2  # not 0.025 to the last bit
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
