"""A lower bound of the number of plans, by a family of which each plan is shown to be accepted.

Every three projects fit and no four do, because the needs lie in narrow bands; profits are all different. So
the three projects of largest profit, a, b, c, are the only optimum by capacities alone. With the others
d, e, .. (by profit) and z the least of them, the further conditions change the optimum to another single one:

- quality: 3 or 4 for a, b, c, 9 or 10 for the others: two of a, b, c are too many, a, d, e is best;
- risk: 5 for a, b, c, 1 or 2 for the others: the same;
- dependency: a requires z, and a + z is not c + d (so that a, b, z and b, c, d do not tie); z has the smaller
  number in half of the plans;
- mixed: quality and risk as above, and z requires some project of smaller number, which a, d, e do not touch.
"""

import math
from fractions import Fraction

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.constraint_optimization.draw import PROFITS, SHARES

# The bands of the needs of budget, time and personnel: four times the lower end is more than three times the
# upper end by enough for a capacity between, at every size.
BANDS = ((300, 320), (30, 32), (12, 13))


def count_capacities(size: int, low: int, high: int) -> int:
    """Return how many capacities three projects of such needs fit and four do not, whatever the needs are."""
    least, most = (Fraction(str(share)) for share in SHARES)
    first = max(3 * high, math.ceil(least * size * high))
    last = min(4 * low - 1, math.floor(most * size * low))
    return max(last - first + 1, 0)


def space_of_plans(variation: str, size: int) -> Space:
    """Return a lower bound of the number of plans."""
    number = math.prod((high - low + 1) ** size * count_capacities(size, low, high) for low, high in BANDS)
    values = len(PROFITS)
    if variation == "dependency":
        # Where a + z = c + d, the other profits and the place of a determine all.
        number *= (math.perm(values, size) - size * math.perm(values, size - 1)) // 2
    else:
        number *= math.perm(values, size)
    if variation in ("quality", "mixed"):
        number *= 2**size
    if variation in ("risk", "mixed"):
        number *= 2 ** (size - 3)
    if variation == "mixed":
        number //= 2
    return Space(math.log10(number), False, "plans of which any three projects fit and no four")
