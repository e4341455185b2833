"""Sequences a v_n + c with v_n of a finite list of shapes: G5, G6, Pr4, Pr8, X7, A4, A5, A9.

The differences of a v_n + c are those of v_n times a. Divided by their common divisor and signed so that the
first one that is not 0 is positive, they are the key of a shape.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from math import comb, factorial, gcd, isqrt

from perennial.tasks.beyondbench.medium.fits.linear import Number, divide

MAX_TERMS = 13
_FAR = 10**13  # values beyond this are of no sequence with terms up to a million


def fit_shape(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next terms of all a v_n + c that agree with the terms (any rational a)."""
    if len(terms) < 4:
        return
    key, factor = _key_of(terms)
    for following in _shapes_by_key(len(terms)).get(key, ()):
        yield terms[-1] + divide(factor * following.numerator, following.denominator)


def _key_of(terms: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Return the key of the terms' differences, and the factor that it was divided by."""
    steps = [after - before for before, after in pairwise(terms)]
    factor = gcd(*steps)
    if not factor:
        return (), 0
    if next(step for step in steps if step) < 0:
        factor = -factor
    return tuple([step // factor for step in steps]), factor


@cache
def _shapes_by_key(size: int) -> dict[tuple[int, ...], frozenset[Fraction]]:
    """Return the steps that follow, by the key of the `size` terms before them."""
    found: dict[tuple[int, ...], set[Fraction]] = defaultdict(set)
    for shape in _shapes():
        if len(shape) > size and abs(shape[size]) < _FAR:
            key, factor = _key_of(shape[:size])
            if key:
                found[key].add(Fraction(shape[size] - shape[size - 1], factor))
    return {key: frozenset(steps) for key, steps in found.items()}


def _shapes() -> Iterator[list[int]]:
    yield [factorial(n) for n in range(1, MAX_TERMS + 1)]
    yield [2 ** (2**n) for n in range(6)]
    mersenne = [2**p - 1 for p in (2, 3, 5, 7, 11, 13, 17, 19)]
    yield from (mersenne[start:] for start in range(4))
    catalan = [comb(2 * n, n) // (n + 1) for n in range(22)]
    yield from (catalan[start:] for start in range(10))
    for modulus in range(11, 32):
        yield from (_power_and_square(base, modulus) for base in range(2, modulus))
    for d in range(2, 51):
        if isqrt(d) ** 2 != d:
            fractions = list(_convergents(d))
            for start in range(4):
                yield [f.numerator for f in fractions[start:]]
                yield [f.denominator for f in fractions[start:]]
    for trace in (6, *range(4, 20, 2)):
        # x_(n+1) = 2 x_1 x_n - x_(n-1), and so for y; y is a multiple of 0, 1, 2 x_1, ...
        for start in range(3):
            yield _two_step(1, trace // 2, trace)[start : start + MAX_TERMS]
            yield _two_step(0, 1, trace)[start : start + MAX_TERMS]
    for first in (-3, -2, -1, 1, 2, 3, 4):
        yield from (_self_convolution(first, step) for step in range(-30, 31))


def _power_and_square(base: int, modulus: int) -> list[int]:
    powers = list(accumulate([base] * MAX_TERMS, lambda before, factor: before * factor % modulus))
    return [(power + n * n) % modulus for n, power in enumerate(powers, 1)]


def _convergents(d: int) -> Iterator[Fraction]:
    """Yield the convergents of sqrt(d), each evaluated from its innermost quotient outwards."""
    whole = isqrt(d)
    quotients = [whole]
    m, denominator = 0, 1
    while len(quotients) < MAX_TERMS + 4:
        m = denominator * quotients[-1] - m
        denominator = (d - m * m) // denominator
        quotients.append((whole + m) // denominator)
    for count in range(1, len(quotients) + 1):
        value = Fraction(quotients[count - 1])
        for quotient in reversed(quotients[: count - 1]):
            value = quotient + 1 / value
        yield value


def _two_step(first: int, second: int, trace: int) -> list[int]:
    terms = [first, second]
    while len(terms) < MAX_TERMS + 2:
        terms.append(trace * terms[-1] - terms[-2])
    return terms


def _self_convolution(first: int, step: int) -> list[int]:
    """Return a_n = a_0 a_(n-1) + .. + a_(n-1) a_0 + step n."""
    terms = [first]
    while len(terms) < MAX_TERMS and abs(terms[-1]) < _FAR:
        half, odd = divmod(len(terms), 2)
        pairs = 2 * sum(terms[i] * terms[-1 - i] for i in range(half))
        terms.append(pairs + (terms[half] ** 2 if odd else 0) + step * len(terms))
    return terms
