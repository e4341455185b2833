"""A task on a pair of integers in +-3.2e7, so that there are more than 1e15 pairs (F.2 of the paper)."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Space, one
from perennial.tasks.beyondbench.easy.kinds import INTEGER, Kind
from perennial.tasks.beyondbench.easy.lists import Integer, count_space
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

LARGEST = 32_000_000
PAIR = Variation("standard", (2,))
_PAIR = re.compile(r"^Number 1: (-?[0-9]+)\nNumber 2: (-?[0-9]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PairParams:
    """Two integers."""

    first: Integer
    second: Integer


def draw_pair(_variation: str, _size: int, rng: random.Random) -> PairParams:
    """Return two integers, uniform in [-3.2e7, 3.2e7]."""
    return PairParams(rng.randint(-LARGEST, LARGEST), rng.randint(-LARGEST, LARGEST))


def pair_space(_variation: str, _size: int) -> Space:
    """Return the number of all pairs."""
    return count_space((2 * LARGEST + 1) ** 2, "ordered pairs")


def _read_pair(prompt: str) -> PairParams:
    found = _PAIR.findall(prompt)
    if not found:
        raise ValueError("the prompt holds no two numbers")
    return PairParams(*map(int, found[-1]))


def _words(params: PairParams) -> Mapping[str, Any]:
    return {"first": params.first, "second": params.second}


def _guess_integer(_params: PairParams, rng: random.Random) -> Answer:
    return rng.randint(-LARGEST, LARGEST)


def pair_task(
    module: str,
    title: str,
    compute: Callable[[int, int], Any],
    recompute: Callable[[int, int], Any],
    *,
    kind: Kind = INTEGER,
    draw: Callable[[str, int, random.Random], PairParams | None] = draw_pair,
    space: Callable[[str, int], Space] = pair_space,
    guess: Callable[[PairParams, random.Random], Answer] = _guess_integer,
) -> Task[PairParams]:
    """Return the task of this module: `compute` solves and verifies, `recompute` checks."""
    *_, group, name = module.split(".")
    return Task(
        name,
        suite="easy",
        title=title,
        params=PairParams,
        variations=(PAIR,),
        template=f"beyondbench/easy/{group}/{name}.md.j2",
        draw=draw,
        solve=lambda params: one(kind.as_answer(compute(params.first, params.second))),
        verify=lambda params, answer: kind.grade(compute(params.first, params.second), answer),
        check=lambda params, answer: kind.grade(recompute(params.first, params.second), answer) == RIGHT,
        form=lambda _params: kind.form,
        words=_words,
        read=_read_pair,
        guess=guess,
        tokens=lambda _variation, _size: (90, 24),
        space=space,
        mutate=lambda params, answer, _rng: (
            ("of the pair swapped", near)
            for near in [kind.as_answer(compute(params.second, params.first))]
            if near != answer
        ),
    )
