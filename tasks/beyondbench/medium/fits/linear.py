"""Polynomials, linear recurrences, and recurrences with a term that depends on the position.

A recurrence of order k that fits m terms and one of order l that also does agree on the next term where
k + l <= m (Massey), so that the lowest order that fits decides. Section 3's families F1-F6, G1-G4, G7-G10,
Pr10, X1, X2, X10 and, from 7 terms, A5 are recurrences of order 3 at most or polynomials.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

Number = int | Fraction
Row = tuple[int, int, int]

MAX_DEGREE = 4


def divide(numerator: int, denominator: int) -> Number:
    """Return the quotient, an int where it is one."""
    whole, rest = divmod(numerator, denominator)
    return Fraction(numerator, denominator) if rest else whole


def fit_polynomial(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next term of the polynomial of degree <= 4 that m >= degree + 2 terms lie on."""
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
    """Yield the next term of the homogeneous recurrence of order k <= 3 that m >= 2k + 1 terms keep."""
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
    """Yield the next terms of s_n = a s_(n-1) + b s_(n-2) + c s_(n-3) + beta(n), whole a, b, c (X5).

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
    """Yield whole a, b, c with rest_n = a s_(n-1) + b s_(n-2) + c s_(n-3) in some places.

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
    place = next((n for n in range(3, len(terms)) if terms[n - 3]), None)
    if place is None:
        return
    for a in range(-2, 3):
        for b in range(-2, 3):
            c, remainder = divmod(rest[place] - a * terms[place - 1] - b * terms[place - 2], terms[place - 3])
            if not remainder:
                yield a, b, c


def _determinant(x: Row, y: Row, z: Row) -> int:
    return (
        x[0] * (y[1] * z[2] - y[2] * z[1])
        - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
    )


def _cramer(rows: Sequence[Row], right: Row) -> Row:
    """Return the numerators of the three unknowns over the determinant of the rows."""
    (p, q, r), (s, t, u), (v, w, o) = rows
    x, y, z = right
    return (
        _determinant((x, q, r), (y, t, u), (z, w, o)),
        _determinant((p, x, r), (s, y, u), (v, z, o)),
        _determinant((p, q, x), (s, t, y), (v, w, z)),
    )
