"""The estimate of model calls where a question has one reply."""

from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.model_calls import Price
from perennial.schemas.plan import EvaluationPlan


def test_an_estimate_has_each_model_once_with_its_price_and_its_limit() -> None:
    players = ("search", "priced", "limited", "terse")
    limits = {"limited": {"max_tokens": 900}, "terse": {"max_tokens": 10}}
    plan = EvaluationPlan("e", "1", "b", players, 1, 1, "v", model_params=limits)
    prices = {"priced": Price(1.0, 4.0), "limited": Price(1.0, None)}
    priced, limited, terse = estimate_players(
        plan, {"search"}, prices, calls=10, prompt_tokens=3_000, answer_tokens=500, longest_reply=2_000
    )
    assert (priced.model, priced.stage, priced.calls_low, priced.calls_high) == ("priced", "episodes", 10, 10)
    assert (priced.prompt_tokens, priced.completion_tokens, priced.completion_tokens_high) == (
        3_000,
        500,
        20_000,
    )
    assert priced.cost_low_usd == (3_000 * 1.0 + 500 * 4.0) / 1e6
    assert priced.cost_high_usd == (3_000 * 1.0 + 20_000 * 4.0) / 1e6
    assert limited.completion_tokens_high == 10 * 900
    assert limited.cost_low_usd is None
    # Never less than the answers need.
    assert terse.completion_tokens_high == 500
