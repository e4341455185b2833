"""Values rounded down: A1, A2, A3, A6, A7, A10. Positions n count from 1.

Irrational values are whole numbers in units of 10^-50, from series and whole roots.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import ceil, floor, isqrt

ONE = 10**50
MAX_TERMS = 13
SCALES = range(2, 13)  # k of A2
MULTIPLES = range(1, 21)  # k of A6
SHIFT = 9_999
OFFSETS = range(501)  # e of A1
FACTORS = range(2, 10)  # c and d of A1
RATIO_OFFSETS = range(1, 21)  # a and b of A10
MULTIPLIERS = range(2, 1_000)  # c of A2, A3, A6
SLOPES = range(1, 301)  # k of A7
_FEWEST = 7
_SLACK = 1e-6  # of doubles, where they only narrow the search

Curve = Sequence[int]


def fit_radical_recurrence(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of s_n = floor sqrt(c s_(n-1) + d n^2 + e), c and d in 2..9, e to 500 (A1)."""
    size = len(terms)
    last = terms[-1]
    if size < _FEWEST or min(terms) < 2 or last * last > 9 * (terms[-2] + size * size) + OFFSETS[-1]:
        return
    # The largest term says most about c.
    at = 2 + terms.index(max(terms[:-1]))
    term, before = terms[at - 1], terms[at - 2]
    for d in FACTORS:
        # e = s_n^2 .. s_n^2 + 2 s_n less the rest, within 0..500.
        least = term * term - d * at * at
        least_c = max(FACTORS[0], (least - OFFSETS[-1] + before - 1) // before)
        for c in range(least_c, min(FACTORS[-1], (least + 2 * term) // before) + 1):
            low, high = OFFSETS[0], OFFSETS[-1]
            for n in range(size, 1, -1):
                nth = terms[n - 1]
                rest = nth * nth - c * terms[n - 2] - d * n * n
                if rest > low:
                    low = rest
                if rest + 2 * nth < high:
                    high = rest + 2 * nth
                if low > high:
                    break
            else:
                inside = c * last + d * (size + 1) ** 2
                yield from range(isqrt(inside + low), isqrt(inside + high) + 1)


def fit_exponential_floor(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of floor(c e^(n/k)) + s, c in 2..999, k in 2..12, s within +-9,999 (A2)."""
    first, last = terms[1] - terms[0], terms[-1] - terms[-2]
    if len(terms) >= _FEWEST and 0 <= first <= last + 1:
        yield from _fit_multiples(terms, _exponentials)


def fit_nested_radical(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of floor(c sqrt(n + sqrt(n + sqrt n))) + s, c in 2..999, s to +-9,999 (A3)."""
    if len(terms) >= _FEWEST and terms[0] <= terms[1]:
        yield from _fit_multiples(terms, _nested_radicals)


def fit_lambert(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of floor(c W(k n)) + s, W e^W = k n, c to 999, k in 1..20, s as in A2 (A6)."""
    first, last = terms[1] - terms[0], terms[-1] - terms[-2]
    if len(terms) >= _FEWEST and first >= 0 and 0 <= last <= first + 1:
        yield from _fit_multiples(terms, _lamberts)


def _fit_multiples(terms: Sequence[int], curves: Callable[[], Sequence[Curve]]) -> Iterator[int]:
    """Next term, by each fit of floor(c v_n) + s over all c and s, and over the curves v.

    c (v_m - v_1) differs by less than 1 from the terms' difference, and half way as well.
    """
    size = len(terms)
    across, half = terms[-1] - terms[0], terms[size // 2] - terms[0]
    for index, (width, part) in enumerate(_spans(curves, size)):
        share = part / width
        if abs(half - across * share) > 1 + share + _SLACK:
            continue
        low = max(MULTIPLIERS[0], ceil((across - 1) / width - _SLACK), ceil((half - 1) / part - _SLACK))
        high = min(MULTIPLIERS[-1], floor((across + 1) / width + _SLACK), floor((half + 1) / part + _SLACK))
        curve = curves()[index]
        for c in range(low, high + 1):
            shift = terms[0] - c * curve[0] // ONE
            if abs(shift) <= SHIFT and all(
                c * curve[n] // ONE + shift == terms[n] for n in range(size - 1, 0, -1)
            ):
                yield c * curve[size] // ONE + shift


@cache
def _spans(curves: Callable[[], Sequence[Curve]], size: int) -> list[tuple[float, float]]:
    """How far each curve goes from its first value to its last one, and to half way."""
    return [((v[size - 1] - v[0]) / ONE, (v[size // 2] - v[0]) / ONE) for v in curves()]


def fit_beatty(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of floor(k n alpha + beta), alpha a root of 2, 3, 5 or the golden ratio (A7).

    k is whole, 1 to 300; beta is any real number.
    """
    size = len(terms)
    step = terms[1] - terms[0]
    if size < 5 or not all(-1 <= after - before - step <= 1 for before, after in pairwise(terms)):
        return
    across = terms[-1] - terms[0]
    for value, alpha in _irrationals():
        width = value * (size - 1)
        for k in range(
            max(SLOPES[0], ceil((across - 1) / width - _SLACK)),
            min(SLOPES[-1], floor((across + 1) / width + _SLACK)) + 1,
        ):
            # floor(k n alpha + beta) = s_n for beta in [s_n - k n alpha, s_n + 1 - k n alpha).
            starts = [terms[n - 1] * ONE - k * n * alpha for n in range(1, size + 1)]
            low, high = max(starts), min(starts) + ONE
            if low < high:
                following = k * (size + 1) * alpha
                yield from range((following + low) // ONE, (following + high - 1) // ONE + 1)


def fit_ratio_floor(terms: Sequence[int]) -> Iterator[int]:
    """Next term, by each fit of s_(n+1) = floor(s_n (n + a) / (n + b)), a and b in 1..20, different (A10)."""
    size = len(terms)
    t1, t2, t3, t4 = terms[:4]
    if size < _FEWEST or min(terms) < 1 or (t2 - t1) * (terms[-1] - terms[-2]) < 0 or t2 > 11 * t1:
        return
    for b in RATIO_OFFSETS:
        # t2 <= t1 (1 + a) / (1 + b) < t2 + 1, and so for n = 2 and 3.
        low = max(-(-t2 * (1 + b) // t1) - 1, RATIO_OFFSETS[0])
        if low > RATIO_OFFSETS[-1]:
            return
        high = min(((t2 + 1) * (1 + b) - 1) // t1 - 1, RATIO_OFFSETS[-1])
        if low <= high:
            low = max(low, -(-t3 * (2 + b) // t2) - 2, -(-t4 * (3 + b) // t3) - 3)
            for a in range(low, high + 1):
                if a != b and all(terms[n - 1] * (n + a) // (n + b) == terms[n] for n in range(1, size)):
                    yield terms[-1] * (size + a) // (size + b)


@cache
def _exponentials() -> Sequence[Curve]:
    return [[_exponential(ONE * n // k) for n in range(1, MAX_TERMS + 1)] for k in SCALES]


@cache
def _nested_radicals() -> Sequence[Curve]:
    square = ONE * ONE
    inner = [isqrt(n * square) for n in range(1, MAX_TERMS + 1)]
    for _ in range(2):
        inner = [isqrt(n * square + ONE * root) for n, root in enumerate(inner, 1)]
    return [inner]


@cache
def _lamberts() -> Sequence[Curve]:
    return [[_lambert(k * n) for n in range(1, MAX_TERMS + 1)] for k in MULTIPLES]


@cache
def _irrationals() -> Sequence[tuple[float, int]]:
    roots = [isqrt(d * ONE * ONE) for d in (2, 3, 5)]
    return [(alpha / ONE, alpha) for alpha in (*roots, (ONE + roots[-1]) // 2)]


def _exponential(x: int) -> int:
    """e^x by its series at x / 2^16, squared 16 times, with 20 digits to spare."""
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
    """w with w e^w = x, by Newton's method from a double's guess."""
    start = math.log(1 + x)
    for _ in range(50):
        start -= (start - x * math.exp(-start)) / (1 + start)
    w = int(start * 10**15) * (ONE // 10**15)
    for _ in range(3):
        power = _exponential(w)
        w -= ONE * (w * power - x * ONE * ONE) // (power * (ONE + w))
    return w
