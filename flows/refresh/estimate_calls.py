"""How many model calls a refresh or an evaluation is going to make, with their cost as far as it is known."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from perennial.flows.benchmark import find_benchmark
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.tasks.play import models_of
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.refresh.plan import PreparedRefresh
    from perennial.schemas.settings import RefreshSettings


def estimate_refresh(
    store: Store, prepared: "PreparedRefresh", settings: "RefreshSettings"
) -> list[StageEstimate]:
    """Return the model calls of a refresh, with their cost as far as prices are known."""
    evaluation = prepared.plan.evaluation
    prices = _prices(settings, store, evaluation)
    return find_benchmark(evaluation.benchmark).estimate(store, evaluation, prices, prepared.part)


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, settings: "RefreshSettings"
) -> list[StageEstimate]:
    """Return the model calls of an evaluation in the same way."""
    from perennial.warehouse.editions.publish import read_counts

    instances = read_counts(store, plan.edition).get("instances", 0)
    estimates = find_benchmark(plan.benchmark).estimate(store, plan, _prices(settings, store, plan), None)
    return [_scale_estimate(estimate, plan, instances) for estimate in estimates]


def _prices(settings: "RefreshSettings", store: Store, plan: EvaluationPlan) -> Prices:
    """Return the prices by which calls are estimated; one-shot benchmarks may be played in batches."""
    from perennial.flows.refresh.models import known_prices

    prices, benchmark = known_prices(settings, store), find_benchmark(plan.benchmark)
    if not benchmark.one_shot:
        return prices
    # Authors and readers are asked call by call.
    players = models_of(plan.players, benchmark)
    return {model: price.in_batch() if model in players else price for model, price in prices.items()}


def _scale_estimate(estimate: StageEstimate, plan: EvaluationPlan, total: int) -> StageEstimate:
    """Return the estimate for the instances that are played, of one for all instances."""
    benchmark = find_benchmark(plan.benchmark)
    chosen = [name for name in plan.players if estimate.model in models_of([name], benchmark)] or plan.players
    share = sum(len(plan.places_of(name, total)) for name in chosen) / max(1, total * len(chosen))
    if share == 1:
        return estimate
    numbers: JsonObject = {
        name: math.ceil(value * share) if isinstance(value, int) else value * share
        for name, value in asdict(estimate).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return replace(estimate, **numbers)


# Runs of many calls: where a person is at the terminal, they begin once the person has agreed to them.


MOST_CALLS = 5_000
MOST_USD = 20.0


def refuse_large_run(
    settings: "RefreshSettings", estimate: Callable[[], Sequence[StageEstimate]], *, yes: bool
) -> None:
    """Raise InvalidOption for a run of very many calls that nobody has agreed to, by --yes or by a limit.

    Without a terminal nobody is there to be surprised: schedules and scripts run as they are written.
    """
    if yes or settings.max_calls is not None or settings.max_cost is not None or not is_at_terminal():
        return
    estimates = estimate()
    calls = sum(estimate.calls_low for estimate in estimates)
    cost = sum(estimate.cost_low_usd or 0.0 for estimate in estimates)
    if calls > MOST_CALLS or cost > MOST_USD:
        price = f", for ${cost:,.2f} or more" if cost else ""
        raise InvalidOption(
            f"this is a run of at least {calls:,} model calls{price}: give --yes, a limit (--max-calls, "
            "--max-cost), or a smaller --size; --dry-run shows the plan"
        )


def is_at_terminal() -> bool:
    """Whether a person reads what is printed, and can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()
