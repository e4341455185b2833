"""A player's rates on two sets of instances, standardised to shared domains, and their difference.

Each domain weighs the same on both sides, however many instances it has, so that a difference of domains is
none of the player. What is left to chance are the instances of a domain: they are resampled within domain and
side (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 8.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from schemas.ids import derive_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 9_999
_LEVEL = 0.95
_ROUNDING = 1e-12

# How many instances of a domain have each mean over runs; and that of each domain.
Rates = Mapping[float, int]
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


def compare_standardised(one: Domains, other: Domains, seed: int) -> Difference | None:
    """Return the difference over the domains in which both have two instances or more; None without any.

    The interval holds the middle 95% of 9,999 resampled differences; p is (1 + the number of them as far from
    the observed difference as that is from 0) / 10,000. Resampled deviations are widened by
    sqrt(n / (n - 1)) in a domain of n instances, without which few instances would seem too certain (J. N. K.
    Rao and C. F. J. Wu, Journal of the American Statistical Association 83 (1988) 231-241).
    """
    import numpy as np

    shared = [
        name for name in sorted(one.keys() & other.keys()) if min(_size(one[name]), _size(other[name])) > 1
    ]
    if not shared:
        return None
    generator = np.random.Generator(np.random.PCG64(derive_seed(seed, "stratified_bootstrap", len(shared))))
    rate, other_rate = (sum(_mean(side[name]) for name in shared) / len(shared) for side in (one, other))
    drawn = np.zeros(RESAMPLES)
    for name in shared:
        drawn += (_resample(one[name], generator) - _resample(other[name], generator)) / len(shared)
    value = rate - other_rate
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(value + drawn, [tail, 1 - tail])
    reached = int(np.count_nonzero(np.abs(drawn) >= abs(value) - _ROUNDING))
    return Difference(len(shared), rate, other_rate, float(low), float(high), (1 + reached) / (1 + RESAMPLES))


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


def _size(rates: Rates) -> int:
    return sum(rates.values())


def _mean(rates: Rates) -> float:
    return sum(rate * number for rate, number in rates.items()) / _size(rates)


def _resample(rates: Rates, generator: "np.random.Generator") -> "Floats":
    """Return deviations of resampled means from the mean: a resample counts how often each rate is drawn."""
    import numpy as np

    n = _size(rates)
    values = np.array(sorted(rates))
    shares = np.array([rates[value] for value in sorted(rates)]) / n
    means: Floats = generator.multinomial(n, shares, size=RESAMPLES) @ values / n
    deviations: Floats = (means - shares @ values) * sqrt(n / (n - 1))
    return deviations
