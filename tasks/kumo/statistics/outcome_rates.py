"""Success rates of runs whose instances are known by their number alone."""

from collections.abc import Sequence

from tasks.statistics.intervals import Interval, intervals_of_sums
from tasks.statistics.shares import exact_interval, is_near_an_end


def rate_of_outcomes(runs: Sequence[int], solved: Sequence[int], seed: int) -> tuple[float, Interval]:
    """Return the success rate and its 95% interval, clustered by instance; an entry of each is an instance.

    The mean over instances of the mean over runs, as all success rates: five equal runs on an instance say
    no more than one.
    """
    shares = [won / played for played, won in zip(runs, solved, strict=True)]
    total, n = sum(shares), len(shares)
    interval = intervals_of_sums([(shares, [1.0] * n)], seed)[0]
    if interval is None or is_near_an_end(total, n):
        interval = exact_interval(total, n)
    return total / n, interval
