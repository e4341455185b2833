"""How many model calls a plan needs, and what they cost: an estimate before any of them is made."""

from collections.abc import Mapping

from flows.a2rbench.readers.estimate_reading import estimate_reading
from schemas.calls import Price, StageEstimate
from schemas.plan import EvaluationPlan
from tasks.a2rbench.players.registry import PLAYERS
from tasks.llm.rate_limits import completion_bound
from tasks.play.model_player import parse_model_player

# Tokens: of a prompt; of an answer without its reasoning; of a reply that thinks at length, without a limit.
_PROMPT, _ANSWER, _LONG_REPLY = 1_500, 150, 8_000


def estimate_calls(items: int, plan: EvaluationPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    """Return the estimate of each model: a call an item and run; then those of models that read answers."""
    calls = items * plan.runs
    stages = []
    for name in (name for name in plan.players if name not in PLAYERS):
        choice = parse_model_player(name, plan.params_of, ()).choice
        longest = completion_bound(choice.params) or _LONG_REPLY
        price = prices.get(choice.model)
        stages.append(
            StageEstimate(
                stage="episodes",
                model=name,
                calls_low=calls,
                calls_high=calls,
                prompt_tokens=calls * _PROMPT,
                completion_tokens=calls * _ANSWER,
                prompt_tokens_high=calls * _PROMPT,
                completion_tokens_high=calls * longest,
                cost_low_usd=_cost(calls * _PROMPT, calls * _ANSWER, price),
                cost_high_usd=_cost(calls * _PROMPT, calls * longest, price),
            )
        )
    return stages + estimate_reading(items, plan, prices)


def _cost(prompt: float, completion: float, price: Price | None) -> float | None:
    if price is None or price.prompt is None or price.completion is None:
        return None
    return (prompt * price.prompt + completion * price.completion) / 1e6
