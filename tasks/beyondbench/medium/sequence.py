"""What the five sequence tasks share: parameters, draw, solver, grader, reader (section H of the paper).

`solve` looks at the shown terms alone: it fits every rule of the suite to them. `check` computes the next
term from the rule that was drawn. Neither uses the other.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.numbers import IntegerForm, TermForm, value_of, write_value
from perennial.tasks.beyondbench.medium.families.algebraic import FAMILIES
from perennial.tasks.beyondbench.medium.families.fibonacci import FAMILIES as RECURRENCES
from perennial.tasks.beyondbench.medium.families.geometric import FAMILIES as GEOMETRIC
from perennial.tasks.beyondbench.medium.families.patterns import FAMILIES as PATTERNS
from perennial.tasks.beyondbench.medium.families.primes import FAMILIES as PRIMES
from perennial.tasks.beyondbench.medium.family import LIMIT, SequenceFamily, Terms
from perennial.tasks.beyondbench.medium.fits.every import LEAST_TERMS, find_extensions, find_only_extension
from perennial.tasks.beyondbench.medium.fits.linear import divide
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation, load_data

# How many different sequences a variation has: a lower bound from repeats among draws (birthday bound).
#
# With n draws from N problems, repeats are about Poisson with mean n (n - 1) / 2N where all problems are
# equally likely, and more where they are not. The N at which as few repeats as were seen have a chance of one
# in a million is therefore a lower bound with that confidence, whatever the distribution.

CONFIDENCE = 1e-6
DRAWS = 20_000


def find_space(variation: str, size: int) -> Space:
    """The lower bound for the variation at this number of shown terms."""
    repeats = load_data("medium/repeats.toml")[variation][str(size)]
    log10 = math.log10(DRAWS * (DRAWS - 1) / 2 / _largest_mean(repeats))
    return Space(log10, False, f"{repeats:,} repeats in {DRAWS:,} draws; 1 - 1e-6 lower bound")


def _largest_mean(count: int) -> float:
    """The Poisson mean at which at most `count` events have the chance `CONFIDENCE`."""
    low, high = float(count), count + 20 + 10 * math.sqrt(count + 20)
    while high - low > 1e-6 * high:
        mean = (low + high) / 2
        if _chance_of_at_most(count, mean) > CONFIDENCE:
            low = mean
        else:
            high = mean
    return high


def _chance_of_at_most(count: int, mean: float) -> float:
    return math.fsum(math.exp(n * math.log(mean) - mean - math.lgamma(n + 1)) for n in range(count + 1))


# What makes a sequence too simple for its task: validators a-d (Algorithms 4, 6 and 7).
#
# (b), that a pure geometric sequence has one ratio, holds by construction in whole numbers; what is tested is
# that no other family is geometric.

LEAST_ENTROPY = 1.0  # bits, H_min of Algorithm 7
MOST_CORRELATION = (8, 10)  # R(k) of eq. 93, as a fraction
LAGS = (1, 2, 3)


def has_equal_steps(terms: Sequence[int]) -> bool:
    """Whether all differences are the same (a)."""
    step = terms[1] - terms[0]
    return terms[2] - terms[1] == step and all(after - before == step for before, after in pairwise(terms))


def has_equal_ratios(terms: Sequence[int]) -> bool:
    """Whether all ratios are the same (b)."""
    first, second = terms[0], terms[1]
    return first * terms[2] == second * second and all(
        first * after == second * before for before, after in pairwise(terms)
    )


def is_polynomial(terms: Sequence[int], most: int = 4) -> bool:
    """Whether differences of an order from 1 to `most` are constant (c, check 1)."""
    row = terms
    for _ in range(most):
        row = [after - before for before, after in pairwise(row)]
        if len(row) < 2:
            return False
        if row[0] == row[1] and len(set(row)) == 1:
            return True
    return False


def has_low_entropy(terms: Sequence[int]) -> bool:
    """Whether the entropy of the values is below 1 bit (c, check 3; eq. 92)."""
    if len(set(terms)) > len(terms) // 2 + 1:
        return False
    size = len(terms)
    return -sum(n / size * math.log2(n / size) for n in Counter(terms).values()) < LEAST_ENTROPY


def repeats_itself(terms: Sequence[int]) -> bool:
    """Whether an autocorrelation at lag 1, 2 or 3 is above 0.8 (d; eq. 93), in whole numbers."""
    size, total = len(terms), sum(terms)
    centred = [size * term - total for term in terms]
    over, under = MOST_CORRELATION
    bound = over * sum([x * x for x in centred])
    return any(
        under * sum([x * y for x, y in zip(centred, centred[lag:], strict=False)]) > bound for lag in LAGS
    )


MOST_TERMS = 12
MOST_PLACES = 2
LARGEST = 10**9  # of a term in units of its last place, and of an integer of a rule
TOLERANCE = Fraction(1, 200)
_SHOWN = re.compile(r"^Sequence: (-?\d[\d., -]{0,400}), \?[ ]*$", re.MULTILINE)
_TERM = re.compile(r"(-?\d{1,7})(?:\.(\d{1,2}))?")

Validator = Callable[[Terms], bool]


@dataclass(frozen=True, slots=True)
class SequenceParams:
    """The shown terms, in units of 10^-places, and the rule that made them.

    A prompt shows the terms only: of what is read from one, family and rule are empty.
    """

    terms: tuple[int, ...]
    places: int = 0
    family: str = ""
    rule: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not LEAST_TERMS <= len(self.terms) <= MOST_TERMS:
            raise ValueError(f"{len(self.terms)} terms: a sequence shows {LEAST_TERMS} to {MOST_TERMS}")
        if not 0 <= self.places <= MOST_PLACES:
            raise ValueError(f"{self.places} decimal places: terms have 0 to {MOST_PLACES}")
        if len(self.rule) > MOST_TERMS or any(abs(x) > LARGEST for x in (*self.terms, *self.rule)):
            raise ValueError(f"a term or the rule holds an integer beyond {LARGEST}")


def sequence_task(
    name: str,
    title: str,
    families: Mapping[str, SequenceFamily],
    prompt_tokens: int,
    tokens: Callable[[int], float],
    is_too_simple: Validator = lambda _shown: False,
    heuristic: Callable[[SequenceParams], Answer] | None = None,
) -> Task[SequenceParams]:
    """The task of these families.

    `prompt_tokens` are those of the prompt without terms; `tokens` estimates a solution from the number of
    shown terms; `is_too_simple` is the task's own validator.
    """

    def draw(variation: str, size: int, rng: random.Random) -> SequenceParams | None:
        family = families[variation]
        rule = family.sample(rng, size + 1)
        terms = family.terms(rule, size + 1)
        unit = 10**family.places
        if terms is None:
            return None
        start = terms[:size]
        if max(map(abs, terms if family.bounds_next else start)) > LIMIT * unit:
            return None
        if has_equal_steps(start) or (has_equal_ratios(start) and not family.is_geometric):
            return None
        if is_too_simple(start) or not family.accepts(rule, start):
            return None
        start, places = _shorten(start, family.places)
        following = find_only_extension(start, places)
        if following is None or following * 10 ** (family.places - places) != terms[size]:
            return None
        return SequenceParams(tuple(start), places, variation, rule)

    def check(params: SequenceParams, answer: Answer) -> bool:
        family = families.get(params.family)
        if family is None or not family.holds(params.rule):
            raise ValueError(
                f"{params.family or 'a sequence without a family'} {params.rule} is not a rule of {name}"
            )
        terms = family.terms(params.rule, len(params.terms) + 1)
        if terms is None or _shorten(terms[:-1], family.places) != (list(params.terms), params.places):
            return False
        return _is_value(answer, Fraction(terms[-1], 10**family.places))

    has_decimals = any(family.places for family in families.values())
    form: Form = TermForm() if has_decimals else IntegerForm()
    return Task(
        name,
        suite="medium",
        title=title,
        params=SequenceParams,
        variations=tuple(Variation(family.name, family.sizes) for family in families.values()),
        draw=draw,
        solve=solve,
        verify=verify,
        check=check,
        form=lambda _params: form,
        words=show_terms,
        read=read_terms,
        guess=guess_term,
        tokens=lambda _variation, size: (prompt_tokens + 4 * size, round(tokens(size))),
        space=find_space,
        mutate=mutate_terms,
        heuristic=heuristic,
    )


def _shorten(terms: Terms, places: int) -> tuple[list[int], int]:
    """The terms in the largest unit in which they are whole, and its decimal places."""
    shortened = list(terms)
    while places and not any(term % 10 for term in shortened):
        shortened = [term // 10 for term in shortened]
        places -= 1
    return shortened, places


def solve(params: SequenceParams) -> Solutions:
    """What the fits predict from the terms alone; raise ValueError where no rule fits."""
    values = find_extensions(params.terms, params.places)
    if not values:
        raise ValueError(f"no rule fits {', '.join(show_terms(params)['terms'])}")
    unit = 10**params.places
    return Solutions(tuple(write_value(Fraction(value) / unit) for value in values), len(values), True)


def verify(params: SequenceParams, answer: Answer) -> str:
    """A detail code; "" for the next term. Whole numbers are exact, decimals within 0.005."""
    if value_of(answer) is None:
        return "not_a_number"
    solutions = solve(params)
    expected = (value_of(solution) for solution in solutions.answers)
    return (
        RIGHT if any(_is_value(answer, value) for value in expected if value is not None) else "wrong_number"
    )


def _is_value(answer: Answer, expected: Fraction) -> bool:
    value = value_of(answer)
    if value is None:
        return False
    return value == expected if expected.denominator == 1 else abs(value - expected) <= TOLERANCE


def show_terms(params: SequenceParams) -> Mapping[str, Any]:
    """Write the terms as the prompt shows them."""
    unit = 10**params.places
    return {"terms": [str(write_value(Fraction(term, unit))) for term in params.terms]}


def read_terms(prompt: str) -> SequenceParams:
    """The terms of the line that shows them; raise ValueError where there is none."""
    lines = _SHOWN.findall(prompt)
    matches = [_TERM.fullmatch(term) for term in lines[-1].split(", ")] if lines else []
    if not matches or not all(matches):
        raise ValueError("the prompt shows no sequence")
    places = max(len(term[2] or "") for term in matches if term)
    terms = tuple(int(term[1] + (term[2] or "").ljust(places, "0")) for term in matches if term)
    return SequenceParams(terms, places)


def guess_term(params: SequenceParams, rng: random.Random) -> Answer:
    """A random whole number, as far from the last term as the shown terms are apart."""
    unit = 10**params.places
    last, spread = params.terms[-1] // unit, (max(params.terms) - min(params.terms)) // unit
    return rng.randint(last - spread - 1, last + spread + 1)


def add_last_two(params: SequenceParams) -> Answer:
    """Answer with the sum of the last two terms."""
    return write_value(Fraction(sum(params.terms[-2:]), 10**params.places))


def mutate_terms(params: SequenceParams, answer: Answer, _rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """What hasty readers answer: a shown term, equal steps, equal ratios, the sum of the last two."""
    terms, unit = params.terms, 10**params.places
    last, before = terms[-1], terms[-2]
    changed: list[tuple[str, int | Fraction]] = [
        ("last term again", last),
        ("term before the last", before),
        ("first term", terms[0]),
        ("last step again", 2 * last - before),
        ("sum of the last two", last + before),
        ("last term doubled", 2 * last),
    ]
    if before:
        changed.append(("last ratio again", divide(last * last, before)))
    for kind, value in changed:
        mutated = write_value(round(Fraction(value) * 100 / unit) / Fraction(100))
        if mutated != answer:
            yield kind, mutated


# Sequences of roots, transcendental functions and convergents: the next term (section H.5).

ALGEBRAIC_SEQUENCE = sequence_task(
    "algebraic_sequence",
    "the next term of a sequence of rounded roots, functions or convergents",
    FAMILIES,
    prompt_tokens=430,
    tokens=lambda n: 6 * n * 2**2 + 4 * math.log(n) + 40,
    is_too_simple=lambda terms: is_polynomial(terms) or has_low_entropy(terms),
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
    heuristic=add_last_two,
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
