"""Lists of integers as parameters: drawn, counted, shown and read back (App. F of the paper)."""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Generic

from pydantic import Field

from perennial.schemas.beyondbench.things import Answer, Space, only_solution
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.lists import IntegerListForm, IntegerSetForm
from perennial.tasks.beyondbench.forms.numbers import DecimalForm, IntegerForm, RelationForm
from perennial.tasks.beyondbench.problem import RIGHT, P, Task, Variation

# The kinds of Easy answers: their form, and how they are graded (Table 8 of the paper).


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answers.

    `grade(value, answer)` returns "" for a right answer, else a detail code; `as_answer` makes a value one.
    """

    form: Form
    grade: Callable[[Any, Answer], str]
    as_answer: Callable[[Any], Answer]


def is_integer(answer: Answer) -> bool:
    """Whether the answer is an integer; True and 1.0 are none."""
    return type(answer) is int


def _grade_integer(value: int, answer: Answer) -> str:
    if not is_integer(answer):
        return "not_an_integer"
    return RIGHT if answer == value else "wrong_number"


def _grade_list(value: list[int], answer: Answer) -> str:
    if not isinstance(answer, list | tuple) or not all(map(is_integer, answer)):
        return "not_a_list_of_integers"
    if len(answer) != len(value):
        return "wrong_length"
    if Counter(answer) != Counter(value):
        return "wrong_elements"
    return RIGHT if list(answer) == list(value) else "wrong_order"


def _grade_set(value: list[int], answer: Answer) -> str:
    if not isinstance(answer, list | tuple) or not all(map(is_integer, answer)):
        return "not_a_list_of_integers"
    if len(set(answer)) != len(answer):
        return "repeated"
    if set(answer) == set(value):
        return RIGHT
    return "incomplete" if set(answer) < set(value) else "wrong_elements"


def _grade_relation(value: str, answer: Answer) -> str:
    return RIGHT if type(answer) is str and answer == value else "wrong_relation"


def decimal(tolerance: Fraction) -> Kind:
    """The kind of numbers that are right within a tolerance, compared exactly."""

    def grade(value: Fraction, answer: Answer) -> str:
        if not is_integer(answer) and not (type(answer) is float and math.isfinite(answer)):
            return "not_a_number"
        # The shortest decimal that gives a float is what was written: 0.1 is a tenth here.
        error = abs(Fraction(repr(answer) if type(answer) is float else answer) - value)
        return RIGHT if error <= tolerance else "wrong_number"

    return Kind(DecimalForm(float(tolerance)), grade, float)


INTEGER = Kind(IntegerForm(), _grade_integer, int)
INTEGER_LIST = Kind(IntegerListForm(), _grade_list, list)
INTEGER_SET = Kind(IntegerSetForm(), _grade_set, list)
RELATION = Kind(RelationForm(), _grade_relation, str)


STANDARD = Variation("standard", (8, 16, 32, 64))
# The longest lists and the widest range that the paper names (table 7); its results are of the others.
LARGE = Variation("large", (16, 32, 64, 100), is_counted=False)
LARGEST = {STANDARD.name: 1_000, LARGE.name: 1_000_000}
# What stored parameters are checked against when they are read: 100 elements are the paper's most.
Integer = Annotated[int, Field(strict=True, ge=-(10**9), le=10**9)]
Values = tuple[int, ...]
_LIST = re.compile(r"^List = \[(-?[0-9]+(?:, -?[0-9]+)*)\]$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ListParams:
    """A list of integers."""

    values: Annotated[tuple[Integer, ...], Field(min_length=1, max_length=100)]


def numbers_of(variation: str) -> range:
    """The integers that a variation's lists are drawn from."""
    return range(-LARGEST[variation], LARGEST[variation] + 1)


def draw_distinct(variation: str, size: int, rng: random.Random) -> list[int]:
    """So many different integers: repeats are drawn again, which is faster than `rng.sample`."""
    numbers = numbers_of(variation)
    numbers_drawn: dict[int, None] = {}
    while len(numbers_drawn) < size:
        numbers_drawn.update(dict.fromkeys(rng.choices(numbers, k=size - len(numbers_drawn))))
    return list(numbers_drawn)


def shuffle_values(values: Sequence[int], rng: random.Random) -> ListParams:
    """The values in a random order."""
    return ListParams(tuple(rng.sample(values, len(values))))


def read_list(prompt: str) -> ListParams:
    """The last list in a prompt; raise ValueError where there is none."""
    lists = _LIST.findall(prompt)
    if not lists:
        raise ValueError("the prompt holds no list of integers")
    return ListParams(tuple(map(int, lists[-1].split(", "))))


def count_space(number: int, doc: str) -> Space:
    """The space of exactly so many problems."""
    return Space(math.log10(number), True, doc)


def list_tokens(variation: str, size: int) -> tuple[int, int]:
    """Estimates of prompt and solution: a n + b log10 M + g with a = 6, b = 4, g = 40.

    A number of six digits takes two tokens more.
    """
    tokens = 6 if variation == STANDARD.name else 8
    return round(tokens * size + 4 * math.log10(2 * LARGEST[variation]) + 40), 24


def guess_count(params: ListParams, rng: random.Random) -> int:
    """A random number of elements."""
    return rng.randint(0, len(params.values))


# A task on lists or pairs of integers, made of two functions that compute its value in different ways.

Near = Iterator[tuple[str, tuple[Any, ...]]]


@dataclass(frozen=True)
class Inputs(Generic[P]):
    """What tasks on one kind of input share: how inputs are drawn, shown, read and guessed.

    `arguments(params)` are given to a task's functions; `near(params)` yields others, each with its mistake.
    """

    params: type[P]
    arguments: Callable[[P], tuple[Any, ...]]
    words: Callable[[P], Mapping[str, Any]]
    read: Callable[[str], P]
    variations: tuple[Variation, ...]
    draw: Callable[[str, int, random.Random], P | None]
    space: Callable[[str, int], Space]
    tokens: Callable[[str, int], tuple[int, int]]
    guess: Callable[[P, random.Random], Answer]
    near: Callable[[P], Near]


def _near_lists(params: ListParams) -> Near:
    """Neighbouring lists: whoever misreads the list or the rule gives the answer of one of them."""
    values = params.values
    neighbours = {
        "without the first": values[1:],
        "without the last": values[:-1],
        "backwards": values[::-1],
        "negated": tuple(-value for value in values),
        "without signs": tuple(map(abs, values)),
    }
    # A list of equal elements may have no answer, such as a second largest.
    yield from (
        (f"of the list {change}", (changed,))
        for change, changed in neighbours.items()
        if len(set(changed)) > 1
    )


LISTS = Inputs(
    ListParams,
    arguments=lambda params: (params.values,),
    words=lambda params: {"values": list(params.values)},
    read=read_list,
    variations=(STANDARD, LARGE),
    draw=lambda variation, size, rng: ListParams(tuple(draw_distinct(variation, size, rng))),
    space=lambda variation, size: count_space(
        math.perm(len(numbers_of(variation)), size), "ordered lists of different integers"
    ),
    tokens=list_tokens,
    guess=lambda params, rng: rng.randint(min(params.values), max(params.values)),
    near=_near_lists,
)


# Pairs of integers in +-3.2e7, so that there are more than 1e15 pairs (F.2 of the paper).
LARGEST_OF_PAIR = 32_000_000
_PAIR = re.compile(r"^Number 1: (-?[0-9]+)\nNumber 2: (-?[0-9]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PairParams:
    """Two integers."""

    first: Integer
    second: Integer


def draw_pair(_variation: str, _size: int, rng: random.Random) -> PairParams:
    """Two integers, uniform in [-3.2e7, 3.2e7]."""
    return PairParams(
        rng.randint(-LARGEST_OF_PAIR, LARGEST_OF_PAIR), rng.randint(-LARGEST_OF_PAIR, LARGEST_OF_PAIR)
    )


def _read_pair(prompt: str) -> PairParams:
    pairs = _PAIR.findall(prompt)
    if not pairs:
        raise ValueError("the prompt holds no two numbers")
    return PairParams(*map(int, pairs[-1]))


PAIRS = Inputs(
    PairParams,
    arguments=lambda params: (params.first, params.second),
    words=lambda params: {"first": params.first, "second": params.second},
    read=_read_pair,
    variations=(Variation("standard", (2,)),),
    draw=draw_pair,
    space=lambda _variation, _size: count_space((2 * LARGEST_OF_PAIR + 1) ** 2, "ordered pairs"),
    tokens=lambda _variation, _size: (90, 24),
    guess=lambda _params, rng: rng.randint(-LARGEST_OF_PAIR, LARGEST_OF_PAIR),
    near=lambda params: iter([("of the pair swapped", (params.second, params.first))]),
)


def easy_task(
    path: str,
    title: str,
    compute: Callable[..., Any],
    recompute: Callable[..., Any],
    inputs: Inputs[Any] = LISTS,
    *,
    kind: Kind = INTEGER,
    **changes: Any,
) -> Task[Any]:
    """Name a task by its template (`order/mean`); `compute` solves and verifies, `recompute` checks.

    `changes` replace parts of the inputs for this task.
    """
    inputs = replace(inputs, **changes)

    def near_misses(params: Any, answer: Answer, _rng: random.Random) -> Iterator[tuple[str, Answer]]:
        for mistake, arguments in inputs.near(params):
            if (near := kind.as_answer(compute(*arguments))) != answer:
                yield mistake, near

    group, name = path.split("/")
    return Task(
        name,
        suite="easy",
        title=title,
        params=inputs.params,
        variations=inputs.variations,
        draw=inputs.draw,
        solve=lambda params: only_solution(kind.as_answer(compute(*inputs.arguments(params)))),
        verify=lambda params, answer: kind.grade(compute(*inputs.arguments(params)), answer),
        check=lambda params, answer: kind.grade(recompute(*inputs.arguments(params)), answer) == RIGHT,
        form=lambda _params: kind.form,
        words=inputs.words,
        read=inputs.read,
        guess=inputs.guess,
        tokens=inputs.tokens,
        space=inputs.space,
        mutate=near_misses,
        group=f"{group}/",
    )


# Lists of which the answer is drawn first, evenly: no count is right more often than another one.
#
# Counts in lists that are drawn element by element gather round their mean: 27% of lists of eight hold four
# odd numbers, and 49% have two local maxima.


def plant(
    counted_of: Callable[[str], Sequence[int]], numbers_of: Callable[[str], range]
) -> tuple[Callable[[str, int, random.Random], ListParams], Callable[[str, int], Space]]:
    """How lists with repeats and 0 to k counted elements are drawn, and how many there are.

    Both functions take the variation: the counted numbers, and all that lists are drawn from.
    """

    @cache
    def split(variation: str) -> tuple[Sequence[int], Sequence[int]]:
        counted = counted_of(variation)
        counted_set = frozenset(counted)
        return counted, [number for number in numbers_of(variation) if number not in counted_set]

    def draw(variation: str, size: int, rng: random.Random) -> ListParams:
        counted, others = split(variation)
        planted = rng.randint(0, size)
        return shuffle_values(rng.choices(counted, k=planted) + rng.choices(others, k=size - planted), rng)

    def space(variation: str, size: int) -> Space:
        return count_space(len(numbers_of(variation)) ** size, "ordered lists, repeats allowed")

    return draw, space


def plant_distinct(
    counted: Sequence[int], others: Sequence[int], planted: int, size: int, rng: random.Random
) -> ListParams:
    """Different integers, so many of them of `counted`."""
    return shuffle_values(rng.sample(counted, planted) + rng.sample(others, size - planted), rng)


def arrange(variation: str, is_up: Sequence[bool], rng: random.Random) -> ListParams:
    """Different integers, of which each is above the one before it where the step between is up.

    The smallest is put in a random one of the places that may hold it, then the next smallest, and so on.
    """
    size = len(is_up) + 1
    smaller_neighbours = [0] * size  # that have no value yet
    for index, up in enumerate(is_up):
        smaller_neighbours[index + up] += 1
    free = [index for index in range(size) if not smaller_neighbours[index]]
    values = [0] * size
    for value in sorted(draw_distinct(variation, size, rng)):
        chosen = rng.randrange(len(free))
        free[chosen], free[-1] = free[-1], free[chosen]
        index = free.pop()
        values[index] = value
        for step, neighbour in ((index - 1, index - 1), (index, index + 1)):
            if 0 <= step < size - 1 and neighbour == step + is_up[step]:
                smaller_neighbours[neighbour] -= 1
                if not smaller_neighbours[neighbour]:
                    free.append(neighbour)
    return ListParams(tuple(values))
