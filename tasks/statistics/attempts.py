"""What several runs on one instance say together: a majority label, pass@k and pass^k.

Each is a figure of one instance. A player's is the mean over instances, with `cluster_bootstraps` of the
instances' figures as its interval.
"""

from collections.abc import Sequence
from math import comb, prod

from schemas.errors import InvalidOption


def majority_label(successes: Sequence[bool], k: int) -> bool:
    """Return whether at least k of an instance's runs succeeded (the paper: 3 of 5).

    Source: KUMO, Methods, on the association of topology and performance. With fewer than k runs the
    answer is False; a majority of however many runs were scored is k = runs // 2 + 1. Raises InvalidOption
    for k < 1 and without any run, where there is nothing to label.
    """
    _check_k(k)
    if not successes:
        raise InvalidOption("no run to label: leave out instances without a scored run")
    return sum(successes) >= k


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the chance that at least one of k runs succeeds, estimated from c successes in n runs.

    1 - C(n - c, k) / C(n, k), computed as 1 - product over i = n - c + 1 .. n of (1 - k / i); unbiased.
    Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, equation 1 and figure 3.
    None where n < k. Raises InvalidOption for k < 1 or c outside 0..n.
    """
    _check_counts(n, c, k)
    if n < k:
        return None
    if n - c < k:
        return 1.0
    return 1.0 - prod(1 - k / i for i in range(n - c + 1, n + 1))


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Return the chance that all of k runs succeed (pass^k), estimated from c successes in n runs.

    C(c, k) / C(n, k); unbiased, and 0 where c < k. Source: Yao et al. 2024, tau-bench. None where
    n < k. Raises InvalidOption for k < 1 or c outside 0..n.
    """
    _check_counts(n, c, k)
    return comb(c, k) / comb(n, k) if n >= k else None


def _check_counts(n: int, c: int, k: int) -> None:
    _check_k(k)
    if not 0 <= c <= n:
        raise InvalidOption(f"{c} successes of {n} runs: give a number from 0 to the runs")


def _check_k(k: int) -> None:
    if k < 1:
        raise InvalidOption(f"k = {k}: give at least 1 run")
