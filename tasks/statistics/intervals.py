"""95% intervals: by bootstrap where runs on one instance are not independent, Wilson's where they are.

The bootstrap resamples whole clusters (Davison and Hinkley 1997, section 3.8; Field and Welsh 2007). Its
draws depend on the seed and the number of clusters alone, so groups with as many clusters share them: what
a group's interval is never depends on which groups are asked for together.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from schemas.ids import derive_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Interval = tuple[float, float]
Sums = tuple["Sequence[float] | Floats", "Sequence[float] | Floats"]

RESAMPLES = 10_000
_LEVEL = 0.95
METHOD = (
    f"mean over instances of the mean over runs; percentile bootstrap over instances, {RESAMPLES} resamples"
)
WILSON_METHOD = "proportion; Wilson score interval"
# Published figures rest on products of _BLOCK rows: BLAS rounds other shapes differently in the last bit.
_BLOCK = 1_000
# Counts are drawn as integers of 8 bytes before they are floats of 8 bytes: few rows at a time.
_DRAWN_ROWS = 100
_GROUPS_AT_ONCE = 500
_MOST_KEPT = 256  # clusters: 80 kB each
_EXACT = 2.0**53  # whole numbers below it are exact as floats


def intervals_of_sums(groups: Sequence[Sums], seed: int) -> list[Interval | None]:
    """Return each group's percentile interval of the mean when whole clusters are resampled.

    A group is its clusters' sums and, of the same length, their numbers of values: a value an episode, a
    cluster an instance. A resample draws as
    many clusters as there are, with replacement; its mean is the sum of values / the number of values over
    the clusters drawn, so that a cluster weighs by its episodes. The interval holds the middle 95% of
    10,000 such means. A cluster without values is none of the group's.

    None for a group without any value. One cluster, or values all alike, give an interval of width 0 (to
    rounding). Memory: 8 kB a cluster of the largest group, 80 kB a group for at most 500 groups, and 20 MB.
    """
    import numpy as np

    tail = (1 - _LEVEL) / 2
    filled = {i: sums for i, group in enumerate(groups) if len((sums := _select_filled(*group))[0])}
    intervals: list[Interval | None] = [None] * len(groups)
    for members in _of_one_count(filled):
        means = _resample_means([filled[i] for i in members], seed)
        lows, highs = np.quantile(means, [tail, 1 - tail], axis=1)
        for i, low, high in zip(members, lows, highs, strict=True):
            intervals[i] = float(low), float(high)
    return intervals


def wilson_interval(successes: int, n: int) -> Interval | None:
    """Return the Wilson score interval of a proportion of n independent trials (Wilson 1927).

    (p + z2/2n -+ z sqrt(p (1 - p)/n + z2/4n2)) / (1 + z2/n) with p = successes / n, z the normal quantile
    of 0.975 and z2 its square. It lies in 0..1 and holds p; it has width without variance too:
    0 of n gives (0, z2 / (n + z2)). Not for runs that share an instance: their interval would be too
    narrow. None for n = 0.
    """
    from statistics import NormalDist

    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + _LEVEL) / 2)
    share, shrink = successes / n, 1 + z * z / n
    center = (share + z * z / (2 * n)) / shrink
    half: float = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5 / shrink
    # At the ends the formula gives 0 and 1, which rounding would miss.
    return (
        0.0 if successes == 0 else center - half,
        1.0 if successes == n else center + half,
    )


def _select_filled(
    sums: "Sequence[float] | Floats", sizes: "Sequence[float] | Floats"
) -> "tuple[Floats, Floats]":
    """Return the group's clusters that have values, as arrays."""
    import numpy as np

    counted = np.asarray(sizes, dtype=np.float64)
    return np.asarray(sums, dtype=np.float64)[counted > 0], counted[counted > 0]


def _of_one_count(groups: "dict[int, tuple[Floats, Floats]]") -> Iterator[list[int]]:
    """Yield the groups' indices, those with as many clusters together and a bounded number at once."""
    by_count: dict[int, list[int]] = defaultdict(list)
    for i, (sums, _) in groups.items():
        by_count[len(sums)].append(i)
    for members in by_count.values():
        for start in range(0, len(members), _GROUPS_AT_ONCE):
            yield members[start : start + _GROUPS_AT_ONCE]


def _resample_means(groups: "Sequence[tuple[Floats, Floats]]", seed: int) -> "Floats":
    """Return the means of all resamples, a row a group; all groups have as many clusters."""
    import numpy as np

    count = len(groups[0][0])
    sizes = np.stack([size for _, size in groups], axis=1)
    means = np.empty((len(groups), RESAMPLES))
    whole = [group for group, (sums, _) in enumerate(groups) if _is_whole(sums)]
    others = sorted(set(range(len(groups))) - set(whole))
    together = np.stack([groups[group][0] for group in whole], axis=1) if whole else None
    blocks = _kept_draws(seed, count) if count <= _MOST_KEPT else _draws(seed, count)
    for start, drawn in zip(range(0, RESAMPLES, _BLOCK), blocks, strict=True):
        # Whole numbers are exact in any order of adding; other sums are not, hence one product a group.
        values = drawn @ sizes
        if together is not None:
            means[whole, start : start + _BLOCK] = ((drawn @ together) / values[:, whole]).T
        for group in others:
            means[group, start : start + _BLOCK] = (drawn @ groups[group][0]) / values[:, group]
    return means


def _is_whole(sums: "Floats") -> bool:
    """Return whether every sum of these, each taken as often as there are clusters, is exact."""
    import numpy as np

    return bool(np.all(sums == np.floor(sums)) and np.abs(sums).max() * len(sums) < _EXACT)


@lru_cache(maxsize=1)
def _kept_draws(seed: int, count: int) -> "tuple[Floats, ...]":
    """Return the draws for groups of few clusters, of which there may be thousands."""
    return tuple(_draws(seed, count))


def _draws(seed: int, count: int) -> "Iterator[Floats]":
    """Yield how often each cluster is drawn, a row a resample, a block of resamples at a time."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(derive_seed(seed, "cluster_bootstrap", count)))
    shares = np.full(count, 1 / count)
    for _ in range(0, RESAMPLES, _BLOCK):
        drawn = np.empty((_BLOCK, count))
        for row in range(0, _BLOCK, _DRAWN_ROWS):
            drawn[row : row + _DRAWN_ROWS] = generator.multinomial(count, shares, size=_DRAWN_ROWS)
        yield drawn
