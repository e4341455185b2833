"""How many model calls a plan needs, and what they cost: an estimate before any of them is made."""

from collections.abc import Mapping

from perennial.flows.a2rbench.readers.estimate_reading import estimate_reading
from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.a2rbench.players import PLAYERS

# Tokens: of a prompt; of an answer without its reasoning; of a reply that thinks at length, without a limit.
_PROMPT, _ANSWER, _LONG_REPLY = 1_500, 150, 8_000


def estimate_calls(items: int, plan: EvaluationPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    """Return the estimate of each model: one call per item and run, then those of readers."""
    calls = items * plan.runs
    playing = estimate_players(
        plan,
        PLAYERS,
        prices,
        calls=calls,
        prompt_tokens=calls * _PROMPT,
        answer_tokens=calls * _ANSWER,
        longest_reply=_LONG_REPLY,
    )
    return playing + estimate_reading(items, plan, prices)
