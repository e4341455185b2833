"""The probability that fresh draws repeat an instance: the birthday problem with some days taken."""

from math import expm1, fsum, inf, log1p

# Floats end a little above it, and for a smaller space the probability is only larger.
_LARGEST = 10**300


def repeat_probability(size: int, issued: int, draws: int) -> float:
    """Return the probability that `draws` uniform draws repeat an issued instance or each other.

    1 - product of (1 - (issued + i) / size) over i < draws: 1 where there are not so many instances, 0
    where nothing is drawn. Where `size` is only a lower bound of the space's, it is an upper bound.
    """
    if draws < 1:
        return 0.0
    if issued + draws > size:
        return 1.0
    size = min(size, _LARGEST)
    log_of_no_repeat = fsum(log1p(-taken / size) for taken in range(issued, issued + draws))
    return abs(expm1(log_of_no_repeat))


def sufficient_size(issued: int, draws: int, probability: float) -> float:
    """Return a size of the space at which `repeat_probability` is below this one: n^2 / 2p, or more."""
    pairs = draws * (issued + draws)
    return pairs / probability if probability else inf
