"""The cluster bootstrap as editions were first published with: one group at a time, in a few lines."""

from collections.abc import Sequence

import numpy as np

from schemas.ids import derive_seed


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
