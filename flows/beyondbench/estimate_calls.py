"""How many model calls a plan needs, and what they cost: an estimate before any of them is made."""

from collections.abc import Mapping
from math import ceil

from schemas.beyondbench.plan import BeyondBenchPlan
from schemas.calls import Price, StageEstimate
from schemas.plan import EvaluationPlan
from tasks.beyondbench.budget import SHARE
from tasks.beyondbench.players.registry import PLAYERS
from tasks.beyondbench.registry import TASKS
from tasks.llm.rate_limits import completion_bound
from tasks.play.model_player import parse_model_player

_LONG_REPLY = 4_000  # tokens of a reply that thinks at length, where no limit is set


def estimate_calls(
    own: BeyondBenchPlan, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the estimate of each model: a call a problem, with a written solution at least."""
    prompt, solution = (sum(part) * own.instances * plan.runs for part in zip(*_tokens(own), strict=True))
    calls = len(own.cells) * own.instances * plan.runs
    stages = []
    for name in (name for name in plan.players if name not in PLAYERS):
        choice = parse_model_player(name, plan.params_of, ()).choice
        bound = completion_bound(choice.params) or min(_LONG_REPLY, int(SHARE * own.context_tokens))
        longest = max(calls * bound, solution)
        price = prices.get(choice.model)
        stages.append(
            StageEstimate(
                stage="episodes",
                model=name,
                calls_low=calls,
                calls_high=calls,
                prompt_tokens=prompt,
                completion_tokens=solution,
                prompt_tokens_high=prompt,
                completion_tokens_high=longest,
                cost_low_usd=_cost(prompt, solution, price),
                cost_high_usd=_cost(prompt, longest, price),
            )
        )
    return stages


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


def _cost(prompt: float, completion: float, price: Price | None) -> float | None:
    if price is None or price.prompt is None or price.completion is None:
        return None
    return (prompt * price.prompt + completion * price.completion) / 1e6
