"""Sequences of roots, transcendental functions and convergents: the next term (section H.5)."""

import math

from perennial.tasks.beyondbench.medium.families.algebraic import FAMILIES
from perennial.tasks.beyondbench.medium.family import Terms
from perennial.tasks.beyondbench.medium.sequence import sequence_task
from perennial.tasks.beyondbench.medium.validators import has_low_entropy, is_polynomial


def _is_too_simple(shown: Terms) -> bool:
    """Whether Algorithm 7 refuses the terms."""
    return is_polynomial(shown) or has_low_entropy(shown)


TASK = sequence_task(
    "algebraic_sequence",
    "the next term of a sequence of rounded roots, functions or convergents",
    FAMILIES,
    prompt_tokens=430,
    tokens=lambda n: 6 * n * 2**2 + 4 * math.log(n) + 40,
    is_too_simple=_is_too_simple,
)
