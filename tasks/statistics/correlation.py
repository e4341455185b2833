"""Correlation of two scores over the same subjects: players, domains, settings or editions.

Pairs with None, or with a number that is not finite, on either side are left out; `n` says how many stay.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perennial.schemas.statistics import MODELS, NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Numbers, SettingGrid
from perennial.tasks.statistics.clusters import LEVEL, ClusterDraw, estimate_ratio, headline, within
from perennial.tasks.statistics.multiplicity import Kind, Statistic
from perennial.tasks.statistics.rate_figures import rates_in_units

Pair = tuple[Sequence[float | None], Sequence[float | None]]
PEARSON_METHOD = "Pearson; 95% interval by Fisher z; p by t with n - 2 degrees of freedom"
SPEARMAN_METHOD = (
    "Spearman; 95% interval by Fisher z, standard error of Bonett and Wright (2000); "
    "p by t with n - 2 degrees of freedom, exact for n <= 8"
)
# All 8! orders are a matrix of 2.6 MB; beyond, the t distribution is close.
EXACT_N = 8
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
    return correlate_pairs([(x, y)])[0][0]


def spearman(x: Sequence[float | None], y: Sequence[float | None]) -> Correlation:
    """Return Pearson's r of the ranks; ties, to twelve digits, share their mean rank.

    The interval is tanh(atanh r +- 1.96 * sqrt((1 + r^2 / 2) / (n - 3))): D. G. Bonett and T. A. Wright,
    Sample size requirements for estimating Pearson, Kendall and Spearman correlations, Psychometrika 65
    (2000) 23-28; with Fieller's 1.06 / (n - 3) it would be narrower wherever |r| > 0.35. p is
    the share of all n! orders with |r| at least as large for n <= 8, where the t approximation calls
    perfect agreement certain (p = 0), and that of t beyond. Undefined cases and errors as in `pearson`.
    """
    return correlate_pairs([(x, y)])[0][1]


def correlate_pairs(pairs: Sequence[Pair]) -> list[tuple[Correlation, Correlation]]:
    """Return `pearson` and `spearman` of each pair of scores."""
    from scipy.stats import rankdata

    by_length: dict[int, list[int]] = defaultdict(list)
    cleaned = [_without_gaps(*pair) for pair in pairs]
    for number, pair in enumerate(cleaned):
        by_length[len(pair[0])].append(number)
    related: dict[int, tuple[Correlation, Correlation]] = {}
    # All of one length at once: SciPy's overhead for one pair is a hundred times what the sums take.
    for n, numbers in by_length.items():
        values = np.array([cleaned[number] for number in numbers]).reshape(len(numbers), 2, n)
        # Means of the same runs, summed in another order, differ in the last bit: they are ties.
        rounded = [[[float(f"{value:.12g}") for value in side] for side in pair] for pair in values.tolist()]
        ranks = np.asarray(rankdata(np.array(rounded).reshape(values.shape), axis=2))
        largest = np.abs(values).max(axis=2, initial=0.0, keepdims=True)
        # No sum or square overflows, and r stays the same.
        scaled = values / np.where(largest > 0, largest, 1.0)
        linear = zip(_linear(scaled, lambda _r: 1.0), _by_rank(ranks), strict=True)
        related.update(zip(numbers, linear, strict=True))
    return [related[number] for number in range(len(pairs))]


def _by_rank(ranks: Numbers) -> list[Correlation]:
    related = _linear(ranks, lambda r: 1 + r * r / 2)
    if ranks.shape[2] > EXACT_N:
        return related
    return [
        correlation if correlation.r is None else replace(correlation, p_value=_exact_p_value(*pair))
        for correlation, pair in zip(related, ranks, strict=True)
    ]


def _without_gaps(x: Sequence[float | None], y: Sequence[float | None]) -> tuple[list[float], list[float]]:
    pairs = [
        (float(a), float(b))
        for a, b in zip(x, y, strict=True)
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    ]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _linear(values: Numbers, variance: Callable[[float], float]) -> list[Correlation]:
    """Return the correlation of each pair, whose interval has this variance times n - 3 at its r."""
    from scipy.stats import pearsonr

    n = values.shape[2]
    defined = (np.ptp(values, axis=2) > _CONSTANT).all(axis=1) if n >= 3 else np.zeros(len(values), bool)
    related = [Correlation(n, None, None, None, None)] * len(values)
    if not defined.any():
        return related
    result: Any = pearsonr(*values[defined].swapaxes(0, 1), axis=1)
    for number, r, p_value in zip(
        np.flatnonzero(defined), result.statistic.tolist(), result.pvalue.tolist(), strict=True
    ):
        related[number] = Correlation(n, r, *_fisher_interval(r, n, variance(r)), p_value)
    return related


def _fisher_interval(r: float, n: int, variance: float) -> tuple[float | None, float | None]:
    """Return the interval whose standard error on Fisher's z scale is sqrt(variance / (n - 3))."""
    if n <= 3 or 1 - abs(r) < _PERFECT:
        return None, None
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(variance / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _exact_p_value(x: Numbers, y: Numbers) -> float:
    left, right = x - np.mean(x), y - np.mean(y)
    products = np.abs(right[_orders(len(right))] @ left)
    # Products of ranks are multiples of 1/4: anything within rounding of the observed one is equal to it.
    return float(np.mean(products >= abs(right @ left) - 1e-9))


@cache
def _orders(n: int) -> NDArray[np.intp]:
    return np.array(list(permutations(range(n))), dtype=np.intp)


# How much of the spread of players' scores is theirs, and what correlations would be without chance.
#
# Scores that rest on few clusters scatter by chance, which hides correlations: a true one of .9 shows as .55
# where half of the spread is chance.

FEWEST_PLAYERS = 7
"""Fewer have no correlation: 6 players without any relation show |r| > .8 in 1 of 18 cases."""
FEWEST_INSTANCES = 5
"""Rates in a domain over fewer are chance, or one bit: their correlations are left out."""
METHOD = (
    "1 - mean squared error / variance of players' rates, over the instances that all of them have; errors "
    "are of differences from the players' mean; n counts players"
)
DISATTENUATED_METHOD = (
    "Pearson / sqrt of the product of both reliabilities (supposed 1 of other benchmarks), and so the ends "
    "of its 95% interval by Fisher z; not beyond -1 and 1; n counts players"
)
NOT_RELIABLE = "a reliability is unknown or not above 0: the spread of scores may be chance alone"


class Corrected(NamedTuple):
    """A correlation without chance, with its interval; None where it has none."""

    r: float | None
    low: float | None
    high: float | None


def reliability_figures(grid: SettingGrid, kind: Kind) -> Iterator[Statistic]:
    """Yield `reliability` of the rates of all players and of the models, in all domains and in each.

    `convention` is the population that is drawn again. Fewer than 7 players have none, nor have fewer than 5
    instances of a domain.
    """
    rates, unit = rates_in_units(grid.solved, np.maximum(grid.runs, 1))
    scaled, numbers = rates / unit, grid.domain
    is_model = np.array([kind(player) == MODELS for player in grid.players], bool)
    groups = [(ALL, np.ones_like(is_model))]
    groups += [(MODELS, is_model)] if not is_model.all() else []
    for domain, columns in grid.places():
        for who, chosen in groups:
            kept = np.zeros(grid.runs.shape[1], bool)
            kept[columns] = (grid.runs[chosen][:, columns] > 0).all(axis=0)
            fewest = 1 if domain == ALL else FEWEST_INSTANCES
            if chosen.sum() < FEWEST_PLAYERS or kept.sum() < fewest:
                continue
            draw, population = headline(grid.cluster[kept], numbers[kept], grid.population)
            draws = {population: draw}
            if population == NEW_DOMAINS:
                draws[THESE_DOMAINS] = within(grid.cluster[kept])
            for name, drawn in draws.items():
                value = estimate_reliability(scaled[chosen][:, kept], drawn)
                labels = (grid.setting, domain, who, int(chosen.sum()), value)
                yield Statistic("reliability", *labels, METHOD, convention=name)


def estimate_reliability(rates: Numbers, draw: ClusterDraw) -> float | None:
    """Return the reliability of players' means over instances; a row of rates is a player.

    1 - E n / (n - 1) / s^2, with E the mean over n players of the variance of their rate's difference from
    the mean of all, and s^2 the variance of their rates. With instances drawn alone it is Hoyt's (C. Hoyt,
    Psychometrika 6 (1941) 153-160), which is Cronbach's alpha. At most 1, and below 0 where chance alone
    would spread scores more. None where scores do not vary or nothing can be drawn again.
    """
    ones = np.ones(rates.shape[1])
    deviations = [estimate_ratio(row, ones, draw) for row in rates - rates.mean(axis=0)]
    spread = float(rates.mean(axis=1).var(ddof=1))
    if deviations[0].clusters < 2 or spread < 1e-15:
        return None
    n = len(deviations)
    return round(1 - sum(estimate.variance for estimate in deviations) / (n - 1) / spread, 12)


def disattenuate(observed: Correlation, reliability: float | None, other: float | None) -> Corrected:
    """Return what the correlation would be without chance in either score (C. Spearman 1904)."""
    if reliability is None or other is None or min(reliability, other) <= 0 or observed.r is None:
        return Corrected(None, None, None)
    share = math.sqrt(reliability * other)
    ends = (
        None if end is None else max(-1.0, min(1.0, end / share))
        for end in (observed.r, observed.low, observed.high)
    )
    return Corrected(*ends)
