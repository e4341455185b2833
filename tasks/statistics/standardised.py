"""A player's rates on two sets of instances, standardised to shared domains, and their difference.

Each domain weighs the same on both sides, however many instances it has, so that a difference of domains is
none of the player. What is left to chance are the instances of these domains, drawn within domain and side,
those of a cluster together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from perennial.tasks.statistics.clusters import (
    ClusterDraw,
    Estimate,
    estimate_ratio,
    share_interval,
    student_p_value,
    student_quantile,
)

# How many instances of a domain have each mean over runs, by cluster (None: alone); and that of each domain.
Rates = Mapping[tuple[float, int | None], int]
Domains = Mapping[str, Rates]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two standardised rates and their difference, with its 95% interval and two-sided p."""

    domains: int
    rate: float
    other: float
    low: float
    high: float
    p_value: float

    @property
    def value(self) -> float:
        """The rate minus the other rate."""
        return self.rate - self.other


def compare_standardised(base: Domains, other: Domains) -> Difference | None:
    """Return the difference over the domains in which both have two instances or more; None without any.

    Its ends are d - sqrt((r - low)^2 + (high' - r')^2) and d + sqrt((high - r)^2 + (r' - low')^2), from the
    ends of both rates, which have width without variance too (R. G. Newcombe, Statistics in Medicine 17
    (1998) 873-890, method 10). p is that of Student's t for the arm towards 0, so that it is below 0.05 where
    the interval leaves 0 out.
    """
    shared = [
        name for name in sorted(base.keys() & other.keys()) if min(_size(base[name]), _size(other[name])) > 1
    ]
    if not shared:
        return None
    sides = [_estimate([side[name] for name in shared]) for side in (base, other)]
    (low, high), (other_low, other_high) = (share_interval(side, inf) for side in sides)
    rate, other_rate = (sum(_mean(side[name]) for name in shared) / len(shared) for side in (base, other))
    value = rate - other_rate
    below = sqrt((rate - low) ** 2 + (other_high - other_rate) ** 2)
    above = sqrt((high - rate) ** 2 + (other_rate - other_low) ** 2)
    degrees = _join_degrees(sides)
    distance = abs(value) / (below if value > 0 else above) * student_quantile(degrees)
    p_value = student_p_value(degrees, distance)
    return Difference(
        domains=len(shared),
        rate=rate,
        other=other_rate,
        low=max(-1.0, value - below),
        high=min(1.0, value + above),
        p_value=p_value,
    )


def estimate_domain_sd(domains: Domains) -> float | None:
    """Return the standard deviation of the mean over domains when as many others are drawn, with instances.

    s / sqrt(D), with s the standard deviation of the rates of D domains: it holds the chance of instances
    too, as domain rates scatter by both. None below two domains.
    """
    rates = [_mean(rates) for rates in domains.values()]
    if len(rates) < 2:
        return None
    mean = sum(rates) / len(rates)
    return sqrt(sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1) / len(rates))


def _estimate(domains: list[Rates]) -> Estimate:
    """Return the mean of domain means and its error; clusters vary within domains.

    A domain that is one cluster stays, and its instances vary.
    """
    rows, counts = [], []
    names: dict[tuple[int, int], int] = {}
    for domain, rates in enumerate(domains):
        is_one = len({cluster for _, cluster in rates}) == 1
        weight = 1 / _size(rates)
        for (rate, cluster), number in rates.items():
            name = -1
            if cluster is not None and not is_one:
                name = names.setdefault((domain, cluster), len(names))
            rows.append((rate * weight, weight, name, domain))
            counts.append(number)
    sums, sizes, numbers, strata = (np.repeat(column, counts) for column in zip(*rows, strict=True))
    apart = np.where(numbers < 0, len(names) + np.arange(len(numbers)), numbers)
    cluster_numbers = np.unique(apart, return_inverse=True)[1]
    return estimate_ratio(sums, sizes, ClusterDraw(cluster_numbers, strata))


def _join_degrees(sides: list[Estimate]) -> float:
    """Return Welch's degrees of freedom of a difference; of sides without variance the sum of theirs."""
    whole = sum(side.variance for side in sides)
    if whole <= 0:
        return sum(side.degrees for side in sides)
    return whole**2 / sum(side.variance**2 / side.degrees for side in sides)


def _size(rates: Rates) -> int:
    return sum(rates.values())


def _mean(rates: Rates) -> float:
    return sum(rate * number for (rate, _), number in rates.items()) / _size(rates)
