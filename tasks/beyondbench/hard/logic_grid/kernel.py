"""Count the assignments that satisfy clues: all bijections, a category at a time, compiled by numba.

`holder[c, v]` is the person who has value v of category c; category 0 are the people themselves, and the last
one holds numbers, of which the value's place is the rank. A clue is a row: whether its first two items belong
to one person (SAME) or not (DIFFERENT), or ranks that rise (RISING) along its items, two of them or three.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import numpy as np
from numba import njit

SAME, DIFFERENT, RISING, CHAIN = range(4)
WIDTH = 9  # the kind, then four items of category and value


@njit(cache=True, error_model="numpy")
def holds(clue, holder, rank):
    """Whether a clue is true of an assignment."""
    first, second = holder[clue[1], clue[2]], holder[clue[3], clue[4]]
    if clue[0] == SAME:
        return first == second
    if clue[0] == DIFFERENT:
        return first != second
    if rank[first] >= rank[second]:
        return False
    if clue[0] == RISING:
        return True
    return rank[second] < rank[holder[clue[5], clue[6]]] and second == holder[clue[7], clue[8]]


@njit(cache=True, error_model="numpy")
def _levels(clues, n_categories):
    """Return the category at which each clue can be tested: numbers are assigned first, then from 1 on."""
    levels = np.zeros(clues.shape[0], np.int64)
    for k in range(clues.shape[0]):
        n_items = 4 if clues[k, 0] == CHAIN else 2
        for item in range(n_items):
            category = clues[k, 1 + 2 * item]
            if 0 < category < n_categories:
                levels[k] = max(levels[k], category)
    return levels


@njit(cache=True, error_model="numpy")
def _differs(holder, avoid):
    for category in range(holder.shape[0]):
        for value in range(holder.shape[1]):
            if holder[category, value] != avoid[category, value]:
                return True
    return False


@njit(cache=True, error_model="numpy")
def count_assignments(orders, n_categories, clues, skip, avoid, limit, found, start):
    """Return how many assignments satisfy all clues but number `skip`, up to `limit`; the first is `found`.

    `orders` are all orders of the people. The assignment `avoid` does not count.
    The search goes on from the place `start` in its order; the place of the last assignment found is left
    in it.
    """
    n = orders.shape[1]
    levels = _levels(clues, n_categories)
    tests = np.argsort(levels, kind="mergesort")  # the clues by level, those of level i from starts[i] on
    starts = np.searchsorted(levels[tests], np.arange(n_categories + 1))
    holder = np.zeros((n_categories + 1, n), np.int64)
    rank = np.zeros(n, np.int64)
    for person in range(n):
        holder[0, person] = person
    at = start.copy()
    resuming = True  # as long as the orders of `start` are on the path
    depth = count = 0
    while depth >= 0:
        if at[depth] == orders.shape[0]:
            depth -= 1
            continue
        resuming = resuming and at[depth] == start[depth]
        category = depth if depth else n_categories
        for value in range(n):
            holder[category, value] = orders[at[depth], value]
            if depth == 0:
                rank[holder[category, value]] = value
        at[depth] += 1
        fits = True
        for k in tests[starts[depth] : starts[depth + 1]]:
            if k != skip and not holds(clues[k], holder, rank):
                fits = False
                break
        if not fits:
            continue
        if depth + 1 < n_categories:
            depth += 1
            if not resuming:
                at[depth] = 0
            continue
        if not _differs(holder, avoid):
            continue
        count += 1
        if count == 1:
            found[:] = holder
        if count == limit:
            start[:] = at - 1
            break
    return count
