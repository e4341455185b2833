"""95% intervals of sums over instances divided by sums over instances, the mean among them, by bootstrap.

The bootstrap resamples whole clusters (Davison and Hinkley 1997, section 3.8; Field and Welsh 2007). Its
draws depend on the seed and the number of clusters alone, so groups with as many clusters share them: what
a group's interval is never depends on which groups are asked for together. Of thousands of clusters the
normal interval differs from the bootstrap's by less than the chance in its draws.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from schemas.ids import derive_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Interval = tuple[float, float]
Sums = tuple["Sequence[float] | Floats", "Sequence[float] | Floats"]

RESAMPLES = 10_000
LEVEL = 0.95
MOST_RESAMPLED = 5_000  # clusters: 40 kB each while they are drawn, and seconds for each count of them
METHOD = (
    f"percentile bootstrap over instances, {RESAMPLES} resamples; normal beyond {MOST_RESAMPLED} instances"
)
STUDENT_METHOD = "Student's t interval over instances"
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
    10,000 such means; beyond 5,000 clusters it is that of `normal_interval`. A cluster without values is none
    of the group's.

    None for a group without any value. One cluster, or values all alike, give an interval of width 0 (to
    rounding). Memory: 8 kB a cluster of the largest resampled group, 80 kB a group for at most 500 groups,
    and 20 MB.
    """
    import numpy as np

    tail = (1 - LEVEL) / 2
    intervals: list[Interval | None] = [None] * len(groups)
    filled = {}
    for i, group in enumerate(groups):
        sums, sizes = _select_filled(*group)
        if len(sums) > MOST_RESAMPLED:
            intervals[i] = normal_interval(sums, sizes)
        elif len(sums):
            filled[i] = sums, sizes
    for members in _of_one_count(filled):
        means = _resample_means([filled[i] for i in members], seed)
        lows, highs = np.quantile(means, [tail, 1 - tail], axis=1)
        for i, low, high in zip(members, lows, highs, strict=True):
            intervals[i] = float(low), float(high)
    return intervals


def normal_interval(sums: "Floats", sizes: "Floats") -> Interval:
    """Return R -+ 1.96 s(R) for R = sum of sums / sum of sizes over many clusters.

    s(R)^2 = n / (n - 1) * sum of (sum_i - R size_i)^2 / (sum of sizes)^2 (W. G. Cochran, Sampling Techniques,
    1977, equation 6.13, without the finite population's correction).
    """
    ratio, error = ratio_and_error(sums, sizes)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    return ratio - half, ratio + half


def student_interval(values: "Floats") -> Interval | None:
    """Return mean -+ t s / sqrt(n), t Student's 0.975 quantile for n - 1 degrees; None below 2 values."""
    from scipy.special import stdtrit

    n = len(values)
    if n < 2:
        return None
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * float(values.std(ddof=1)) / n**0.5
    return float(values.mean()) - half, float(values.mean()) + half


def ratio_and_error(sums: "Floats", sizes: "Floats") -> tuple[float, float]:
    """Return R = sum of sums / sum of sizes over clusters, and its standard error; 0 for one cluster."""
    total, n = float(sizes.sum()), len(sums)
    ratio = float(sums.sum()) / total
    squares = float(((sums - ratio * sizes) ** 2).sum())
    return ratio, (squares * n / (n - 1)) ** 0.5 / total if n > 1 else 0.0


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
