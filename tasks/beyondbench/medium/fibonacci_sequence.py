"""Fibonacci and recursive sequences: the next term (section H.1)."""

from perennial.tasks.beyondbench.medium.families.fibonacci import FAMILIES
from perennial.tasks.beyondbench.medium.sequence import sequence_task

TASK = sequence_task(
    "fibonacci_sequence",
    "the next term of a recursive sequence",
    FAMILIES,
    prompt_tokens=200,
    tokens=lambda n: 6 * n + 4 * 6 + 40,
)
