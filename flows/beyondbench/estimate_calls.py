"""How many model calls a plan needs, and what they cost: an estimate before any of them is made."""

from collections.abc import Mapping
from math import ceil

from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.beyondbench.things import BeyondBenchPlan
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import SHARE
from perennial.tasks.beyondbench.registry import TASKS

_LONG_REPLY = 4_000  # tokens of a reply that thinks at length, where no limit is set


def estimate_calls(
    own: BeyondBenchPlan, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the estimate of each model: one call per problem, with a written solution at least."""
    prompt, solution = (sum(part) * own.instances * plan.runs for part in zip(*_tokens(own), strict=True))
    calls = len(own.cells) * own.instances * plan.runs
    return estimate_players(
        plan,
        PLAYERS,
        prices,
        calls=calls,
        prompt_tokens=prompt,
        answer_tokens=solution,
        longest_reply=min(_LONG_REPLY, int(SHARE * own.context_tokens)),
    )


def _tokens(own: BeyondBenchPlan) -> list[tuple[int, int]]:
    """Return the mean tokens of prompt and solution over the sizes of each cell."""
    found = []
    for cell in own.cells:
        task = TASKS[cell.task]
        sizes = task.variation(cell.variation).sizes
        pairs = [task.tokens(cell.variation, size) for size in sizes]
        prompt, solution = (sum(part) / len(sizes) for part in zip(*pairs, strict=True))
        found.append((ceil(prompt), ceil(solution)))
    return found
