"""Geometric and exponential sequences: the next term (section H.2)."""

import math

from perennial.tasks.beyondbench.medium.families.geometric import FAMILIES
from perennial.tasks.beyondbench.medium.sequence import sequence_task

TASK = sequence_task(
    "geometric_sequence",
    "the next term of a sequence of powers, factorials or figurate numbers",
    FAMILIES,
    prompt_tokens=260,
    tokens=lambda n: 6 * n * math.log10(5) + 4 * n + 40,
)
