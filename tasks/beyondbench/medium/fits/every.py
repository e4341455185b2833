"""All fits in a row: what they say comes next, and whether that is one value.

This is `HasUniqueExtension` of Algorithm 6: every family of section H and, beside them, polynomials of degree
<= 4 and linear recurrences of order <= 3. A fit looks at sequences that are long enough to contradict it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from perennial.tasks.beyondbench.medium.fits.floors import (
    fit_beatty,
    fit_exponential_floor,
    fit_lambert,
    fit_nested_radical,
    fit_radical_recurrence,
    fit_ratio_floor,
)
from perennial.tasks.beyondbench.medium.fits.linear import (
    Number,
    fit_perturbed,
    fit_polynomial,
    fit_recurrence,
)
from perennial.tasks.beyondbench.medium.fits.modular import fit_cube_and_fibonacci, fit_sum_modulo_prime
from perennial.tasks.beyondbench.medium.fits.positions import (
    fit_alternating_operations,
    fit_interleaved,
    fit_nested,
    fit_position_rules,
    fit_spiral,
)
from perennial.tasks.beyondbench.medium.fits.rules import fit_conditional, fit_transformation
from perennial.tasks.beyondbench.medium.fits.shapes import fit_shape
from perennial.tasks.beyondbench.medium.fits.shifted import fit_shifted

Fit = Callable[[Sequence[int]], Iterable[Number]]

# Fits of which every multiple of a sequence is a case too: decimals are fitted in units of their last place.
SCALABLE: tuple[Fit, ...] = (
    fit_polynomial,
    fit_recurrence,
    fit_shape,
    fit_interleaved,
    fit_nested,
    fit_alternating_operations,
    fit_position_rules,
    fit_transformation,
)
# Fits of whole numbers.
WHOLE: tuple[Fit, ...] = (
    fit_conditional,
    fit_perturbed,
    fit_spiral,
    fit_sum_modulo_prime,
    fit_cube_and_fibonacci,
    fit_shifted,
    fit_beatty,
    fit_radical_recurrence,
    fit_ratio_floor,
    fit_nested_radical,
    fit_lambert,
    fit_exponential_floor,
)
LEAST_TERMS = 4


def find_only_extension(terms: Sequence[int], places: int) -> Number | None:
    """Return the next term where all fits that agree with the terms predict the same one, else None.

    Terms and result are in units of 10^-places. It stops at the second value.
    """
    found: Number | None = None
    for fit in SCALABLE if places else SCALABLE + WHOLE:
        for value in fit(terms):
            if found is None:
                found = value
            elif value != found:
                return None
    return found


@lru_cache(maxsize=4_096)
def find_extensions(terms: tuple[int, ...], places: int) -> tuple[Number, ...]:
    """Return all next terms that a fit predicts, in ascending order; terms as in `find_only_extension`."""
    fits = SCALABLE if places else SCALABLE + WHOLE
    return tuple(sorted({value for fit in fits for value in fit(terms)}))
