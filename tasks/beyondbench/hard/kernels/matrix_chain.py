"""The dynamic program of a matrix chain, compiled by numba. Import this module late: it loads numba."""

import numpy as np

from perennial.tasks.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

_HIGHEST = 1 << 62


@njit(cache=True)
def fewest_multiplications(dimensions):
    """The fewest scalar multiplications, by length of the partial chains (Algorithm 23)."""
    count = len(dimensions) - 1
    cost = np.zeros((count, count), np.int64)
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            outer = dimensions[first] * dimensions[last + 1]
            best = _HIGHEST
            for split in range(first, last):
                total = cost[first, split] + cost[split + 1, last] + outer * dimensions[split + 1]
                best = min(best, total)
            cost[first, last] = best
    return cost[0, count - 1]
