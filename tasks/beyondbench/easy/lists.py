"""Lists of integers as parameters: drawn, shown, and read back from a prompt (App. F of the paper)."""

import ast
import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.beyondbench.things import Space
from tasks.beyondbench.task import Variation

LOW, HIGH = -1_000, 1_000
SIZES = (8, 16, 32, 64)
STANDARD = (Variation("standard", SIZES),)
_LIST = re.compile(r"\[(-?\d+(?:, -?\d+)*)\]")


@dataclass(frozen=True, slots=True)
class ListParams:
    """A list of integers."""

    values: tuple[int, ...]


def draw_list(_variation: str, size: int, rng: random.Random) -> ListParams:
    """Return so many different integers, uniform in [-1000, 1000]."""
    return ListParams(tuple(rng.sample(range(LOW, HIGH + 1), size)))


def list_words(params: ListParams) -> Mapping[str, Any]:
    """Return the list as the template shows it."""
    return {"values": list(params.values)}


def read_list(prompt: str) -> ListParams:
    """Return the last list in a prompt; raise ValueError where there is none."""
    found = _LIST.findall(prompt)
    if not found:
        raise ValueError("the prompt holds no list of integers")
    return ListParams(tuple(ast.literal_eval(f"[{found[-1]}]")))


def list_space(_variation: str, size: int) -> Space:
    """Return the number of lists: arrangements without repetition."""
    choices = HIGH - LOW + 1
    log10 = math.fsum(math.log10(choices - place) for place in range(size))
    return Space(log10, True, "ordered lists of different integers")


def list_tokens(_variation: str, size: int) -> tuple[int, int]:
    """Return estimates of prompt and solution: a n + b log10 M + g with a = 6, b = 4, g = 40."""
    return round(6 * size + 4 * math.log10(HIGH - LOW) + 40), 24


def guess_integer(params: ListParams, rng: random.Random) -> int:
    """Return a random integer from the range of the list's elements."""
    return rng.randint(min(params.values), max(params.values))
