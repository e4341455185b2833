"""Sequences of roots, transcendental functions and convergents: the next term (section H.5)."""

import math

from perennial.tasks.beyondbench.medium.families.algebraic import FAMILIES
from perennial.tasks.beyondbench.medium.families.fibonacci import FAMILIES as RECURRENCES
from perennial.tasks.beyondbench.medium.families.geometric import FAMILIES as GEOMETRIC
from perennial.tasks.beyondbench.medium.families.patterns import FAMILIES as PATTERNS
from perennial.tasks.beyondbench.medium.families.primes import FAMILIES as PRIMES
from perennial.tasks.beyondbench.medium.family import Terms
from perennial.tasks.beyondbench.medium.sequence import (
    has_low_entropy,
    is_polynomial,
    repeats_itself,
    sequence_task,
)


def _is_too_simple(terms: Terms) -> bool:
    return is_polynomial(terms) or has_low_entropy(terms)


ALGEBRAIC_SEQUENCE = sequence_task(
    "algebraic_sequence",
    "the next term of a sequence of rounded roots, functions or convergents",
    FAMILIES,
    prompt_tokens=430,
    tokens=lambda n: 6 * n * 2**2 + 4 * math.log(n) + 40,
    is_too_simple=_is_too_simple,
)


# Patterns of several layers: the next term (section H.4).


COMPLEX_PATTERN = sequence_task(
    "complex_pattern",
    "the next term of a pattern of several layers",
    PATTERNS,
    prompt_tokens=420,
    tokens=lambda n: 6 * n * 3 + 4 * 2**3 + 40,
    is_too_simple=repeats_itself,
)


# Fibonacci and recursive sequences: the next term (section H.1).


FIBONACCI_SEQUENCE = sequence_task(
    "fibonacci_sequence",
    "the next term of a recursive sequence",
    RECURRENCES,
    prompt_tokens=200,
    tokens=lambda n: 6 * n + 4 * 6 + 40,
)


# Geometric and exponential sequences: the next term (section H.2).


GEOMETRIC_SEQUENCE = sequence_task(
    "geometric_sequence",
    "the next term of a sequence of powers, factorials or figurate numbers",
    GEOMETRIC,
    prompt_tokens=260,
    tokens=lambda n: 6 * n * math.log10(5) + 4 * n + 40,
)


# Sequences of number theory: the next term (section H.3).


PRIME_SEQUENCE = sequence_task(
    "prime_sequence",
    "the next term of a sequence of number theory",
    PRIMES,
    prompt_tokens=560,
    tokens=lambda n: 6 * n * math.log(n) + 4 * math.sqrt(n) + 40,
)
