"""Orders with a longest increasing subsequence of a given length, from pairs of tableaux.

An order of n things is a pair of standard tableaux of one shape, whose first row is as long as the longest
increasing subsequence (C. Schensted, Longest increasing and decreasing subsequences, 1961).
"""

import random
from bisect import bisect_left


def draw_order(size: int, longest: int, rng: random.Random) -> list[int]:
    """Return 0 to size - 1 in an order whose longest increasing subsequence is so long; any may come."""
    shape = _draw_shape(size, longest, rng)
    tableau: list[list[int]] = [[] for _ in shape]
    for value, row in enumerate(_draw_rows(shape, rng)):
        tableau[row].append(value)
    order = []
    for row in reversed(_draw_rows(shape, rng)):
        value = tableau[row].pop()
        for above in reversed(tableau[:row]):
            # The largest that is smaller makes room, and goes up.
            place = bisect_left(above, value) - 1
            above[place], value = value, above[place]
        order.append(value)
    return order[::-1]


def _draw_shape(size: int, longest: int, rng: random.Random) -> list[int]:
    """Return lengths of rows, none longer than the one before it, the first as given."""
    shape = [longest]
    for _ in range(size - longest):
        open_rows = [row for row in range(1, len(shape)) if shape[row] < shape[row - 1]]
        row = rng.choice([*open_rows, len(shape)])
        shape[row:] = [shape[row] + 1, *shape[row + 1 :]] if row < len(shape) else [1]
    return shape


def _draw_rows(shape: list[int], rng: random.Random) -> list[int]:
    """Return the row to which each cell is added as a tableau of the shape grows."""
    left = [*shape, 0]
    rows = []
    for _ in range(sum(shape)):
        row = rng.choice([row for row in range(len(shape)) if left[row] > left[row + 1]])
        left[row] -= 1
        rows.append(row)
    return rows[::-1]
