"""Grow the problems of one cell: within the budget of tokens, distinct, and new as far as the space allows.

The token-aware loop (Algorithm 1 of the paper): a size shrinks by 0.8 until prompt and solution fit 85 % of
the budget; what does not fit at the smallest size is excluded. Where 200 draws in a row gave only problems
that are held already, the space counts as exhausted: those of earlier editions come back if the variation's
policy says so, marked as reused, and what is still missing is counted.
"""

from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from schemas.beyondbench.plan import BeyondBenchPlan
from tasks.beyondbench.budget import fits, shrink
from tasks.beyondbench.problem import Problem, draw_problems
from tasks.beyondbench.task import Task

REPEATS = 200


@dataclass(frozen=True, slots=True)
class Drawn:
    """A problem of an edition: its number in the cell, and how it was drawn."""

    problem: Problem
    number: int
    content_id: str
    rejected_draws: int
    prompt_tokens: int
    solution_tokens: int
    is_reused: bool = False


@dataclass
class GrownCell:
    """What was drawn for a cell, what did not fit the budget by first size, and how many are missing."""

    drawn: dict[str, Drawn] = field(default_factory=dict)
    excluded: Counter[int] = field(default_factory=Counter)
    missing: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CellRequest:
    """What to draw: a variation of a task under a plan and seed.

    `issued` holds the content hashes of earlier editions' problems; `count` counts a text's tokens.
    """

    task: Task[Any]
    variation: str
    plan: BeyondBenchPlan
    seed: int
    issued: Container[str]
    count: Callable[[str], int]


def grow_cell(request: CellRequest) -> GrownCell:
    """Return the problems of a cell, sizes in turn. Raises InstancesExhausted for a generator at fault."""
    grown = GrownCell()
    sizes = request.task.variation(request.variation).sizes
    for number in range(request.plan.instances):
        first = sizes[number % len(sizes)]
        if first in grown.missing:
            grown.missing[first] += 1
            continue
        size: int | None = first
        while size is not None:
            drawn = _draw_new(request, size, number, grown.drawn)
            if drawn is None:
                grown.missing[first] += 1
                break
            if fits(drawn.prompt_tokens + drawn.solution_tokens, request.plan.context_tokens):
                grown.drawn[drawn.content_id] = drawn
                break
            size = shrink(size, sizes)
        else:
            grown.excluded[first] += 1
    return grown


def _draw_new(request: CellRequest, size: int, number: int, held: Container[str]) -> Drawn | None:
    """Return a problem that is not held; None where the space is exhausted."""
    task = request.task
    reusable: Drawn | None = None
    for problem, rejected in islice(
        draw_problems(task, request.variation, size, request.seed, number), REPEATS
    ):
        identity = problem.content_id
        if identity in held:
            continue
        is_issued = identity.removeprefix("bb_") in request.issued
        if is_issued and reusable is not None:
            continue
        tokens = request.count(problem.prompt), task.tokens(request.variation, size)[1]
        drawn = Drawn(problem, number, identity, rejected, *tokens, is_issued)
        if not is_issued:
            return drawn
        reusable = drawn
    return reusable if task.variation(request.variation).reuse == "when_exhausted" else None
