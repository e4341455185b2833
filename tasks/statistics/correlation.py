"""Correlation of two scores over the same subjects: players, domains, settings or editions.

Pairs with None, or with a number that is not finite, on either side are left out; `n` says how many stay.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Vector = NDArray[np.float64]

PEARSON_METHOD = "Pearson; 95% interval by Fisher z; p by t with n - 2 degrees of freedom"
SPEARMAN_METHOD = (
    "Spearman; 95% interval by Fisher z, standard error of Bonett and Wright (2000); "
    "p by t with n - 2 degrees of freedom, exact for n <= 8"
)
# All 8! orders are a matrix of 2.6 MB; beyond, the t distribution is close.
EXACT_N = 8
_LEVEL = 0.95
# A side whose values, over the largest, differ by no more than this is constant but for rounding.
_CONSTANT = 1e-11
# Closer to 1 than this, |r| is 1 but for rounding.
_PERFECT = 1e-12


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation over the `n` pairs used, in -1..1, its 95% interval and two-sided p; None: undefined."""

    n: int
    r: float | None
    low: float | None
    high: float | None
    p_value: float | None


def pearson(x: Sequence[float | None], y: Sequence[float | None]) -> Correlation:
    """Return r = sum of dx * dy / sqrt(sum of dx^2 * sum of dy^2), dx and dy being deviations from the means.

    The paper relates KUMO to other benchmarks with it (figure 4c-e). The interval is that of R. A. Fisher
    (1921): tanh(atanh r +- 1.96 / sqrt(n - 3)); p is that of t = r * sqrt((n - 2) / (1 - r^2)). r and p
    are undefined for n < 3 and where a side is constant; the interval also for n = 3 and |r| = 1. Raises
    ValueError where the lengths differ.
    """
    left, right = (_scale(side) for side in _pairs(x, y))
    n = len(left)
    if n < 3 or _is_constant(left) or _is_constant(right):
        return Correlation(n, None, None, None, None)
    r, p_value = _linear(left, right)
    return Correlation(n, r, *_fisher_interval(r, n, 1.0), p_value)


def spearman(x: Sequence[float | None], y: Sequence[float | None]) -> Correlation:
    """Return Pearson's r of the ranks; ties, to twelve digits, share their mean rank.

    The interval is tanh(atanh r +- 1.96 * sqrt((1 + r^2 / 2) / (n - 3))): D. G. Bonett and T. A. Wright,
    Sample size requirements for estimating Pearson, Kendall and Spearman correlations, Psychometrika 65
    (2000) 23-28; with Fieller's 1.06 / (n - 3) it would be narrower wherever |r| > 0.35. p is
    the share of all n! orders with |r| at least as large for n <= 8, where the t approximation calls
    perfect agreement certain (p = 0), and that of t beyond. Undefined cases and errors as in `pearson`.
    """
    left, right = (_ranks(side) for side in _pairs(x, y))
    n = len(left)
    if n < 3 or _is_constant(left) or _is_constant(right):
        return Correlation(n, None, None, None, None)
    r, p_value = _linear(left, right)
    if n <= EXACT_N:
        p_value = _exact_p_value(left, right)
    return Correlation(n, r, *_fisher_interval(r, n, 1 + r * r / 2), p_value)


def _pairs(x: Sequence[float | None], y: Sequence[float | None]) -> tuple[list[float], list[float]]:
    known = [
        (float(a), float(b))
        for a, b in zip(x, y, strict=True)
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    ]
    return [a for a, _ in known], [b for _, b in known]


def _scale(values: list[float]) -> list[float]:
    """Return the values over the largest of them: no sum or square overflows, and r stays the same."""
    largest = max(map(abs, values), default=0.0)
    return [value / largest for value in values] if largest else values


def _is_constant(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= _CONSTANT


def _ranks(values: list[float]) -> list[float]:
    from scipy.stats import rankdata

    # Means of the same runs, summed in another order, differ in the last bit: they are ties.
    return [float(rank) for rank in rankdata([float(f"{value:.12g}") for value in values])]


def _linear(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    from scipy.stats import pearsonr

    result: Any = pearsonr(x, y)
    return float(result.statistic), float(result.pvalue)


def _fisher_interval(r: float, n: int, variance: float) -> tuple[float | None, float | None]:
    """Return the interval whose standard error on Fisher's z scale is sqrt(variance / (n - 3))."""
    if n <= 3 or 1 - abs(r) < _PERFECT:
        return None, None
    half = NormalDist().inv_cdf((1 + _LEVEL) / 2) * math.sqrt(variance / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _exact_p_value(x: Sequence[float], y: Sequence[float]) -> float:
    import numpy as np

    left, right = np.array(x) - np.mean(x), np.array(y) - np.mean(y)
    products = np.abs(right[_orders(len(right))] @ left)
    # Products of ranks are multiples of 1/4: anything within rounding of the observed one is equal to it.
    return float(np.mean(products >= abs(right @ left) - 1e-9))


@cache
def _orders(n: int) -> "NDArray[np.intp]":
    import numpy as np

    return np.array(list(permutations(range(n))), dtype=np.intp)
