"""Krippendorff's alpha for nominal data: how far raters agree beyond chance, missing values allowed.

K. Krippendorff, Content Analysis, 3rd edition (2013), section 12.3. Units are what is rated. In a unit with
m >= 2 values each of the m (m - 1) ordered pairs of values of different raters counts 1 / (m - 1), so that
the unit counts m; units with fewer values count nothing. With o_cc the pairs of equal values c, n_c the
values c of all such units and n their number:

    D_o = (n - sum of o_cc) / n        D_e = (n^2 - sum of n_c^2) / (n (n - 1))        alpha = 1 - D_o / D_e

It is undefined where n < 2 or all values are equal: nothing varies.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Numbers

# Below this, an expected disagreement is 0 but for rounding.
_ROUNDING = 1e-12


class Pairs(NamedTuple):
    """What units count: the pairs of unequal values, and their values by category."""

    unequal: float
    values: Counter[str]


def count_pairs(units: Iterable[Sequence[str | None]]) -> Pairs:
    """Return what the units count, each given as its values by rater, None where a rater gave none."""
    unequal, values = 0.0, Counter[str]()
    for unit in units:
        counts = Counter(value for value in unit if value is not None)
        m = counts.total()
        if m >= 2:
            values += counts
            unequal += m - sum(number * (number - 1) for number in counts.values()) / (m - 1)
    return Pairs(unequal, values)


def nominal_alpha(units: Iterable[Sequence[str | None]]) -> float | None:
    """Return alpha, None where it is undefined."""
    import numpy as np

    pairs = count_pairs(units)
    counts = np.array([[pairs.values[name] for name in sorted(pairs.values)]], dtype=float)
    (alpha,) = alphas_of(np.array([pairs.unequal]), counts).tolist()
    return None if alpha != alpha else float(alpha)


def alphas_of(unequal: "Numbers", values: "Numbers") -> "Numbers":
    """Return alpha for each row of pairs of unequal values and counts by category, NaN where undefined."""
    import numpy as np

    n = values.sum(axis=1)
    chances = n**2 - (values**2).sum(axis=1)  # n (n - 1) D_e
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = 1 - (n - 1) * unequal / chances
    return np.where((n > 1) & (chances > _ROUNDING), found, np.nan)
