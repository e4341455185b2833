"""Sequences of number theory: the next term (section H.3)."""

import math

from perennial.tasks.beyondbench.medium.families.primes import FAMILIES
from perennial.tasks.beyondbench.medium.sequence import sequence_task

TASK = sequence_task(
    "prime_sequence",
    "the next term of a sequence of number theory",
    FAMILIES,
    prompt_tokens=560,
    tokens=lambda n: 6 * n * math.log(n) + 4 * math.sqrt(n) + 40,
)
