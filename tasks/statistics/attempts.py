"""What several runs on one instance say together: pass@k and pass^k, for k up to the number of runs.

A player's figure is the mean over instances.
"""

from math import comb, prod


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that at least one of k runs succeeds, estimated from c successes in n runs.

    1 - C(n - c, k) / C(n, k), computed as 1 - product over i = n - c + 1 .. n of (1 - k / i); unbiased.
    Source: Chen et al. 2021, Evaluating Large Language Models Trained on Code, equation 1 and figure 3.
    """
    if n - c < k:
        return 1.0
    return 1.0 - prod(1 - k / i for i in range(n - c + 1, n + 1))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Return the chance that all of k runs succeed (pass^k), estimated from c successes in n runs.

    C(c, k) / C(n, k); unbiased, and 0 where c < k. Source: Yao et al. 2024, tau-bench.
    """
    return comb(c, k) / comb(n, k)
