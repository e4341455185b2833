"""What makes a sequence too simple for its task: validators a-d (Algorithms 4, 6 and 7).

(b), that a pure geometric sequence has one ratio, holds by construction in whole numbers; what is tested is
that no other family is geometric.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

LEAST_ENTROPY = 1.0  # bits, H_min of Algorithm 7
MOST_CORRELATION = (8, 10)  # R(k) of eq. 93, as a fraction
LAGS = (1, 2, 3)


def has_equal_steps(terms: Sequence[int]) -> bool:
    """Whether all differences are the same (a)."""
    step = terms[1] - terms[0]
    return terms[2] - terms[1] == step and all(after - before == step for before, after in pairwise(terms))


def has_equal_ratios(terms: Sequence[int]) -> bool:
    """Whether all ratios are the same (b)."""
    first, second = terms[0], terms[1]
    return first * terms[2] == second * second and all(
        first * after == second * before for before, after in pairwise(terms)
    )


def is_polynomial(terms: Sequence[int], most: int = 4) -> bool:
    """Whether differences of an order from 1 to `most` are constant (c, check 1)."""
    row = terms
    for _ in range(most):
        row = [after - before for before, after in pairwise(row)]
        if len(row) < 2:
            return False
        if row[0] == row[1] and len(set(row)) == 1:
            return True
    return False


def has_low_entropy(terms: Sequence[int]) -> bool:
    """Whether the entropy of the values is below 1 bit (c, check 3; eq. 92)."""
    if len(set(terms)) > len(terms) // 2 + 1:
        return False
    size = len(terms)
    return -sum(n / size * math.log2(n / size) for n in Counter(terms).values()) < LEAST_ENTROPY


def repeats_itself(terms: Sequence[int]) -> bool:
    """Whether an autocorrelation at lag 1, 2 or 3 is above 0.8 (d; eq. 93), in whole numbers."""
    size, total = len(terms), sum(terms)
    centred = [size * term - total for term in terms]
    over, under = MOST_CORRELATION
    bound = over * sum([x * x for x in centred])
    return any(
        under * sum([x * y for x, y in zip(centred, centred[lag:], strict=False)]) > bound for lag in LAGS
    )
