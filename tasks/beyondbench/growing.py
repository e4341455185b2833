"""Grow the problems of one cell: within the budget of tokens, distinct, and new as far as the space allows.

The token-aware loop (Algorithm 1 of the paper): a size shrinks by 0.8 until prompt and solution fit 85 % of
the budget; what does not fit at the smallest size is excluded. Where many draws in a row gave only problems
that are held already, the space counts as exhausted: those of earlier editions come back if the variation's
policy says so, marked as reused, and what is still missing is counted.
"""

from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from perennial.schemas.beyondbench.plan import BeyondBenchPlan
from perennial.tasks.beyondbench.budget import fits, shrink
from perennial.tasks.beyondbench.problem import Problem, draw_problems
from perennial.tasks.beyondbench.task import Task

# Draws that give nothing new before a space counts as exhausted: at least so many, and so many times the
# problems that are held. One problem that is left of N is missed with probability exp(-10).
_LEAST_REPEATS, _REPEATS_A_PROBLEM = 200, 10


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
    """What was drawn for a cell, what did not fit the budget by first size, and how many are missing.

    `used_up` are the sizes of which only problems of earlier editions are left.
    """

    drawn: dict[str, Drawn] = field(default_factory=dict)
    excluded: Counter[int] = field(default_factory=Counter)
    missing: Counter[int] = field(default_factory=Counter)
    used_up: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CellRequest:
    """What to draw: a variation of a task under a plan and seed.

    `held` are the ids of the edition's problems of other variations, which may show the same; `issued` holds
    the content hashes of earlier editions' problems; `count` counts a text's tokens.
    """

    task: Task[Any]
    variation: str
    plan: BeyondBenchPlan
    seed: int
    held: Container[str]
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
            drawn = _draw_new(request, size, number, grown)
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


def most_repeats(held: int) -> int:
    """Return how many draws in a row may give nothing new before a space counts as exhausted."""
    return max(_LEAST_REPEATS, _REPEATS_A_PROBLEM * held)


def _draw_new(request: CellRequest, size: int, number: int, grown: GrownCell) -> Drawn | None:
    """Return a problem that the edition does not hold; None where the space is exhausted."""
    task, held = request.task, grown.drawn
    may_reuse = task.variation(request.variation).reuse == "when_exhausted"
    reusable: Drawn | None = None
    problems = draw_problems(task, request.variation, size, request.seed, number)
    for problem, rejected in islice(problems, most_repeats(len(held))):
        identity = problem.content_id
        if identity in held or identity in request.held:
            continue
        is_issued = identity.removeprefix("bb_") in request.issued
        if is_issued and (reusable is not None or not may_reuse):
            continue
        tokens = request.count(problem.prompt), task.tokens(request.variation, size)[1]
        drawn = Drawn(problem, number, identity, rejected, *tokens, is_issued)
        if not is_issued or size in grown.used_up:
            return drawn
        reusable = drawn
    if reusable is not None:
        grown.used_up.add(size)
    return reusable
