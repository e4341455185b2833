"""Sequences modulo a number that is not shown: Pr9 and A8."""

from collections.abc import Iterator, Sequence
from math import gcd

MODULI = range(20, 201)  # of A8
PRIMES = frozenset(
    p for p in range(7, 398) if all(p % divisor for divisor in range(2, int(p**0.5) + 1))
)  # of Pr9
_FIBONACCI = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]
_FEWEST = 7


def fit_sum_modulo_prime(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next term of s_n = (s_(n-1) + s_(n-2)) mod p, where p shows by a wrap (Pr9)."""
    if len(terms) < _FEWEST or min(terms) < 0:
        return
    modulus = 0
    for n in range(2, len(terms)):
        wrapped = terms[n - 1] + terms[n - 2] - terms[n]
        if wrapped:
            if modulus and wrapped != modulus:
                return
            modulus = wrapped
    if modulus in PRIMES and max(terms) < modulus:
        yield (terms[-1] + terms[-2]) % modulus


def fit_cube_and_fibonacci(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of (a n^3 + b F_n) mod q, n from 1, 0 < a, b < q, q in 20..200 (A8).

    Every three terms give a combination of them that q divides.
    """
    size = len(terms)
    if size < _FEWEST or min(terms) < 0 or max(terms) >= MODULI[-1]:
        return
    v1, v2 = terms[0], terms[1]
    # With F_1 = F_2 = 1: 7 a = v2 - v1 and 7 b = 8 v1 - v2 modulo q, so that q divides every defect.
    seven_a, seven_b = v2 - v1, 8 * v1 - v2
    common = 0
    for n in range(3, size + 1):
        common = gcd(common, n**3 * seven_a + _FIBONACCI[n] * seven_b - 7 * terms[n - 1])
    for q in MODULI:
        if common % q or q <= max(terms):
            continue
        for a in _solve_seven(seven_a, q):
            b = (v1 - a) % q
            if not a or not b:
                continue
            if all((a * n**3 + b * _FIBONACCI[n]) % q == terms[n - 1] for n in range(2, size + 1)):
                yield (a * (size + 1) ** 3 + b * _FIBONACCI[size + 1]) % q


def _solve_seven(right: int, modulus: int) -> Sequence[int]:
    """Return all x with 7 x = right modulo the modulus."""
    if modulus % 7:
        return (right * pow(7, -1, modulus) % modulus,)
    if right % 7:
        return ()
    part = modulus // 7
    return range(right // 7 % part, modulus, part)
