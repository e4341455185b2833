"""95% intervals of shares, which never leave 0..1 and never shrink to a point at its ends."""

from statistics import NormalDist
from typing import TYPE_CHECKING

from tasks.statistics.intervals import LEVEL, Interval, ratio_and_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEW = 10
"""Fewer instances' worth of successes, or of failures, are near 0 or 1: there the bootstrap is too narrow."""
WILSON_METHOD = "proportion; Wilson score interval"
EXACT_METHOD = f"Clopper-Pearson where fewer than {FEW} instances' worth is solved or is not"
TWO_LEVEL_METHOD = (
    "domains and the instances in them vary: t interval by domain, no narrower than by instance"
)


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
    return (
        0.0 if successes == 0 else center - half,
        1.0 if successes == n else center + half,
    )


def two_level_interval(
    sums: "Floats", sizes: "Floats", starts: "list[int]", is_share: bool
) -> Interval | None:
    """Return the interval of R = sum of sums / sum of sizes when domains vary, and instances in them.

    Instances are clusters, those of a domain side by side; `starts` is where each of the D domains begins.
    The error of R is s(R) of `ratio_and_error` with domains as clusters, which has both levels in it (the
    ultimate cluster's estimate: L. Kish, Survey Sampling, 1965, section 6.5), or that with instances where
    chance makes it larger. The interval is R -+ t s(R), t being Student's quantile for D - 1 degrees of
    freedom; of a share it is Clopper and Pearson's for as many trials as give that error (E. L. Korn and
    B. I. Graubard, Survey Methodology 24 (1998) 193-201), n instances at most. None for one domain.
    """
    import numpy as np
    from scipy.special import stdtrit

    if len(starts) < 2:
        return None
    by_domain = np.add.reduceat(sums, starts), np.add.reduceat(sizes, starts)
    ratio, error = ratio_and_error(sums, sizes)
    error = max(error, ratio_and_error(*by_domain)[1])
    t = float(stdtrit(len(starts) - 1, (1 + LEVEL) / 2))
    if not is_share:
        return ratio - t * error, ratio + t * error
    n, variance = float(len(sums)), ratio * (1 - ratio)
    if error > 0 and variance > 0:
        z = NormalDist().inv_cdf((1 + LEVEL) / 2)
        n = min(n, variance / error**2 * (z / t) ** 2)
    return exact_interval(ratio * n, n)
