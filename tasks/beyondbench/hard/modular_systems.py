"""Modular systems: the integer that satisfies congruences and further conditions (App. K.8 of the paper).

A prompt states a window that holds exactly one such integer: those that satisfy the congruences, one in each
M (the product of the moduli), are all looked at.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.numbers import NamedIntegerForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

if TYPE_CHECKING:
    import numpy as np


# Primes, tested in two ways: by Miller and Rabin, and by trial division.

# The largest number that is tested.
LARGEST = 10**13
# No composite below the number is a strong probable prime to all of the bases (Jaeschke 1993).
_FEW = (4_759_123_141, (2, 7, 61))
_ALL = (341_550_071_728_321, (2, 3, 5, 7, 11, 13, 17))
_SMALL = frozenset((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61))
_PRODUCT = math.prod(_SMALL)


def is_prime(number: int) -> bool:
    """Whether the number is prime, by Miller and Rabin's test; raise ValueError above 10^13."""
    _require_testable(number)
    if number < 2:
        return False
    if math.gcd(number, _PRODUCT) > 1:
        return number in _SMALL
    _, bases = _FEW if number < _FEW[0] else _ALL
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(_passes(number, base, twos) for base in bases)


def _passes(number: int, base: int, twos: int) -> bool:
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def has_no_divisor(number: int) -> bool:
    """Whether the number is prime, by trial division; raise ValueError above 10^13."""
    _require_testable(number)
    primes = _primes()
    return number > 1 and bool((number % primes[: primes.searchsorted(number**0.5, "right")]).all())


def _require_testable(number: int) -> None:
    if number > LARGEST:
        raise ValueError(f"{number} is too large to be tested for a prime, expected at most {LARGEST}")


@cache
def _primes() -> "np.ndarray":
    """The primes up to the root of the largest number, by Eratosthenes' sieve."""
    import numpy as np

    is_left = np.ones(int(LARGEST**0.5) + 2, dtype=bool)
    is_left[:2] = False
    for number in range(2, int(len(is_left) ** 0.5) + 1):
        if is_left[number]:
            is_left[number * number :: number] = False
    return np.flatnonzero(is_left)


MODULI = range(5, 100)
DIVISORS = range(2, 31)
# The smallest answer: smaller ones are found by trying.
SMALLEST = 100
SIZES = (3, 4, 5)
# How many integers that satisfy the congruences are tested for primality before a draw is rejected.
_TESTED = 200
_MAX_STEPS = 100_000
_PRIMES = [number for number in range(2, 100) if is_prime(number)]
_Bounded = Annotated[int, Field(ge=0, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class SystemParams:
    """x is congruent to each residue by its modulus, in the window, prime or not, divisible or not (1)."""

    residues: Annotated[tuple[_Bounded, ...], Field(min_length=1, max_length=10)]
    moduli: Annotated[tuple[Annotated[int, Field(ge=1, le=1_000)], ...], Field(min_length=1, max_length=10)]
    low: _Bounded
    high: _Bounded
    is_prime: bool = False
    divisor: Annotated[int, Field(ge=1, le=1_000)] = 1


def merge_congruences(residues: tuple[int, ...], moduli: tuple[int, ...]) -> tuple[int, int] | None:
    """(residue, modulus) of the congruence that says the same, None where they contradict (eq. 206).

    The moduli need not be coprime.
    """
    x, period = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        common = math.gcd(period, modulus)
        if (residue - x) % common:
            return None
        part = modulus // common
        x += period * ((residue - x) // common * pow(period // common, -1, part) % part)
        period *= part
    return x % period, period


def _find_all(params: SystemParams) -> list[int]:
    """All integers of the window that satisfy all conditions; raise ValueError if too wide."""
    merged = merge_congruences((*params.residues, 0), (*params.moduli, params.divisor))
    if merged is None:
        return []
    first, period = merged
    steps = range(first + -(-(params.low - first) // period) * period, params.high + 1, period)
    if len(steps) > _MAX_STEPS:
        raise ValueError(f"{len(steps):,} integers of the window satisfy the congruences")
    return [x for x in steps if not params.is_prime or is_prime(x)]


def _draw(variation: str, size: int, rng: random.Random) -> SystemParams | None:
    moduli = _draw_moduli(size, rng)
    period = math.prod(moduli)
    kind = rng.choice(("prime", "divisible")) if variation == "mixed" else variation
    x = rng.randrange(period)
    if kind == "basic":
        return _system(x, moduli, 0, period - 1) if x >= SMALLEST else None
    if kind == "range":
        return _with_range(x, moduli, period, rng)
    start = rng.randrange(1, 10) if variation == "mixed" else 0
    drawn = _with_prime if kind == "prime" else _with_divisor
    return drawn(x, moduli, period, start, rng)


def _draw_moduli(size: int, rng: random.Random) -> tuple[int, ...]:
    moduli: list[int] = []
    product = 1
    while len(moduli) < size:
        modulus = rng.randrange(MODULI.start, MODULI.stop)
        if math.gcd(modulus, product) == 1:
            moduli.append(modulus)
            product *= modulus
    return tuple(sorted(moduli))


def _system(
    x: int, moduli: tuple[int, ...], low: int, high: int, is_prime: bool = False, divisor: int = 1
) -> SystemParams:
    return SystemParams(tuple(x % modulus for modulus in moduli), moduli, low, high, is_prime, divisor)


def _with_range(x: int, moduli: tuple[int, ...], period: int, rng: random.Random) -> SystemParams:
    """A window of M/4 to M integers around x + jM, j from 1 to 9."""
    x += period * rng.randrange(1, 10)
    width = rng.randint(-(-period // 4), period)
    low = x - rng.randrange(width)
    return _system(x, moduli, low, low + width - 1)


def _with_prime(
    x: int, moduli: tuple[int, ...], period: int, start: int, rng: random.Random
) -> SystemParams | None:
    """A window from the integer number `start` of those that satisfy the congruences (0: from 0).

    It ends before the second prime, and holds a number that is no prime too.
    """
    while math.gcd(x, period) > 1:
        x = rng.randrange(period)
    primes = (step for step in range(start, start + _TESTED) if is_prime(x + step * period))
    first, second = next(primes, None), next(primes, None)
    if first is None or second is None or x + first * period < SMALLEST:
        return None
    last = rng.randrange(first, second)
    if last == start:
        return None
    low = x + start * period - rng.randrange(period) if start else 0
    return _system(x, moduli, low, x + last * period + rng.randrange(period), is_prime=True)


def _with_divisor(
    x: int, moduli: tuple[int, ...], period: int, start: int, rng: random.Random
) -> SystemParams | None:
    """A window that holds one multiple of a divisor coprime to M, and a number that is none too."""
    divisors = [divisor for divisor in DIVISORS if math.gcd(divisor, period) == 1]
    if not divisors:
        return None
    divisor = rng.choice(divisors)
    first = next(step for step in count(start) if (x + step * period) % divisor == 0)
    if x + first * period < SMALLEST:
        return None
    last = rng.randrange(max(first, start + 1), first + divisor)
    low = x + start * period - rng.randrange(period) if start else 0
    return _system(x, moduli, low, x + last * period + rng.randrange(period), divisor=divisor)


def _solve(params: SystemParams) -> Solutions:
    answers = _find_all(params)
    return Solutions(tuple(answers), len(answers), True)


def _verify(params: SystemParams, answer: Answer) -> str:
    if type(answer) is not int:
        return "not_an_integer"
    for residue, modulus in zip(params.residues, params.moduli, strict=True):
        if answer % modulus != residue % modulus:
            return "congruence_violated"
    if not params.low <= answer <= params.high:
        return "outside_the_window"
    if answer % params.divisor:
        return "not_divisible"
    return "not_prime" if params.is_prime and not is_prime(answer) else RIGHT


def _check(params: SystemParams, answer: Answer) -> bool:
    """Find the residue by sieving, and primes by trial division."""
    if type(answer) is not int or answer not in range(params.low, params.high + 1):
        return False
    step, residue_so_far = 1, 0
    for residue, modulus in sorted(zip(params.residues, params.moduli, strict=True), reverse=True):
        tried = 0
        while (residue_so_far - residue) % modulus:
            residue_so_far, tried = residue_so_far + step, tried + 1
            if tried > modulus:
                return False
        step = math.lcm(step, modulus)
    if (answer - residue_so_far) % step or math.gcd(answer, params.divisor) != params.divisor:
        return False
    return not params.is_prime or has_no_divisor(answer)


def _mutate(params: SystemParams, answer: Answer, _rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Others that satisfy all congruences, all but one, or the window's ends."""
    period = math.lcm(*params.moduli)
    for step in (-3, -2, -1, 1, 2, 3):
        yield f"{step:+d} periods", answer + step * period
    for modulus in params.moduli:
        yield "all congruences but one", answer + period // modulus
        yield "one congruence", answer + modulus
    yield "reduced", answer % period
    yield "lower end", params.low
    yield "upper end", params.high
    yield "as text", str(answer)
    yield "as a float", float(answer)


_CONGRUENCE = re.compile(r"^- x ≡ (\d{1,15}) \(mod (\d{1,4})\)$", re.MULTILINE)
_WINDOW = re.compile(r"^- (\d{1,15}) <= x <= (\d{1,15})$", re.MULTILINE)
_PRIME = re.compile(r"^- x is a prime number$", re.MULTILINE)
_DIVISOR = re.compile(r"^- x is divisible by (\d{1,4})$", re.MULTILINE)


def _read(prompt: str) -> SystemParams:
    congruences = [(int(residue), int(modulus)) for residue, modulus in _CONGRUENCE.findall(prompt)]
    window, divisor = _WINDOW.search(prompt), _DIVISOR.search(prompt)
    if not congruences or window is None:
        raise ValueError("the prompt holds no congruences with a window")
    residues, moduli = zip(*congruences, strict=True)
    low, high = int(window[1]), int(window[2])
    return SystemParams(
        residues, moduli, low, high, _PRIME.search(prompt) is not None, int(divisor[1]) if divisor else 1
    )


def _words(params: SystemParams) -> Mapping[str, Any]:
    return {
        "congruences": list(zip(params.residues, params.moduli, strict=True)),
        "is_prime": params.is_prime,
        "divisor": params.divisor,
        "low": params.low,
        "high": params.high,
    }


def _space(variation: str, size: int) -> Space:
    """The number of basic systems, else a lower bound from systems of odd moduli alone.

    With M odd, p - M and p + M are even for a prime p between M and 2M. So the class of p gives a prime
    system with each of M upper ends (but where p - M = 2), a mixed one with each of M lower and M upper ends.
    There are more than 3M / (5 ln M) such p (Rosser and Schoenfeld 1962, corollary 3).
    """
    if variation == "basic":
        systems = _sum_of_products(size, 1, False) - SMALLEST * _sum_of_products(size, 0, False)
        return Space(math.log10(systems), True, "residues of pairwise coprime moduli")
    primes = 3 / (5 * size * math.log(MODULI[-1]))
    # A window of w integers has w places for each of 9 answers: the sum of w from M/4 to M is over 15/32 M^2.
    squares, cubes = (_sum_of_products(size, power, True) for power in (2, 3))
    bounds = {
        "range": (9 * 15 / 32 * cubes, "windows of M/4 to M integers, odd moduli alone"),
        "divisible": (squares - SMALLEST * _sum_of_products(size, 1, True), "M upper ends, divisor 2 alone"),
        "prime": (primes * squares - _sum_of_products(size, 1, True), "classes of primes in (M, 2M), M odd"),
        "mixed": (primes * cubes, "classes of primes in (M, 2M), M odd, by lower and upper ends"),
    }
    number, doc = bounds[variation]
    return Space(math.log10(number), False, doc)


@cache
def _sum_of_products(size: int, power: int, is_odd: bool) -> int:
    """The sum of M to this power over all sets of so many pairwise coprime moduli.

    A modulus below 100 has at most one prime factor above 7: of those that share it, a set has one at most.
    """
    groups: dict[int, list[int]] = {}
    for modulus in MODULI:
        if modulus % 2 or not is_odd:
            large = [prime for prime in _PRIMES if prime > 7 and modulus % prime == 0]
            groups.setdefault(large[0] if large else -modulus, []).append(modulus)
    sums: Counter[tuple[int, int]] = Counter({(0, 1): 1})  # by number of moduli, and product of 2, 3, 5, 7
    for group in groups.values():
        for (taken, small), total in list(sums.items()):
            for modulus in group:
                if taken < size and math.gcd(modulus, small) == 1:
                    sums[taken + 1, small * math.gcd(modulus, 210)] += total * modulus**power
    return sum(total for (taken, _), total in sums.items() if taken == size)


TASK = Task(
    name="modular_systems",
    suite="hard",
    title="the integer in a window that satisfies congruences and further conditions",
    params=SystemParams,
    variations=tuple(Variation(name, SIZES) for name in ("basic", "prime", "range", "divisible", "mixed")),
    draw=_draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda _params: NamedIntegerForm(),
    words=_words,
    read=_read,
    guess=lambda params, rng: rng.randint(params.low, params.high),
    tokens=lambda _variation, size: (40 + 10 * size + 80, 2 * size + 12),
    space=_space,
    mutate=_mutate,
)
