"""Primes, tested in two ways: by Miller and Rabin, and by trial division."""

import math
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# The largest number that is tested.
LARGEST = 10**13
# No composite below the number is a strong probable prime to all of the bases (Jaeschke 1993).
_FEW = (4_759_123_141, (2, 7, 61))
_ALL = (341_550_071_728_321, (2, 3, 5, 7, 11, 13, 17))
_SMALL = frozenset((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61))
_PRODUCT = math.prod(_SMALL)


def is_prime(number: int) -> bool:
    """Return whether the number is prime, by Miller and Rabin's test; raise ValueError above 10^13."""
    _require_testable(number)
    if number < 2:
        return False
    if math.gcd(number, _PRODUCT) > 1:
        return number in _SMALL
    _, bases = _FEW if number < _FEW[0] else _ALL
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(_passes(number, base, twos) for base in bases)


def _passes(number: int, base: int, twos: int) -> bool:
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def has_no_divisor(number: int) -> bool:
    """Return whether the number is prime, by trial division; raise ValueError above 10^13."""
    _require_testable(number)
    primes = _primes()
    return number > 1 and bool((number % primes[: primes.searchsorted(number**0.5, "right")]).all())


def _require_testable(number: int) -> None:
    if number > LARGEST:
        raise ValueError(f"{number} is too large to be tested for a prime, expected at most {LARGEST}")


@cache
def _primes() -> "np.ndarray":
    """Return the primes up to the root of the largest number, by Eratosthenes' sieve."""
    import numpy as np

    is_left = np.ones(int(LARGEST**0.5) + 2, dtype=bool)
    is_left[:2] = False
    for number in range(2, int(len(is_left) ** 0.5) + 1):
        if is_left[number]:
            is_left[number * number :: number] = False
    return np.flatnonzero(is_left)
