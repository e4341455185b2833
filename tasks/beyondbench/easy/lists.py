"""Lists of integers as parameters: drawn, counted, shown and read back (App. F of the paper)."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.task import Variation

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


def draw_list(variation: str, size: int, rng: random.Random) -> ListParams:
    """Return so many different integers, uniform in the variation's range."""
    return ListParams(tuple(draw_distinct(variation, size, rng)))


def numbers_of(variation: str) -> range:
    """Return the integers that a variation's lists are drawn from."""
    return range(-LARGEST[variation], LARGEST[variation] + 1)


def draw_distinct(variation: str, size: int, rng: random.Random) -> list[int]:
    """Return so many different integers: repeats are drawn again, which is faster than `rng.sample`."""
    numbers = numbers_of(variation)
    found: dict[int, None] = {}
    while len(found) < size:
        found.update(dict.fromkeys(rng.choices(numbers, k=size - len(found))))
    return list(found)


def shuffle_values(values: Sequence[int], rng: random.Random) -> ListParams:
    """Return the values in a random order."""
    return ListParams(tuple(rng.sample(values, len(values))))


def list_words(params: ListParams) -> Mapping[str, Any]:
    """Return the list as the template shows it."""
    return {"values": list(params.values)}


def read_list(prompt: str) -> ListParams:
    """Return the last list in a prompt; raise ValueError where there is none."""
    found = _LIST.findall(prompt)
    if not found:
        raise ValueError("the prompt holds no list of integers")
    return ListParams(tuple(map(int, found[-1].split(", "))))


def count_space(number: int, doc: str) -> Space:
    """Return the space of exactly so many problems."""
    return Space(math.log10(number), True, doc)


def list_space(variation: str, size: int) -> Space:
    """Return the number of lists: arrangements without repetition."""
    return count_space(math.perm(len(numbers_of(variation)), size), "ordered lists of different integers")


def list_tokens(variation: str, size: int) -> tuple[int, int]:
    """Return estimates of prompt and solution: a n + b log10 M + g with a = 6, b = 4, g = 40.

    A number of six digits takes two tokens more.
    """
    tokens = 6 if variation == STANDARD.name else 8
    return round(tokens * size + 4 * math.log10(2 * LARGEST[variation]) + 40), 24


def guess_element(values: Values, rng: random.Random) -> int:
    """Return a random integer from the range of the list's elements."""
    return rng.randint(min(values), max(values))


def guess_count(values: Values, rng: random.Random) -> int:
    """Return a random number of elements."""
    return rng.randint(0, len(values))
