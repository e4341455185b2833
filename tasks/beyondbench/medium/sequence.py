"""What the five sequence tasks share: parameters, draw, solver, grader, reader (section H of the paper).

`solve` looks at the shown terms alone: it fits every rule of the suite to them. `check` computes the next
term from the rule that was drawn. Neither uses the other.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.numbers.integer import IntegerForm
from perennial.tasks.beyondbench.forms.numbers.term import TermForm, value_of, write_value
from perennial.tasks.beyondbench.medium.family import LIMIT, Family, Terms
from perennial.tasks.beyondbench.medium.fits.every import LEAST_TERMS, find_extensions, find_only_extension
from perennial.tasks.beyondbench.medium.fits.linear import divide
from perennial.tasks.beyondbench.medium.spaces import find_space
from perennial.tasks.beyondbench.medium.validators import has_equal_ratios, has_equal_steps
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

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
    families: Mapping[str, Family],
    prompt_tokens: int,
    tokens: Callable[[int], float],
    is_too_simple: Validator = lambda _shown: False,
) -> Task[SequenceParams]:
    """Return the task of these families.

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
        shown = terms[:size]
        if max(map(abs, terms if family.bounds_next else shown)) > LIMIT * unit:
            return None
        if has_equal_steps(shown) or (has_equal_ratios(shown) and not family.is_geometric):
            return None
        if is_too_simple(shown) or not family.accepts(rule, shown):
            return None
        shown, places = _shorten(shown, family.places)
        following = find_only_extension(shown, places)
        if following is None or following * 10 ** (family.places - places) != terms[size]:
            return None
        return SequenceParams(tuple(shown), places, variation, rule)

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
        template=f"beyondbench/medium/{name}.md.j2",
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
    )


def _shorten(terms: Terms, places: int) -> tuple[list[int], int]:
    """Return the terms in the largest unit in which they are whole, and its decimal places."""
    shortened = list(terms)
    while places and not any(term % 10 for term in shortened):
        shortened = [term // 10 for term in shortened]
        places -= 1
    return shortened, places


def solve(params: SequenceParams) -> Solutions:
    """Return what the fits predict from the terms alone; raise ValueError where no rule fits."""
    values = find_extensions(params.terms, params.places)
    if not values:
        raise ValueError(f"no rule fits {', '.join(show_terms(params)['terms'])}")
    unit = 10**params.places
    return Solutions(tuple(write_value(Fraction(value) / unit) for value in values), len(values), True)


def verify(params: SequenceParams, answer: Answer) -> str:
    """Return "" for the next term, else a detail code. Whole numbers are exact, decimals within 0.005."""
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
    """Return the terms as text."""
    unit = 10**params.places
    return {"terms": [str(write_value(Fraction(term, unit))) for term in params.terms]}


def read_terms(prompt: str) -> SequenceParams:
    """Return the terms of the line that shows them; raise ValueError where there is none."""
    lines = _SHOWN.findall(prompt)
    found = [_TERM.fullmatch(term) for term in lines[-1].split(", ")] if lines else []
    if not found or not all(found):
        raise ValueError("the prompt shows no sequence")
    places = max(len(term[2] or "") for term in found if term)
    terms = tuple(int(term[1] + (term[2] or "").ljust(places, "0")) for term in found if term)
    return SequenceParams(terms, places)


def guess_term(params: SequenceParams, rng: random.Random) -> Answer:
    """Return a random whole number, as far from the last term as the shown terms are apart."""
    unit = 10**params.places
    last, spread = params.terms[-1] // unit, (max(params.terms) - min(params.terms)) // unit
    return rng.randint(last - spread - 1, last + spread + 1)


def mutate_terms(params: SequenceParams, answer: Answer, _rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Yield what hasty readers answer: a shown term, equal steps, equal ratios, the sum of the last two."""
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
