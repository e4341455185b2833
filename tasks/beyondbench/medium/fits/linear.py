"""Polynomials, linear recurrences, and recurrences with a term that depends on the position.

A recurrence of order k that fits m terms and one of order l that also does agree on the next term where
k + l <= m (Massey), so that the lowest order that fits decides. Section 3's families F1-F6, G1-G4, G7-G10,
Pr10, X1, X2, X10 and, from 7 terms, A5 are recurrences of order 3 at most or polynomials.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from math import comb, factorial, gcd, isqrt

Number = int | Fraction
Row = tuple[int, int, int]

MAX_DEGREE = 4


def divide(numerator: int, denominator: int) -> Number:
    """The quotient, an int where it is one."""
    whole, rest = divmod(numerator, denominator)
    return Fraction(numerator, denominator) if rest else whole


def fit_polynomial(terms: Sequence[int]) -> Iterator[Number]:
    """The next term of the polynomial of degree <= 4 that m >= degree + 2 terms lie on."""
    row = list(terms)
    total = 0
    for _ in range(MAX_DEGREE + 1):
        if len(row) < 2:
            return
        total += row[-1]
        first = row[0]
        if row[1] == first and all(value == first for value in row):
            yield total
            return
        row = [after - before for before, after in pairwise(row)]


def fit_recurrence(terms: Sequence[int]) -> Iterator[Number]:
    """The next term of the homogeneous recurrence of order k <= 3 that m >= 2k + 1 terms keep."""
    size = len(terms)
    if size >= 3 and is_geometric(terms):
        yield divide(terms[-1] * terms[1], terms[0])
        return
    if size < 5:
        return
    t0, t1, t2, t3 = terms[:4]
    if base := t1 * t1 - t0 * t2:
        near, far = t1 * t2 - t0 * t3, t1 * t3 - t2 * t2
        if all(base * terms[n] == near * terms[n - 1] + far * terms[n - 2] for n in range(4, size)):
            yield divide(near * terms[-1] + far * terms[-2], base)
            return
    if size < 7:
        return
    yield from _fit_third_order(terms)


def is_geometric(terms: Sequence[int]) -> bool:
    """Whether each term is the one before it times one factor."""
    first, second = terms[0], terms[1]
    if not first or second * second != first * terms[2]:
        return False
    return all(first * after == second * before for before, after in pairwise(terms))


def _fit_third_order(terms: Sequence[int]) -> Iterator[Number]:
    # Where the leading Hankel minor is 0, a recurrence of a lower order fits or none of order 3 does.
    rows = [(terms[n - 1], terms[n - 2], terms[n - 3]) for n in range(3, 6)]
    base = _determinant(*rows)
    if not base:
        return
    a, b, c = _cramer(rows, (terms[3], terms[4], terms[5]))
    for n in range(6, len(terms)):
        if base * terms[n] != a * terms[n - 1] + b * terms[n - 2] + c * terms[n - 3]:
            return
    yield divide(a * terms[-1] + b * terms[-2] + c * terms[-3], base)


def fit_perturbed(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of s_n = a s_(n-1) + b s_(n-2) + c s_(n-3) + beta(n), whole a, b, c (X5).

    beta(n) is n or n mod 3, n from 1; from 8 terms.
    """
    size = len(terms)
    if size < 8:
        return
    for modulus in (size + 2, 3):
        rest = [term - n % modulus for n, term in enumerate(terms, 1)]
        for a, b, c in _whole_coefficients(terms, rest):
            if all(rest[n] == a * terms[n - 1] + b * terms[n - 2] + c * terms[n - 3] for n in range(3, size)):
                yield a * terms[-1] + b * terms[-2] + c * terms[-3] + (size + 1) % modulus


def _whole_coefficients(terms: Sequence[int], rest: Sequence[int]) -> Iterator[Row]:
    """Whole a, b, c with rest_n = a s_(n-1) + b s_(n-2) + c s_(n-3) in some places.

    Three equations give one solution; where all three in a row are singular, a and b are tried in -2..2.
    """
    for first in range(3, len(terms) - 2):
        rows = [(terms[n - 1], terms[n - 2], terms[n - 3]) for n in range(first, first + 3)]
        if base := _determinant(*rows):
            x, y, z = rest[first : first + 3]
            (_, q, r), (_, t, u), (_, w, o) = rows
            if not _determinant((x, q, r), (y, t, u), (z, w, o)) % base:
                a, b, c = _cramer(rows, (x, y, z))
                if not (b % base or c % base):
                    yield a // base, b // base, c // base
            return
    index = next((n for n in range(3, len(terms)) if terms[n - 3]), None)
    if index is None:
        return
    for a in range(-2, 3):
        for b in range(-2, 3):
            c, remainder = divmod(rest[index] - a * terms[index - 1] - b * terms[index - 2], terms[index - 3])
            if not remainder:
                yield a, b, c


def _determinant(x: Row, y: Row, z: Row) -> int:
    return (
        x[0] * (y[1] * z[2] - y[2] * z[1])
        - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
    )


def _cramer(rows: Sequence[Row], right: Row) -> Row:
    """The numerators of the three unknowns over the determinant of the rows."""
    (p, q, r), (s, t, u), (v, w, o) = rows
    x, y, z = right
    return (
        _determinant((x, q, r), (y, t, u), (z, w, o)),
        _determinant((p, x, r), (s, y, u), (v, z, o)),
        _determinant((p, q, x), (s, t, y), (v, w, z)),
    )


# Sequences modulo a number that is not shown: Pr9 and A8.

MODULI = range(20, 201)  # of A8
PRIMES = frozenset(
    p for p in range(7, 398) if all(p % divisor for divisor in range(2, int(p**0.5) + 1))
)  # of Pr9
_FIBONACCI = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]
_FEWEST = 7


def fit_sum_modulo_prime(terms: Sequence[int]) -> Iterator[int]:
    """The next term of s_n = (s_(n-1) + s_(n-2)) mod p, where p shows by a wrap (Pr9)."""
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
    """Next term, by each fit of (a n^3 + b F_n) mod q, n from 1, 0 < a, b < q, q in 20..200 (A8).

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
    """All x with 7 x = right modulo the modulus."""
    if modulus % 7:
        return (right * pow(7, -1, modulus) % modulus,)
    if right % 7:
        return ()
    part = modulus // 7
    return range(right // 7 % part, modulus, part)


# Sequences a v_n + c with v_n of a finite list of shapes: G5, G6, Pr4, Pr8, X7, A4, A5, A9.
#
# The differences of a v_n + c are those of v_n times a. Divided by their common divisor and signed so that
# the first one that is not 0 is positive, they are the key of a shape.

MAX_TERMS = 13
_FAR = 10**13  # values beyond this are of no sequence with terms up to a million


def fit_shape(terms: Sequence[int]) -> Iterator[Number]:
    """Next term, by each fit of all a v_n + c that agree with the terms (any rational a)."""
    if len(terms) < 4:
        return
    key, factor = _key_of(terms)
    for following in _shapes_by_key(len(terms)).get(key, ()):
        yield terms[-1] + divide(factor * following.numerator, following.denominator)


def _key_of(terms: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The key of the terms' differences, and the factor that it was divided by."""
    steps = [after - before for before, after in pairwise(terms)]
    factor = gcd(*steps)
    if not factor:
        return (), 0
    if next(step for step in steps if step) < 0:
        factor = -factor
    return tuple([step // factor for step in steps]), factor


@cache
def _shapes_by_key(size: int) -> dict[tuple[int, ...], frozenset[Fraction]]:
    """The steps that follow, by the key of the `size` terms before them."""
    steps_by_key: dict[tuple[int, ...], set[Fraction]] = defaultdict(set)
    for shape in _shapes():
        if len(shape) > size and abs(shape[size]) < _FAR:
            key, factor = _key_of(shape[:size])
            if key:
                steps_by_key[key].add(Fraction(shape[size] - shape[size - 1], factor))
    return {key: frozenset(steps) for key, steps in steps_by_key.items()}


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
    """The convergents of sqrt(d), each evaluated from its innermost quotient outwards."""
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
    """a_n = a_0 a_(n-1) + .. + a_(n-1) a_0 + step n."""
    terms = [first]
    while len(terms) < MAX_TERMS and abs(terms[-1]) < _FAR:
        half, odd = divmod(len(terms), 2)
        pairs = 2 * sum(terms[i] * terms[-1 - i] for i in range(half))
        terms.append(pairs + (terms[half] ** 2 if odd else 0) + step * len(terms))
    return terms
