"""Rules that change: by a condition (X4), and once on the way (X6)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from perennial.tasks.beyondbench.medium.fits.linear import Number, divide

LEAST_OF_BRANCH = 2  # so many steps of each branch must be shown
LEAST_OF_SEGMENT = 3


def fit_conditional(terms: Sequence[int]) -> Iterator[int]:
    """Yield the next terms where each step doubles or adds a constant, one of two by a condition (X4).

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
    """Yield what the operations that all these steps may be make of the last term."""
    if all(after == 2 * before for before, after in steps):
        yield 2 * last
    constant = steps[0][1] - steps[0][0]
    if constant and all(after - before == constant for before, after in steps):
        yield last + constant


def fit_transformation(terms: Sequence[int]) -> Iterator[Number]:
    """Yield the next terms where equal steps or ratios end, and each later term is r times the last + k (X6).

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
