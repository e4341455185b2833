"""What a design costs per player: by its own episodes in the data root, else by its model's price."""

from typing import NamedTuple

from perennial.flows.benchmark import Benchmark
from perennial.schemas.model_calls import Prices
from perennial.schemas.statistics import MeasuredVariance
from perennial.tasks.llm.replies import cost_usd
from perennial.tasks.play import parse_model_player
from perennial.warehouse.ledger.prices import PRICE_FILE


class Cost(NamedTuple):
    """Dollars of an episode, from brief replies to long ones; both None where `missing` says what is."""

    low: float | None
    high: float | None
    missing: str | None = None


def cost_per_episode(
    player: str,
    own: float | None,
    calls: float,
    prices: Prices,
    benchmark: Benchmark,
    measured: MeasuredVariance,
) -> Cost:
    """Return what an episode costs the player: its `own` mean cost here, else calls by tokens by price."""
    if player in benchmark.programs:
        return Cost(0.0, 0.0)
    if own is not None:
        return Cost(own, own)
    model = parse_model_player(player, {}, benchmark.variants).choice.model
    prompt = round(calls * measured.prompt_tokens_per_call)
    low, high = (
        cost_usd(prices.get(model), prompt, round(calls * reply), None)
        for reply in measured.reply_tokens_per_call
    )
    if low is None or high is None:
        return Cost(None, None, f"{player}: no price of {model!r}: give it in models.toml or in {PRICE_FILE}")
    return Cost(low, high)
