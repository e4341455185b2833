"""How many calls the judge and the analysts of an evaluation make, and what they cost, before any is made."""

from collections.abc import Mapping

from schemas.a2rbench.analysis import ReadingPlan
from schemas.model_calls.calls import ModelChoice, StageEstimate
from schemas.model_calls.price import Price
from schemas.plan import EvaluationPlan
from tasks.a2rbench.players.registry import PLAYERS
from tasks.a2rbench.readers.analyst import ATTEMPTS
from tasks.llm.limits.rate_limits import completion_bound

# Tokens, at least and at most: of what a judge and an analyst are shown, and of their replies, of which the
# longest have reasoning.
_JUDGED, _ANALYSED = (600, 5_000), (2_500, 15_000)
_REPLY, _LONG_REPLY = 150, 4_000


def estimate_reading(items: int, plan: EvaluationPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    """Return the estimate of each reader: the judge from no reply to all, analysts with every repeat."""
    reading = ReadingPlan.from_protocol(plan.protocol)
    players = sum(name not in PLAYERS for name in plan.players)
    episodes = items * plan.runs
    estimates = [
        _estimate("episodes", choice, (0, players * episodes), _JUDGED, prices) for choice in reading.judges()
    ]
    # All answers of a player may have one outcome, or so many both.
    few, many = min(reading.most, episodes), min(2 * reading.most, episodes)
    return estimates + [
        _estimate(
            "analyses",
            ModelChoice(model, params),
            (players * few, players * many * ATTEMPTS),
            _ANALYSED,
            prices,
        )
        for model, params in reading.analysts.items()
    ]


def _estimate(
    stage: str,
    choice: ModelChoice,
    calls: tuple[int, int],
    prompts: tuple[int, int],
    prices: Mapping[str, Price],
) -> StageEstimate:
    longest = completion_bound(choice.params) or _LONG_REPLY
    low, high = calls
    shown = low * prompts[0], high * prompts[1]
    said = low * min(_REPLY, longest), high * longest
    costs = [_cost(*tokens, prices.get(choice.model)) for tokens in zip(shown, said, strict=True)]
    return StageEstimate(
        stage=stage,
        model=choice.model,
        calls_low=low,
        calls_high=high,
        prompt_tokens=shown[0],
        completion_tokens=said[0],
        prompt_tokens_high=shown[1],
        completion_tokens_high=said[1],
        cost_low_usd=costs[0],
        cost_high_usd=costs[1],
    )


def _cost(prompt: int, completion: int, price: Price | None) -> float | None:
    if price is None or price.prompt is None or price.completion is None:
        return None
    return (prompt * price.prompt + completion * price.completion) / 1e6
