"""Sets of slot pairs as integers: bit `i * size + j` says that a may be at slot i while b is at slot j.

A predicate of one thing is a set of pairs (i, i): what is known of one thing composes as of two.
"""

from collections.abc import Iterable
from functools import lru_cache


def pairs_mask(size: int, pairs: Iterable[tuple[int, ...]]) -> int:
    """Return the integer of pairs, or of single slots as pairs of equal ones."""
    return sum(1 << (each[0] * size + each[-1]) for each in set(pairs))


@lru_cache(maxsize=8)
def same_slot(size: int) -> int:
    """Return all pairs of equal slots: nothing is known of one thing."""
    return pairs_mask(size, ((slot,) for slot in range(size)))


@lru_cache(maxsize=8)
def other_slot(size: int) -> int:
    """Return all pairs of different slots: nothing is known of two things."""
    return ((1 << size * size) - 1) ^ same_slot(size)


@lru_cache(maxsize=1 << 14)
def compose(size: int, first: int, second: int) -> int:
    """Return the pairs (i, k) for which some j has (i, j) in the first set and (j, k) in the second."""
    row = (1 << size) - 1
    rows = [second >> (slot * size) & row for slot in range(size)]
    found = 0
    for start in range(size):
        through = first >> (start * size) & row
        reached = 0
        for slot in range(size):
            if through >> slot & 1:
                reached |= rows[slot]
        found |= reached << (start * size)
    return found


@lru_cache(maxsize=1 << 14)
def inverse(size: int, pairs: int) -> int:
    """Return the pairs (j, i)."""
    found = 0
    for start in range(size):
        for slot in range(size):
            if pairs >> (start * size + slot) & 1:
                found |= 1 << (slot * size + start)
    return found


@lru_cache(maxsize=1 << 14)
def first_slots(size: int, pairs: int) -> int:
    """Return the first slots of the pairs, as pairs of equal ones."""
    return compose(size, pairs, inverse(size, pairs)) & same_slot(size)
