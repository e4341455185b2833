"""How many calls the judge and the analysts of an evaluation make, and what they cost, before any is made."""

from functools import partial

from perennial.flows.stages.estimates import estimate_asking
from perennial.schemas.a2rbench.things import ReadingPlan
from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.a2rbench.players import PLAYERS
from perennial.tasks.a2rbench.readers import ATTEMPTS

# Tokens, at least and at most: of what a judge and an analyst are shown, and of their replies, of which the
# longest have reasoning.
_JUDGED, _ANALYSED = (600, 5_000), (2_500, 15_000)
_REPLY, _LONG_REPLY = 150, 4_000


def estimate_reading(items: int, plan: EvaluationPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of each reader: the judge from no reply to all, analysts with every repeat."""
    reading = ReadingPlan.from_protocol(plan.protocol)
    players = sum(name not in PLAYERS for name in plan.players)
    episodes = items * plan.runs
    estimate = partial(estimate_asking, prices=prices, reply=_REPLY, long_reply=_LONG_REPLY)
    judged = [
        estimate("episodes", choice, calls=(0, players * episodes), prompt=_JUDGED)
        for choice in reading.judges()
    ]
    # All answers of a player may have one outcome, or so many both.
    few, many = min(reading.most, episodes), min(2 * reading.most, episodes)
    calls = players * few, players * many * ATTEMPTS
    return judged + [
        estimate("analyses", ModelChoice(model, params), calls=calls, prompt=_ANALYSED)
        for model, params in reading.analysts.items()
    ]
