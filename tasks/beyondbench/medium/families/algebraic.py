"""A1-A10: roots, transcendental functions and convergents rounded down (section H.5).

Irrational values are decimals of 50 digits; one within 1e-9 of a whole number makes no sequence.
"""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from functools import cache
from itertools import pairwise
from math import isqrt, log
from operator import mul

from perennial.tasks.beyondbench.medium.family import Rule, Terms, box_rules, by_name, extend, scale_rules

DIGITS = 50
NEAR = Decimal("1e-9")
SHIFT = 9_999
_CONTEXT = Context(prec=DIGITS + 10)
_FIBONACCI = (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233)
_PELL = (2, *(k * k - 1 for k in range(2, 10)))


def _radical(rule: Rule, count: int) -> Terms:
    first, c, d, e = rule
    return extend([first], count, lambda terms: isqrt(c * terms[-1] + d * (len(terms) + 1) ** 2 + e))


def _floors(value: Callable[[int, int], Decimal]) -> Callable[[Rule, int], Terms | None]:
    """The terms of (k, c, s): floor(c value(k, n)) + s."""

    def terms(rule: Rule, count: int) -> Terms | None:
        k, c, shift = rule
        shifted = []
        for n in range(1, count + 1):
            term = round_down(_CONTEXT.multiply(value(k, n), c))
            if term is None:
                return None
            shifted.append(term + shift)
        return shifted

    return terms


def round_down(value: Decimal) -> int | None:
    """The value rounded down, None within 1e-9 of a whole number."""
    whole = int(value)
    rest = _CONTEXT.subtract(value, whole)
    if rest < 0:
        whole, rest = whole - 1, rest + 1
    return whole if NEAR < rest < 1 - NEAR else None


@cache
def _exponential(k: int, n: int) -> Decimal:
    return _CONTEXT.divide(Decimal(n), Decimal(k)).exp(_CONTEXT)


@cache
def _nested_radical(_k: int, n: int) -> Decimal:
    root = Decimal(n).sqrt(_CONTEXT)
    for _ in range(2):
        root = _CONTEXT.add(root, n).sqrt(_CONTEXT)
    return root


@cache
def _lambert(k: int, n: int) -> Decimal:
    """w with w + ln w = ln(k n), by Newton's method: in doubles, then in decimals."""
    start = 1.0
    for _ in range(12):
        start -= (start + log(start) - log(k * n)) * start / (start + 1)
    with localcontext(_CONTEXT):
        target = Decimal(k * n).ln()
        w = Decimal(start)
        for _ in range(3):
            w -= (w + w.ln() - target) * w / (w + 1)
        return w


@cache
def _irrational(index: int) -> Decimal:
    with localcontext(_CONTEXT):
        return (Decimal(2).sqrt(), Decimal(3).sqrt(), Decimal(5).sqrt(), (1 + Decimal(5).sqrt()) / 2)[index]


def _beatty(rule: Rule, count: int) -> Terms | None:
    index, k, hundredths = rule
    alpha = _CONTEXT.multiply(_irrational(index), k)
    beta = Decimal(hundredths).scaleb(-2, _CONTEXT)
    beatty = []
    for n in range(1, count + 1):
        term = round_down(_CONTEXT.fma(alpha, n, beta))
        if term is None:
            return None
        beatty.append(term)
    return beatty


def _convergent_vector(shape: Rule, count: int) -> Terms:
    """Numerators (0) or denominators (1) of the convergents of sqrt D: (D, which, first)."""
    d, which, start = shape
    root = isqrt(d)
    m, under, quotient = 0, 1, root
    old, new = ((1, root), (0, 1))[which]
    terms = [new]
    while len(terms) < start + count:
        m = under * quotient - m
        under = (d - m * m) // under
        quotient = (root + m) // under
        old, new = new, quotient * new + old
        terms.append(new)
    return terms[start:]


def _pell_vector(shape: Rule, count: int) -> Terms:
    """x (0) or y (1) of the solutions of x^2 - D y^2 = 1, eq. 101: (D, which, first)."""
    d, which, start = shape
    x1, y1 = next(
        (isqrt(d * y * y + 1), y) for y in range(1, 9) if isqrt(d * y * y + 1) ** 2 == d * y * y + 1
    )
    x, y = 1, 0
    terms = []
    for _ in range(start + count):
        terms.append((x, y)[which])
        x, y = x1 * x + d * y1 * y, x1 * y + y1 * x
    return terms[start:]


def _cubes_modulo(rule: Rule, count: int) -> Terms | None:
    q, a, b = rule
    if not (a % q and b % q) or max(a, b) >= q:
        return None
    return [(a * n**3 + b * _FIBONACCI[n]) % q for n in range(1, count + 1)]


def _wraps_twice(rule: Rule, terms: Terms) -> bool:
    return sum(after < before for before, after in pairwise(terms)) >= 2


def _convolution_vector(shape: Rule, count: int) -> Terms:
    first, step = shape
    return extend([first], count, lambda terms: sum(map(mul, terms, reversed(terms))) + step * len(terms))


def _ratio_floor(rule: Rule, count: int) -> Terms | None:
    first, a, b = rule
    if a == b:
        return None
    terms = extend([first], count, lambda terms: terms[-1] * (len(terms) + a) // (len(terms) + b))
    return terms if terms[-1] > 1 else None


_ROOTS = [d for d in range(2, 51) if isqrt(d) ** 2 != d]
_CONVERGENTS: Sequence[Rule] = [(d, which, start) for d in _ROOTS for which in (0, 1) for start in range(4)]
_SOLUTIONS: Sequence[Rule] = [(d, which, start) for d in _PELL for which in (0, 1) for start in range(3)]

FAMILIES = by_name(
    # s_n = floor sqrt(c s_(n-1) + d n^2 + e): (s_1, c, d, e).
    box_rules("radical_recurrence", (8, 9, 10), [(2, 2_000), (2, 9), (2, 9), (0, 500)], _radical),
    # floor(c e^(n/k)) + s: (k, c, s).
    box_rules("transcendental", (8, 9, 10), [(2, 12), (2, 999), (-SHIFT, SHIFT)], _floors(_exponential)),
    # floor(c sqrt(n + sqrt(n + sqrt n))) + s: (1, c, s).
    box_rules("nested_radical", (8, 10, 12), [(1, 1), (2, 999), (-SHIFT, SHIFT)], _floors(_nested_radical)),
    # a v + c, v numerators or denominators of the convergents of sqrt D: (D, which, first, a, c).
    scale_rules("continued_fraction", (5, 6), _CONVERGENTS, _convergent_vector, 99, SHIFT),
    # a v + c, v solutions of a Pell equation: (D, which, first, a, c).
    scale_rules("pell", (5, 6), _SOLUTIONS, _pell_vector, 99, SHIFT),
    # floor(c W(k n)) + s, W e^W = k n: (k, c, s).
    box_rules("lambert", (10, 12), [(1, 20), (2, 999), (-SHIFT, SHIFT)], _floors(_lambert)),
    # floor(k n alpha + beta): (index of alpha, k, hundredths of beta).
    box_rules("algebraic_irrational", (10, 12), [(0, 3), (1, 300), (-99_999, 99_999)], _beatty),
    # (a n^3 + b F_n) mod q: (q, a, b).
    box_rules("algebraic_modular", (8, 10, 12), [(20, 200), (1, 199), (1, 199)], _cubes_modulo, _wraps_twice),
    # a v + c, v_0 given, v_n = v_0 v_(n-1) + .. + v_(n-1) v_0 + k n: (v_0, k, a, c).
    scale_rules(
        "catalan_like",
        (5, 6),
        [(first, step) for first in (-3, -2, -1, 1, 2, 3, 4) for step in range(-30, 31)],
        _convolution_vector,
        9,
        SHIFT,
    ),
    # s_(n+1) = floor(s_n (n + a) / (n + b)): (s_1, a, b).
    box_rules("hypergeometric_like", (8, 10), [(2, 9_999), (1, 20), (1, 20)], _ratio_floor),
)
