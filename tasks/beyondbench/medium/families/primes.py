"""Pr1-Pr11: primes and number-theoretic functions (section H.3)."""

import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import isqrt
from operator import mul

from perennial.tasks.beyondbench.medium.family import (
    LIMIT,
    Rule,
    SequenceFamily,
    Terms,
    box_rules,
    by_name,
    extend,
    scale_rules,
)

SHIFT = 999
ARGUMENTS = 100_000
MODULI = tuple(p for p in range(7, 398) if all(p % q for q in range(2, isqrt(p) + 1)))
_EXPONENTS = (2, 3, 5, 7, 11, 13, 17, 19)


@cache
def _is_prime() -> bytearray:
    """A byte for each number up to twice the limit: 1 for a prime (Algorithm 5)."""
    size = 2 * LIMIT + 4
    marks = bytearray([1]) * size
    marks[0] = marks[1] = 0
    for p in range(2, isqrt(size) + 1):
        if marks[p]:
            marks[p * p :: p] = bytes(len(range(p * p, size, p)))
    return marks


@cache
def _is_twin() -> bytes:
    return _mark(2, 1)


@cache
def _is_germain() -> bytes:
    return _mark(1, 2)


def _mark(plus: int, times: int) -> bytes:
    """A byte for each number p up to the limit: 1 where p and times p + plus are primes."""
    marks = _is_prime()
    other = marks[plus::times]
    marked = int.from_bytes(marks[:LIMIT], "big") & int.from_bytes(other[:LIMIT], "big")
    return marked.to_bytes(LIMIT, "big")


@cache
def _is_semiprime() -> bytearray:
    marks = _is_prime()
    primes = [p for p in range(LIMIT // 2 + 1) if marks[p]]
    is_product = bytearray(LIMIT)
    for i, p in enumerate(primes):
        if p * p >= LIMIT:
            break
        for q in primes[i:]:
            if p * q >= LIMIT:
                break
            is_product[p * q] = 1
    return is_product


def _run(marks: Callable[[], bytes | bytearray]) -> Callable[[Rule, int], Terms | None]:
    """The terms of (start, c): the marked numbers from the start on, plus c."""

    def terms(rule: Rule, count: int) -> Terms | None:
        number, shift = rule
        find = marks().find
        numbers: list[int] = []
        number -= 1
        while len(numbers) < count:
            number = find(1, number + 1, LIMIT)
            if number < 0:
                return None
            numbers.append(number + shift)
        return numbers

    return terms


def _gaps(rule: Rule, count: int) -> Terms | None:
    primes = _run(_is_prime)((rule[0], 0), count + 1)
    if primes is None:
        return None
    return [after - before + rule[1] for before, after in pairwise(primes)]


@cache
def _small_primes() -> list[int]:
    return [p for p in range(isqrt(ARGUMENTS + 20) + 1) if _is_prime()[p]]


def _factors(n: int) -> list[tuple[int, int]]:
    powers = []
    for p in _small_primes():
        if p * p > n:
            break
        if n % p == 0:
            power = 0
            while n % p == 0:
                n //= p
                power += 1
            powers.append((p, power))
    if n > 1:
        powers.append((n, 1))
    return powers


def _totient(n: int) -> int:
    result = n
    for p, _ in _factors(n):
        result -= result // p
    return result


def _divisor_sum(n: int) -> int:
    result = 1
    for p, power in _factors(n):
        result *= (p ** (power + 1) - 1) // (p - 1)
    return result


def _function(value: Callable[[int], int]) -> Callable[[Rule, int], Terms]:
    return lambda rule, count: [value(rule[0] + n) + rule[1] for n in range(count)]


def _mersenne_vector(shape: Rule, count: int) -> Terms:
    return [(1 << p) - 1 for p in _EXPONENTS[shape[0] : shape[0] + count]]


def _catalan_vector(shape: Rule, count: int) -> Terms:
    return extend([1], shape[0] + count, lambda terms: sum(map(mul, terms, reversed(terms))))[shape[0] :]


def _fibonacci_modulo(rule: Rule, count: int) -> Terms:
    modulus, *first = rule
    return extend(first, count, lambda terms: (terms[-1] + terms[-2]) % modulus)


def _wraps_twice(rule: Rule, terms: Terms) -> bool:
    return sum(terms[n] < terms[n - 1] for n in range(2, len(terms))) >= 2 and max(terms) < rule[0]


def _sample_modulo(rng: random.Random, _count: int) -> Rule:
    modulus = MODULI[isqrt(int(rng.random() * len(MODULI) ** 2))]
    return modulus, int(rng.random() * modulus), int(rng.random() * modulus)


_STARTS = [(2, LIMIT - 1), (-SHIFT, SHIFT)]
_ARGUMENTS = [(1, ARGUMENTS), (-SHIFT, SHIFT)]

FAMILIES = by_name(
    # Runs of primes, lower twin primes and so on: (no prime of the run is smaller, c).
    box_rules("primes", (8, 10, 12), _STARTS, _run(_is_prime)),
    box_rules("twin_primes", (8, 10, 12), _STARTS, _run(_is_twin)),
    box_rules("prime_gaps", (8, 10, 12), _STARTS, _gaps),
    # a (2^p - 1) + c, p prime: (index of the first p, a, c).
    scale_rules("mersenne", (5, 6), [(0,), (1,), (2,)], _mersenne_vector, 999, 49_999),
    # phi(n) + c and sigma(n) + c: (first n, c).
    box_rules("totient", (8, 10, 12), _ARGUMENTS, _function(_totient)),
    box_rules("sophie_germain", (8, 10, 12), _STARTS, _run(_is_germain)),
    box_rules("divisor_sum", (8, 10, 12), _ARGUMENTS, _function(_divisor_sum)),
    # a C_(n+o) + c: (o, a, c).
    scale_rules("catalan", (5, 6, 7), [(offset,) for offset in range(8)], _catalan_vector, 9_999, 999),
    # s_n = (s_(n-1) + s_(n-2)) mod p: (p, s_1, s_2).
    SequenceFamily(
        name="fibonacci_modulo",
        sizes=(8, 10, 12),
        terms=_fibonacci_modulo,
        sample=_sample_modulo,
        holds=lambda rule: (
            len(rule) == 3 and rule[0] in MODULI and 0 <= rule[1] < rule[0] and 0 <= rule[2] < rule[0]
        ),
        accepts=_wraps_twice,
    ),
    # a p^n + c: (p, a, c).
    scale_rules(
        "prime_powers",
        (5, 6),
        [(2,), (3,), (5,), (7,)],
        lambda p, count: [p[0] ** n for n in range(1, count + 1)],
        9_999,
        9_999,
    ),
    box_rules("semiprimes", (8, 10, 12), _STARTS, _run(_is_semiprime)),
)
