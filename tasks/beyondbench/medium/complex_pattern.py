"""Patterns of several layers: the next term (section H.4)."""

from perennial.tasks.beyondbench.medium.families.patterns import FAMILIES
from perennial.tasks.beyondbench.medium.sequence import sequence_task
from perennial.tasks.beyondbench.medium.validators import repeats_itself

TASK = sequence_task(
    "complex_pattern",
    "the next term of a pattern of several layers",
    FAMILIES,
    prompt_tokens=420,
    tokens=lambda n: 6 * n * 3 + 4 * 2**3 + 40,
    is_too_simple=repeats_itself,
)
