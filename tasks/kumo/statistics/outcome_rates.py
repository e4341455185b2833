"""Success rates of runs whose instances are known by their number alone."""

from collections.abc import Sequence

from perennial.tasks.statistics.cluster_intervals import share_interval
from perennial.tasks.statistics.clusters import Draw, estimate_ratio
from perennial.tasks.statistics.intervals import Interval


def rate_of_outcomes(runs: Sequence[int], solved: Sequence[int]) -> tuple[float, Interval]:
    """Return the success rate in one domain and its 95% interval for other instances of it.

    An entry of each is an instance: the rate is the mean over instances of the mean over runs, as all success
    rates are; five equal runs on an instance say no more than one.
    """
    import numpy as np

    shares = np.array(solved) / np.array(runs)
    estimate = estimate_ratio(shares, np.ones(len(shares)), Draw())
    return estimate.ratio, share_interval(estimate, sum(runs))
