"""All fits in a row: what they say comes next, and whether that is one value.

This is `HasUniqueExtension` of Algorithm 6: every family of section H and, beside them, polynomials of degree
<= 4 and linear recurrences of order <= 3. A fit looks at sequences that are long enough to contradict it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt

from perennial.tasks.beyondbench.medium.fits.floors import (
    fit_beatty,
    fit_exponential_floor,
    fit_lambert,
    fit_nested_radical,
    fit_radical_recurrence,
    fit_ratio_floor,
)
from perennial.tasks.beyondbench.medium.fits.linear import (
    Number,
    divide,
    fit_cube_and_fibonacci,
    fit_perturbed,
    fit_polynomial,
    fit_recurrence,
    fit_shape,
    fit_sum_modulo_prime,
)
from perennial.tasks.beyondbench.medium.fits.shifted import fit_shifted

# Rules that depend on the position: X3, X8, X9, X11, X12. Positions n count from 1.


def fit_interleaved(terms: Sequence[int]) -> Iterator[Number]:
    """The next term where odd and even positions each hold equal steps or equal ratios (X3)."""
    if len(terms) < 7:
        return
    for start in (0, 1):
        t = terms[start::2]
        if t[2] - t[1] != t[1] - t[0] and t[1] * t[1] != t[0] * t[2]:
            return
    other, same_parity = terms[1 - len(terms) % 2 :: 2], terms[len(terms) % 2 :: 2]
    if any(True for _ in _extend(other)):
        yield from _extend(same_parity)


def _extend(t: Sequence[int]) -> Iterator[Number]:
    """What follows equal steps, and what follows equal ratios."""
    step = t[1] - t[0]
    if all(after - before == step for before, after in pairwise(t)):
        yield t[-1] + step
    if t[0] and all(t[0] * after == t[1] * before for before, after in pairwise(t)):
        yield divide(t[-1] * t[1], t[0])


def fit_nested(terms: Sequence[int]) -> Iterator[Number]:
    """The next term of (a + i d) g^(i mod 3), i = n - 1 (X8)."""
    size = len(terms)
    if size < 7 or terms[6] - terms[3] != terms[3] - terms[0]:
        return
    # Three times a + i d, and g as a fraction.
    bases = [3 * terms[0] + i * (terms[3] - terms[0]) for i in range(size + 1)]
    index = 1 if bases[1] else 4  # one of them may be 0
    over, under = 3 * terms[index], bases[index]
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
    """The next term where step i adds a i, multiplies by r, or adds b i^2, in turn (X9)."""
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
    """The next term of three rules by n mod 3: a n + b, a n^2 + b, and a s_(n-1) + b (X11)."""
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
    """The next term of a layer + (n - layer^2) + c, layer = floor sqrt n (X12)."""
    size = len(terms)
    if size < 9 or terms[1] - terms[0] != 1 or terms[2] - terms[1] != 1:
        return
    a = terms[3] - terms[0]
    c = terms[0] - a
    expected = [a * isqrt(n) + n - isqrt(n) ** 2 + c for n in range(1, size + 2)]
    if expected[:-1] == list(terms):
        yield expected[-1]


# Rules that change: by a condition (X4), and once on the way (X6).

LEAST_OF_BRANCH = 2  # so many steps of each branch must be shown
LEAST_OF_SEGMENT = 3


def fit_conditional(terms: Sequence[int]) -> Iterator[int]:
    """The next terms where each step doubles or adds a constant, one of two by a condition (X4).

    The condition is the parity of the position, the parity of the term before, or whether that term is
    greater than a threshold (any); each branch is shown at least twice.
    """
    size = len(terms)
    if size < 6:
        return
    added = {after - before for before, after in pairwise(terms) if after != 2 * before}
    if len(added) > 2:
        return
    steps = list(pairwise(terms))
    parts = [[n % 2 for n in range(size)], [term % 2 for term in terms]]
    ordered = sorted(set(terms))
    parts += [[term > threshold for term in terms] for threshold in ordered[:-1]]
    for part in parts:
        branches: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        for side, step in zip(part, steps, strict=False):
            branches[side].append(step)
        if min(len(branches[0]), len(branches[1])) < LEAST_OF_BRANCH:
            continue
        side = part[-1]
        if any(True for _ in _results(branches[1 - side], 0)):
            yield from _results(branches[side], terms[-1])


def _results(steps: Sequence[tuple[int, int]], last: int) -> Iterator[int]:
    """What the operations that all these steps may be make of the last term."""
    if all(after == 2 * before for before, after in steps):
        yield 2 * last
    constant = steps[0][1] - steps[0][0]
    if constant and all(after - before == constant for before, after in steps):
        yield last + constant


def fit_transformation(terms: Sequence[int]) -> Iterator[Number]:
    """The next terms where equal steps or ratios end, and each later term is r times the last + k (X6).

    At least three terms of each are shown; r and k are whole.
    """
    size = len(terms)
    t0, t1, t2 = terms[:3]
    has_steps, has_ratios = t2 - t1 == t1 - t0, bool(t0) and t1 * t1 == t0 * t2
    if size < 7 or not (has_steps or has_ratios):
        return
    first = LEAST_OF_SEGMENT
    while first <= size - LEAST_OF_SEGMENT:
        a, b, c = terms[first - 1 : first + 2]
        if a != b:
            r = divide(c - b, b - a)
            if isinstance(r, int):
                k = b - r * a
                if all(terms[n] == r * terms[n - 1] + k for n in range(first, size)):
                    yield r * terms[-1] + k
        # One more term in the first segment.
        step = terms[first] - terms[first - 1]
        has_steps = has_steps and step == t1 - t0
        has_ratios = has_ratios and terms[first] * t0 == terms[first - 1] * t1
        if not (has_steps or has_ratios):
            return
        first += 1


Fit = Callable[[Sequence[int]], Iterable[Number]]

# Fits of which every multiple of a sequence is a case too: decimals are fitted in units of their last place.
SCALABLE: tuple[Fit, ...] = (
    fit_polynomial,
    fit_recurrence,
    fit_shape,
    fit_interleaved,
    fit_nested,
    fit_alternating_operations,
    fit_position_rules,
    fit_transformation,
)
# Fits of whole numbers.
WHOLE: tuple[Fit, ...] = (
    fit_conditional,
    fit_perturbed,
    fit_spiral,
    fit_sum_modulo_prime,
    fit_cube_and_fibonacci,
    fit_shifted,
    fit_beatty,
    fit_radical_recurrence,
    fit_ratio_floor,
    fit_nested_radical,
    fit_lambert,
    fit_exponential_floor,
)
LEAST_TERMS = 4


def find_only_extension(terms: Sequence[int], places: int) -> Number | None:
    """The next term where all fits that agree with the terms predict the same one, else None.

    Terms and result are in units of 10^-places. It stops at the second value.
    """
    extension: Number | None = None
    for fit in SCALABLE if places else SCALABLE + WHOLE:
        for value in fit(terms):
            if extension is None:
                extension = value
            elif value != extension:
                return None
    return extension


@lru_cache(maxsize=4_096)
def find_extensions(terms: tuple[int, ...], places: int) -> tuple[Number, ...]:
    """All next terms that a fit predicts, in ascending order; terms as in `find_only_extension`."""
    fits = SCALABLE if places else SCALABLE + WHOLE
    return tuple(sorted({value for fit in fits for value in fit(terms)}))
