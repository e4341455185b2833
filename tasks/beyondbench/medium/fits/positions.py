"""Rules that depend on the position: X3, X8, X9, X11, X12. Positions n count from 1."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isqrt

from perennial.tasks.beyondbench.medium.fits.linear import Number, divide


def fit_interleaved(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next term where odd and even positions each hold equal steps or equal ratios (X3)."""
    if len(terms) < 7:
        return
    for start in (0, 1):
        t = terms[start::2]
        if t[2] - t[1] != t[1] - t[0] and t[1] * t[1] != t[0] * t[2]:
            return
    other, own = terms[1 - len(terms) % 2 :: 2], terms[len(terms) % 2 :: 2]
    if any(True for _ in _extend(other)):
        yield from _extend(own)


def _extend(t: Sequence[int]) -> Iterator[Number]:
    """Yield what follows equal steps, and what follows equal ratios."""
    step = t[1] - t[0]
    if all(after - before == step for before, after in pairwise(t)):
        yield t[-1] + step
    if t[0] and all(t[0] * after == t[1] * before for before, after in pairwise(t)):
        yield divide(t[-1] * t[1], t[0])


def fit_nested(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next term of (a + i d) g^(i mod 3), i = n - 1 (X8)."""
    size = len(terms)
    if size < 7 or terms[6] - terms[3] != terms[3] - terms[0]:
        return
    # Three times a + i d, and g as a fraction.
    bases = [3 * terms[0] + i * (terms[3] - terms[0]) for i in range(size + 1)]
    place = 1 if bases[1] else 4  # one of them may be 0
    over, under = 3 * terms[place], bases[place]
    if not over or not under:
        return
    powers = ((1, 1), (over, under), (over * over, under * under))
    for i in range(size):
        up, down = powers[i % 3]
        if 3 * terms[i] * down != bases[i] * up:
            return
    up, down = powers[size % 3]
    yield divide(bases[size] * up, 3 * down)


def fit_alternating_operations(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next term where step i adds a i, multiplies by r, or adds b i^2, in turn (X9)."""
    size = len(terms)
    if size < 7 or terms[4] - terms[3] != 4 * (terms[1] - terms[0]):
        return
    a = terms[1] - terms[0]
    over, under = terms[2], terms[1]
    if not under or terms[6] - terms[5] != 4 * (terms[3] - terms[2]):
        return
    nine_b = terms[3] - terms[2]
    for i in range(1, size):
        before, after = terms[i - 1], terms[i]
        if i % 3 == 1:
            fits = after - before == a * i
        elif i % 3 == 2:
            fits = after * under == before * over
        else:
            fits = 9 * (after - before) == nine_b * i * i
        if not fits:
            return
    if size % 3 == 1:
        yield terms[-1] + a * size
    elif size % 3 == 2:
        yield divide(terms[-1] * over, under)
    else:
        yield terms[-1] + divide(nine_b * size * size, 9)


def fit_position_rules(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next term of three rules by n mod 3: a n + b, a n^2 + b, and a s_(n-1) + b (X11)."""
    size = len(terms)
    if size < 9 or terms[6] - terms[3] != terms[3] - terms[0]:
        return
    linear = [(n, terms[n - 1]) for n in range(1, size + 1, 3)]
    square = [(n * n, terms[n - 1]) for n in range(2, size + 1, 3)]
    before = [(terms[n - 2], terms[n - 1]) for n in range(3, size + 1, 3)]
    if not (_on_a_line(linear) and _on_a_line(square) and _on_a_line(before)):
        return
    n = size + 1
    points, x = ((before, terms[-1]), (linear, n), (square, n * n))[n % 3]
    (x0, y0), (x1, y1) = points[:2]
    if x1 != x0:
        yield y0 + divide((y1 - y0) * (x - x0), x1 - x0)


def _on_a_line(points: Sequence[tuple[int, int]]) -> bool:
    (x0, y0), (x1, y1) = points[:2]
    if x0 == x1:
        return False
    return all((y - y0) * (x1 - x0) == (y1 - y0) * (x - x0) for x, y in points[2:])


def fit_spiral(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next term of a layer + (n - layer^2) + c, layer = floor sqrt n (X12)."""
    size = len(terms)
    if size < 9 or terms[1] - terms[0] != 1 or terms[2] - terms[1] != 1:
        return
    a = terms[3] - terms[0]
    c = terms[0] - a
    expected = [a * isqrt(n) + n - isqrt(n) ** 2 + c for n in range(1, size + 2)]
    if expected[:-1] == list(terms):
        yield expected[-1]
