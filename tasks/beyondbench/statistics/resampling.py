"""The stratified bootstrap: instances are resampled within their cell, with replacement, 10,000 times.

(B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 8.3.) The draws of a cell
depend on the seed, the cell and its number of instances alone: players with as many share them, and what a
figure's interval is never depends on which figures are asked for together.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from perennial.schemas.ids import derive_seed
from perennial.tasks.beyondbench.statistics.estimates import Estimate
from perennial.tasks.statistics.figures.rate_figures import rates_in_units

if TYPE_CHECKING:
    import numpy as np

    from perennial.tasks.statistics.cells import Column, Numbers

RESAMPLES = 10_000
MOST_RESAMPLED = 5_000  # instances: 40 kB each while they are drawn
METHOD = (
    f"percentile bootstrap over the instances of each cell, {RESAMPLES} resamples; normal draws for a cell "
    f"of more than {MOST_RESAMPLED} instances"
)
_DRAWN_AT_ONCE = 1_000_000  # places: 8 MB each time
_MOST_KEPT = 400  # instances: 80 kB each


def estimate_cell(totals: "Column", numbers: "Column", stratum: str, seed: int) -> Estimate:
    """Return the mean over a cell's instances of total / number, resampled; each has a number above 0.

    `stratum` names the cell whose draws these are.
    """
    import numpy as np

    values, unit = rates_in_units(totals, numbers)
    n = len(values)
    # In whole numbers, so that no sum depends on its order.
    value = float(values.sum()) / (n * unit)
    if (values == values[0]).all():
        drawn = np.full(1, value)
    elif n > MOST_RESAMPLED:
        drawn = value + float(values.std()) / (n**0.5 * unit) * _normal(seed, stratum, n)
    else:
        drawn = np.concatenate([counts @ values for counts in _counts(seed, stratum, n)]) / (n * unit)
    return Estimate(value, n, drawn, 1 / n, (value,))


def _generator(seed: int, stratum: str, n: int) -> "np.random.Generator":
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive_seed(seed, f"beyondbench/bootstrap/{stratum}", n)))


def _normal(seed: int, stratum: str, n: int) -> "Numbers":
    return _generator(seed, stratum, n).standard_normal(RESAMPLES)


def _counts(seed: int, stratum: str, n: int) -> "Iterable[Numbers]":
    """Return how often each instance is drawn, one row per resample, some rows at a time.

    Those of few instances are kept for the next player.
    """
    return _kept_counts(seed, stratum, n) if n <= _MOST_KEPT else _draw_counts(seed, stratum, n)


@lru_cache(maxsize=4)
def _kept_counts(seed: int, stratum: str, n: int) -> "tuple[Numbers, ...]":
    return tuple(_draw_counts(seed, stratum, n))


def _draw_counts(seed: int, stratum: str, n: int) -> "Iterator[Numbers]":
    import numpy as np

    generator = _generator(seed, stratum, n)
    rows = max(1, _DRAWN_AT_ONCE // n)
    for start in range(0, RESAMPLES, rows):
        number = min(rows, RESAMPLES - start)
        places = generator.integers(0, n, size=(number, n)) + np.arange(number)[:, None] * n
        counts = np.bincount(places.ravel(), minlength=number * n).reshape(number, n)
        yield counts.astype(np.float64)
