"""Count the assignments that satisfy clues: domains are narrowed, then the smallest is split; by numba.

`domains[c, v]` is a set of bits: the people who may have value v of category c. Category 0 are the people
themselves, and the last one holds numbers, of which the value's place is the rank. A clue is a row: whether
its first two items belong to one person (SAME) or not (DIFFERENT), or ranks that rise (RISING) along its
items, two of them or three (CHAIN, where the second and the fourth belong to one person). Import this module
late: it loads numba.
"""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

SAME, DIFFERENT, RISING, CHAIN = range(4)
WIDTH = 9  # the kind, then four items of category and value


@njit(cache=True, error_model="numpy")
def _is_single(people):
    return people != 0 and people & (people - 1) == 0


@njit(cache=True, error_model="numpy")
def _narrow_category(values, n):
    """Leave each person to one value: a value's only person to no other, a person's only value to it."""
    for value in range(n):
        if _is_single(values[value]):
            for other in range(n):
                if other != value:
                    values[other] &= ~values[value]
    for person in range(n):
        bit, holders, last = 1 << person, 0, 0
        for value in range(n):
            if values[value] & bit:
                holders, last = holders + 1, value
        if holders == 0:
            values[0] = 0  # nobody can be left without a value
        elif holders == 1:
            values[last] = bit


@njit(cache=True, error_model="numpy")
def _narrow_rising(domains, first, second, n):
    """Leave people to two items whose ranks can rise: the first's least below the second's highest."""
    numbers = domains[-1]
    low, high = np.full(n, n, np.int64), np.full(n, -1, np.int64)
    for person in range(n):
        for rank in range(n):
            if numbers[rank] >> person & 1:
                low[person] = min(low[person], rank)
                high[person] = rank
    ranks, other = domains[first[0], first[1]], domains[second[0], second[1]]
    least, most = n, -1
    for person in range(n):
        if ranks >> person & 1:
            least = min(least, low[person])
        if other >> person & 1:
            most = max(most, high[person])
    for person in range(n):
        if low[person] >= most:
            ranks &= ~(1 << person)
        if high[person] <= least:
            other &= ~(1 << person)
    domains[first[0], first[1]] = ranks
    domains[second[0], second[1]] = other
    for rank in range(n):
        if _is_single(ranks) and rank >= most:
            numbers[rank] &= ~ranks
        if _is_single(other) and rank <= least:
            numbers[rank] &= ~other


@njit(cache=True, error_model="numpy")
def _narrow_by_clue(domains, clue, n):
    kind, first, second = clue[0], clue[1:3], clue[3:5]
    if kind == DIFFERENT:
        if _is_single(domains[first[0], first[1]]):
            domains[second[0], second[1]] &= ~domains[first[0], first[1]]
        if _is_single(domains[second[0], second[1]]):
            domains[first[0], first[1]] &= ~domains[second[0], second[1]]
        return
    if kind != SAME:
        _narrow_rising(domains, first, second, n)
    if kind == CHAIN:
        _narrow_rising(domains, second, clue[5:7], n)
        first, second = second, clue[7:9]
    if kind != RISING:
        both = domains[first[0], first[1]] & domains[second[0], second[1]]
        domains[first[0], first[1]] = domains[second[0], second[1]] = both


@njit(cache=True, error_model="numpy")
def _narrow(domains, clues, skip, n):
    """Narrow all domains until nothing changes; return whether none is empty."""
    before = -1
    while True:
        total = domains.sum()
        if total == before:
            return True
        before = total
        for k in range(clues.shape[0]):
            if k != skip:
                _narrow_by_clue(domains, clues[k], n)
        for category in range(1, domains.shape[0]):
            _narrow_category(domains[category], n)
        if not domains.all():
            return False


@njit(cache=True, error_model="numpy")
def count_assignments(n, n_categories, clues, skip, avoid, limit, first_table):
    """How many assignments satisfy all clues but number `skip`, up to `limit`; the first is `found`.

    An assignment holds the person who has each value of each category. `avoid` does not count.
    """
    shape = (n_categories + 1, n)
    stack = np.empty((n * n * n_categories + 1, *shape), np.int64)
    stack[0] = (1 << n) - 1
    for person in range(n):
        stack[0, 0, person] = 1 << person
    size, count = 1, 0
    while size:
        size -= 1
        domains = stack[size].copy()
        if not _narrow(domains, clues, skip, n):
            continue
        smallest, at, where = n + 1, 0, 0
        for category in range(1, shape[0]):
            for value in range(n):
                people = 0
                for person in range(n):
                    people += domains[category, value] >> person & 1
                if 1 < people < smallest:
                    smallest, at, where = people, category, value
        if smallest <= n:
            for person in range(n):
                if domains[at, where] >> person & 1:
                    stack[size] = domains
                    stack[size, at, where] = 1 << person
                    size += 1
            continue
        is_wanted = False
        for category in range(shape[0]):
            for value in range(n):
                person = avoid[category, value]
                is_wanted |= person < 0 or domains[category, value] != 1 << person
        if not is_wanted:
            continue
        count += 1
        if count == 1:
            for category in range(shape[0]):
                for value in range(n):
                    for person in range(n):
                        if domains[category, value] >> person & 1:
                            first_table[category, value] = person
        if count == limit:
            break
    return count
