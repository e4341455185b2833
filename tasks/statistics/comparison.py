"""Comparison of two players on the instances that both played.

An instance is as hard for one player as for the other, so pairing takes its difficulty out of the
difference; instances of one player alone are left out. p-values of all pairs of a report belong together:
`tasks.statistics.multiplicity.holm`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from tasks.statistics.intervals import RESAMPLES, cluster_bootstraps

Scores = Mapping[str, Sequence[float]]

DIFFERENCE_METHOD = (
    f"mean difference over shared instances; percentile bootstrap over instances, {RESAMPLES} resamples"
)
MCNEMAR_METHOD = "majority labels on shared instances; McNemar exact, two-sided"


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean over `n_instances` of a's mean minus b's, and its 95% interval; None without instances."""

    n_instances: int
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class McNemar:
    """Of `n` instances, how many only one player solved, and the p-value of a difference that large."""

    n: int
    only_a: int
    only_b: int
    p_value: float


def paired_difference(a: Scores, b: Scores, seed: int) -> PairedDifference:
    """Return one pair's difference: `paired_differences` of it alone, which see."""
    return paired_differences([(a, b)], seed)[0]


def paired_differences(pairs: Sequence[tuple[Scores, Scores]], seed: int) -> list[PairedDifference]:
    """Return each pair's mean over shared instances of (mean of a's runs - mean of b's runs).

    `a` and `b` hold the values of each instance's runs; an instance counts once, however many runs it has.
    The interval is the cluster bootstrap of the instances' differences, seeded; pairs on as many instances
    share its draws, so many pairs are far cheaper together. Difference and interval are None where no
    instance has a run of both.
    """
    differences = [_differences(a, b) for a, b in pairs]
    intervals = cluster_bootstraps([(list(each.values()), list(each)) for each in differences], seed)
    return [
        PairedDifference(0, None, None, None)
        if interval is None
        else PairedDifference(len(each), fsum(each.values()) / len(each), *interval)
        for each, interval in zip(differences, intervals, strict=True)
    ]


def mcnemar_of_counts(n: int, only_a: int, only_b: int) -> McNemar:
    """Return McNemar's exact test of whether two players solve equally many of `n` shared instances.

    Of m instances that one player alone solved, each is equally likely to be either's if they are equal:
    p = min(1, 2 P(X <= min(only_a, only_b))) with X binomial(m, 1/2), which is 1.0 for m = 0. Sources:
    McNemar 1947; Fagerland, Lydersen and Laake 2013 (the exact conditional test).
    """
    return McNemar(n, only_a, only_b, _sign_test(only_a, only_b))


def _differences(a: Scores, b: Scores) -> dict[str, float]:
    shared = sorted(name for name in a.keys() & b.keys() if a[name] and b[name])
    return {name: fsum(a[name]) / len(a[name]) - fsum(b[name]) / len(b[name]) for name in shared}


def _sign_test(first: int, second: int) -> float:
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))
