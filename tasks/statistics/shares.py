"""95% intervals of shares, which never leave 0..1 and never shrink to a point at its ends."""

from statistics import NormalDist

from perennial.tasks.statistics.intervals import LEVEL, Interval

FEW = 10
"""Fewer instances' worth of successes, or of failures, are near 0 or 1: there variances mislead."""
EXACT_METHOD = f"Clopper-Pearson where fewer than {FEW} instances' worth is solved or is not"


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
