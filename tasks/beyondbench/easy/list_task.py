"""A task on a list of integers, made of two functions that compute its value in different ways."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Space, one
from perennial.tasks.beyondbench.easy.kinds import INTEGER, Kind
from perennial.tasks.beyondbench.easy.lists import (
    LARGE,
    STANDARD,
    ListParams,
    Values,
    draw_list,
    guess_element,
    list_space,
    list_tokens,
    list_words,
    read_list,
)
from perennial.tasks.beyondbench.task import RIGHT, Task, Variation

Draw = Callable[[str, int, random.Random], ListParams | None]


def list_task(
    module: str,
    title: str,
    compute: Callable[[Values], Any],
    recompute: Callable[[Values], Any],
    *,
    kind: Kind = INTEGER,
    draw: Draw = draw_list,
    space: Callable[[str, int], Space] = list_space,
    variations: tuple[Variation, ...] = (STANDARD, LARGE),
    tokens: Callable[[str, int], tuple[int, int]] = list_tokens,
    guess: Callable[[Values, random.Random], Answer] = guess_element,
) -> Task[ListParams]:
    """Return the task of this module: `compute` solves and verifies, `recompute` checks."""
    *_, group, name = module.split(".")

    def near_misses(params: ListParams, answer: Answer, _rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield the answers of neighbouring lists: what a player finds who misreads the list or the rule."""
        values = params.values
        neighbours = {
            "without the first": values[1:],
            "without the last": values[:-1],
            "backwards": values[::-1],
            "negated": tuple(-value for value in values),
            "without signs": tuple(map(abs, values)),
        }
        for change, changed in neighbours.items():
            # A list of equal elements may have no answer, such as a second largest.
            if len(set(changed)) > 1 and (near := kind.as_answer(compute(changed))) != answer:
                yield f"of the list {change}", near

    return Task(
        name,
        suite="easy",
        title=title,
        params=ListParams,
        variations=variations,
        template=f"beyondbench/easy/{group}/{name}.md.j2",
        draw=draw,
        solve=lambda params: one(kind.as_answer(compute(params.values))),
        verify=lambda params, answer: kind.grade(compute(params.values), answer),
        check=lambda params, answer: kind.grade(recompute(params.values), answer) == RIGHT,
        form=lambda _params: kind.form,
        words=list_words,
        read=read_list,
        guess=lambda params, rng: guess(params.values, rng),
        tokens=tokens,
        space=space,
        mutate=near_misses,
    )
