"""Values rounded down: A1, A2, A3, A6, A7, A10. Positions n count from 1.

Irrational values are whole numbers in units of 10^-50, from series and whole roots.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, floor, isqrt

ONE = 10**50
MAX_TERMS = 13
SCALES = range(2, 13)  # k of A2
MULTIPLES = range(1, 21)  # k of A6
SHIFT = 9_999
OFFSETS = range(501)  # e of A1
FACTORS = range(2, 10)  # c and d of A1
RATIO_OFFSETS = range(1, 21)  # a and b of A10
MOST_FACTOR = 999  # of A2, A3, A6
_FEWEST = 7


def fit_radical_recurrence(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of s_n = floor sqrt(c s_(n-1) + d n^2 + e), over all c, d in 2..9, e in 0..500 (A1)."""
    size = len(terms)
    last, before = terms[-1], terms[-2]
    if size < _FEWEST or min(terms) < 2 or last * last > 9 * (before + size * size) + 500:
        return
    for d in FACTORS:
        least = last * last - d * size * size
        # e = s_n^2 .. s_n^2 + 2 s_n less the rest, within 0..500.
        for c in range(max(2, -((500 - least) // before)), min(9, (least + 2 * last) // before) + 1):
            low, high = OFFSETS[0], OFFSETS[-1]
            for n in range(size, 1, -1):
                term = terms[n - 1]
                rest = term * term - c * terms[n - 2] - d * n * n
                low, high = max(low, rest), min(high, rest + 2 * term)
                if low > high:
                    break
            else:
                inside = c * last + d * (size + 1) ** 2
                yield from range(isqrt(inside + low), isqrt(inside + high) + 1)


def fit_exponential_floor(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of floor(c e^(n/k)) + s, c in 2..999, k in 2..12, s within +-9,999 (A2)."""
    first, last = terms[1] - terms[0], terms[-1] - terms[-2]
    if len(terms) < _FEWEST or first < 0 or last < first:
        return
    for k in SCALES:
        yield from _fit_multiples(terms, _exponentials(k))


def fit_nested_radical(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of floor(c sqrt(n + sqrt(n + sqrt n))) + s, c in 2..999, s within +-9,999 (A3)."""
    if len(terms) >= _FEWEST and terms[0] <= terms[1] and terms[1] - terms[0] - terms[-1] + terms[-2] >= -1:
        yield from _fit_multiples(terms, _nested_radicals())


def fit_lambert(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of floor(c W(k n)) + s, W e^W = k n, c in 2..999, k in 1..20, s as in A2 (A6)."""
    first, last = terms[1] - terms[0], terms[-1] - terms[-2]
    if len(terms) < _FEWEST or first < 0 or last < 0 or last > first + 1:
        return
    for k in MULTIPLES:
        yield from _fit_multiples(terms, _lamberts(k))


def _fit_multiples(terms: Sequence[int], values: Sequence[tuple[float, int]]) -> Iterator[int]:
    """Yield the next terms of floor(c v_n) + s over all c and s."""
    size = len(terms)
    across = terms[-1] - terms[0]
    width = values[size - 1][0] - values[0][0]
    # c v_n - c v_1 differs by less than 1 from the terms' difference, and half way as well.
    low, high = (
        max(2, ceil((across - 1) / width - 1e-6)),
        min(MOST_FACTOR, floor((across + 1) / width + 1e-6)),
    )
    if low > high:
        return
    middle = size // 2
    half, part = terms[middle] - terms[0], values[middle][0] - values[0][0]
    low, high = max(low, ceil((half - 1) / part - 1e-6)), min(high, floor((half + 1) / part + 1e-6))
    for c in range(low, high + 1):
        shift = terms[0] - c * values[0][1] // ONE
        if abs(shift) <= SHIFT and all(
            c * values[n][1] // ONE + shift == terms[n] for n in range(size - 1, 0, -1)
        ):
            yield c * values[size][1] // ONE + shift


def fit_beatty(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of floor(k n alpha + beta), alpha a root of 2, 3, 5 or the golden ratio (A7).

    k is whole, 1 to 300; beta is any real number.
    """
    size = len(terms)
    step = terms[1] - terms[0]
    if size < 5 or not all(
        -1 <= after - before - step <= 1 for before, after in zip(terms, terms[1:], strict=False)
    ):
        return
    across = terms[-1] - terms[0]
    for value, alpha in _irrationals():
        width = value * (size - 1)
        for k in range(max(1, ceil((across - 1) / width)), min(300, floor((across + 1) / width)) + 1):
            # floor(k n alpha + beta) = s_n for beta in [s_n - k n alpha, s_n + 1 - k n alpha).
            starts = [terms[n - 1] * ONE - k * n * alpha for n in range(1, size + 1)]
            low, high = max(starts), min(starts) + ONE
            if low < high:
                following = k * (size + 1) * alpha
                yield from range((following + low) // ONE, (following + high - 1) // ONE + 1)


def fit_ratio_floor(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms of s_(n+1) = floor(s_n (n + a) / (n + b)), a and b in 1..20, different (A10)."""
    size = len(terms)
    if size < _FEWEST or min(terms) < 1:
        return
    t1, t2, t3, t4 = terms[:4]
    for b in RATIO_OFFSETS:
        # t2 <= t1 (1 + a) / (1 + b) < t2 + 1, and so for n = 2 and 3.
        low = max(-(-t2 * (1 + b) // t1) - 1, -(-t3 * (2 + b) // t2) - 2, -(-t4 * (3 + b) // t3) - 3)
        high = min(((t2 + 1) * (1 + b) - 1) // t1 - 1, ((t3 + 1) * (2 + b) - 1) // t2 - 2)
        for a in range(max(low, RATIO_OFFSETS[0]), min(high, RATIO_OFFSETS[-1]) + 1):
            if a != b and all(terms[n - 1] * (n + a) // (n + b) == terms[n] for n in range(1, size)):
                yield terms[-1] * (size + a) // (size + b)


@cache
def _exponentials(k: int) -> Sequence[tuple[float, int]]:
    return _with_floats(_exponential(ONE * n // k) for n in range(1, MAX_TERMS + 1))


@cache
def _nested_radicals() -> Sequence[tuple[float, int]]:
    square = ONE * ONE
    return _with_floats(
        isqrt(n * square + ONE * isqrt(n * square + ONE * isqrt(n * square))) for n in range(1, MAX_TERMS + 1)
    )


@cache
def _lamberts(k: int) -> Sequence[tuple[float, int]]:
    return _with_floats(_lambert(k * n) for n in range(1, MAX_TERMS + 1))


@cache
def _irrationals() -> Sequence[tuple[float, int]]:
    roots = [isqrt(d * ONE * ONE) for d in (2, 3, 5)]
    return _with_floats([*roots, (ONE + roots[-1]) // 2])


def _with_floats(values: Iterator[int] | list[int]) -> Sequence[tuple[float, int]]:
    return [(value / ONE, value) for value in values]


def _exponential(x: int) -> int:
    """Return e^x by its series at x / 2^16, squared 16 times, with 20 digits to spare."""
    spare = 10**20
    unit = ONE * spare
    part = x * spare >> 16
    total = term = unit
    n = 0
    while term:
        n += 1
        term = term * part // unit // n
        total += term
    for _ in range(16):
        total = total * total // unit
    return total // spare


@cache
def _lambert(x: int) -> int:
    """Return w with w e^w = x, by Newton's method from a double."""
    start = math.log(1 + x)
    for _ in range(50):
        start -= (start - x * math.exp(-start)) / (1 + start)
    w = int(start * 10**15) * (ONE // 10**15)
    for _ in range(3):
        power = _exponential(w)
        w -= ONE * (w * power - x * ONE * ONE) // (power * (ONE + w))
    return w
