"""How many different sequences a variation has: a lower bound from repeats among draws (birthday bound).

With n draws from N problems, repeats are about Poisson with mean n (n - 1) / 2N where all problems are
equally likely, and more where they are not. The N at which as few repeats as were seen have a chance of one
in a million is therefore a lower bound with that confidence, whatever the distribution.
"""

import math

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.medium.space_draws import DRAWS, REPEATS

CONFIDENCE = 1e-6


def find_space(variation: str, size: int) -> Space:
    """Return the lower bound for the variation at this number of shown terms."""
    repeats = REPEATS[variation, size]
    log10 = math.log10(DRAWS * (DRAWS - 1) / 2 / _largest_mean(repeats))
    return Space(log10, False, f"{repeats:,} repeats in {DRAWS:,} draws; 1 - 1e-6 lower bound")


def _largest_mean(count: int) -> float:
    """Return the Poisson mean at which at most `count` events have the chance `CONFIDENCE`."""
    low, high = float(count), count + 20 + 10 * math.sqrt(count + 20)
    while high - low > 1e-6 * high:
        mean = (low + high) / 2
        if _chance_of_at_most(count, mean) > CONFIDENCE:
            low = mean
        else:
            high = mean
    return high


def _chance_of_at_most(count: int, mean: float) -> float:
    return math.fsum(math.exp(n * math.log(mean) - mean - math.lgamma(n + 1)) for n in range(count + 1))
