"""What `--dry-run` prints of a refresh or an evaluation: the plan, its counts, the cost of its calls."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table

from flows.console.terminal import Terminal
from schemas.benchmark import find_benchmark
from schemas.calls import BATCH_PRICE_SHARE, ModelChoice, Price, StageEstimate
from schemas.endpoint import Endpoint
from schemas.game import USUAL
from schemas.plan import EditionPlan, EvaluationPlan
from tasks.play.model_player import models_of
from warehouse.store.store import Store

if TYPE_CHECKING:
    from flows.refresh.plan import PreparedRefresh
    from schemas.settings import RefreshSettings

# What the table leaves out, and --json has.
_INTERNAL = ("edition", "configs", "known_editions", "code_version", "name", "first_runs", "canary")
_NOTHING: tuple[object, ...] = (None, "", [], {}, [USUAL])


def print_plan(
    console: Terminal, store: Store, prepared: "PreparedRefresh", as_json: bool, settings: "RefreshSettings"
) -> None:
    """Print the plan of a refresh for people, or as JSON on standard output, and where it calls models."""
    plan, own = prepared.plan, prepared.own
    estimates = own.estimate(plan.evaluation, _prices(settings, store, plan.evaluation))
    endpoints = _endpoints(settings, plan.evaluation, own.authors)
    in_batches = _asked_in_batches(settings, plan.evaluation, estimates)
    values = {**plan.growth.as_json(), **plan.growth.own, **plan.evaluation.as_json()}
    hidden = ("own", "found", "evaluation", "canary", "is_fresh", "seed_commitment")
    shown = {key: value for key, value in values.items() if key not in hidden} | _describe_seed(plan.growth)
    shown["protocol"] = _describe_protocol(plan.evaluation)
    counts = _count_planned_rows(own.counts, plan.evaluation, estimates)
    if as_json:
        head = {"plan": shown, **own.shown, "resumed": prepared.resumed}
        _print_json(head, counts, estimates, endpoints, in_batches)
        return
    state = " (started before, will be resumed)" if prepared.resumed else ""
    rows = _rows({**own.shown, **shown}, own.unused)
    title = f"Plan of edition {plan.edition}{state}"
    _print_tables(console, title, rows, counts, estimates, endpoints, in_batches)


def _rows(values: Mapping[str, object], unused: Sequence[str] = ()) -> dict[str, object]:
    """Return what the table shows of a plan: what is set, and of a protocol its name."""
    protocol = values["protocol"]
    values = {**values, "protocol": protocol.get("name") if isinstance(protocol, dict) else protocol}
    hidden = (*_INTERNAL, *unused)
    return {key: value for key, value in values.items() if key not in hidden and value not in _NOTHING}


def _describe_seed(plan: EditionPlan) -> dict[str, object]:
    if plan.seed is None and not plan.seed_commitment:
        return {"seed": "drawn when the work begins", "freshness": plan.freshness}
    seed = "secret" if plan.seed is None else plan.seed
    return {"seed": seed, "seed_commitment": plan.seed_commitment, "freshness": plan.freshness}


def _describe_protocol(plan: EvaluationPlan) -> dict[str, object]:
    """Return how models are asked, by name and hashes of templates: their texts are long."""
    return {key: value for key, value in plan.protocol.items() if key != "texts"}


def print_evaluation_plan(
    console: Terminal, store: Store, plan: EvaluationPlan, as_json: bool, settings: "RefreshSettings"
) -> None:
    """Print the plan of an evaluation in the same way."""
    from warehouse.editions.publish import read_counts

    estimates = find_benchmark(plan.benchmark).estimate(store, plan, _prices(settings, store, plan))
    endpoints = _endpoints(settings, plan)
    in_batches = _asked_in_batches(settings, plan, estimates)
    instances = read_counts(store, plan.edition).get("instances", 0)
    counts = _count_planned_rows({"instances": instances}, plan, estimates)
    shown = plan.as_json() | {"protocol": _describe_protocol(plan)}
    if as_json:
        _print_json({"plan": shown}, counts, estimates, endpoints, in_batches)
        return
    title = f"Plan of evaluation {plan.unit}"
    _print_tables(console, title, _rows(shown), counts, estimates, endpoints, in_batches)


def _prices(settings: "RefreshSettings", store: Store, plan: EvaluationPlan) -> Mapping[str, Price]:
    """Return the prices by which calls are estimated; one-shot benchmarks may be played in batches."""
    from flows.refresh.model_checks import known_prices

    prices = known_prices(settings, store)
    if not find_benchmark(plan.benchmark).playing().one_shot:
        return prices
    return {model: price.in_batch() for model, price in prices.items()}


def _asked_in_batches(
    settings: "RefreshSettings", plan: EvaluationPlan, estimates: Iterable[StageEstimate]
) -> list[str]:
    """Return the models that are asked in batches of their server, as players or as authors."""
    playing, entries = find_benchmark(plan.benchmark).playing(), settings.model_entries()
    players = models_of(plan.players, playing) if playing.one_shot else []
    models = {model for model in players if model in entries and entries[model].batch}
    return sorted(models | {estimate.model for estimate in estimates if estimate.in_batches})


def _endpoints(
    settings: "RefreshSettings", plan: EvaluationPlan, authors: Iterable[ModelChoice] = ()
) -> dict[str, Endpoint]:
    """Return where each model is asked."""
    playing = find_benchmark(plan.benchmark).playing()
    models = [choice.model for choice in (*authors, *playing.readers(plan.protocol))]
    models += models_of(plan.players, playing)
    return {model: settings.endpoint(model) for model in models}


def _print_json(
    head: Mapping[str, object],
    counts: Mapping[str, int],
    estimates: list[StageEstimate],
    endpoints: Mapping[str, Endpoint],
    in_batches: Sequence[str],
) -> None:
    document = {**head, "counts": counts, "estimates": [asdict(estimate) for estimate in estimates]}
    if in_batches:
        document["in_batches"] = in_batches
    if estimates:
        document["endpoints"] = {
            model: {"base_url": one.base_url, "key": one.key_from} for model, one in endpoints.items()
        }
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


def _print_tables(
    console: Terminal,
    title: str,
    rows: Mapping[str, object],
    counts: Mapping[str, int],
    estimates: list[StageEstimate],
    endpoints: Mapping[str, Endpoint],
    in_batches: Sequence[str],
) -> None:
    table = Table(title=title, title_justify="left", show_header=False)
    for key, value in rows.items():
        table.add_row(key, _in_words(value))
    table.add_section()
    for key, count in counts.items():
        table.add_row(key, f"{count:,}")
    console.print(table)
    if estimates:
        console.print(_estimate_table(estimates))
        places: dict[str, list[str]] = {}
        for model, endpoint in endpoints.items():
            places.setdefault(endpoint.describe(), []).append(model)
        for place, models in places.items():
            of = f" for {', '.join(models)}" if len(places) > 1 else ""
            console.print(f"endpoint{of}: {place}", markup=False, highlight=False)
    if in_batches:
        console.print(
            f"in batches of their server, at {BATCH_PRICE_SHARE:g} of their prices: {', '.join(in_batches)}",
            markup=False,
            highlight=False,
        )


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{key}={_in_words(part)}" for key, part in value.items() if part not in ("", [], {})
        )
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _count_planned_rows(
    growth: Mapping[str, int], plan: EvaluationPlan, estimates: list[StageEstimate]
) -> dict[str, int]:
    """Return what will be there if all goes well: rows of `instances` and `episodes`, and so on.

    Other versions of the questions are not counted: how many differ from the usual ones is the benchmark's.
    """
    programs = find_benchmark(plan.benchmark).playing().programs
    drawing = [name not in programs or programs[name].is_random for name in plan.players]
    runs = sum(plan.runs if draws else 1 for draws in drawing) if USUAL in plan.versions else 0
    calls = sum(estimate.calls_low for estimate in estimates)
    return {**growth, "episodes": growth.get("instances", 0) * runs, "model_calls": calls}


def _estimate_table(estimates: list[StageEstimate]) -> Table:
    table = Table(
        title="Estimate of its model calls, from (all goes well) to (every repair is needed)",
        title_justify="left",
        caption="a model without a price in models.toml or prices.csv has no cost",
        caption_justify="left",
    )
    for heading in ("stage", "model"):
        table.add_column(heading)
    for heading in ("calls", "tokens in", "tokens out", "cost"):
        table.add_column(heading, justify="right")
    for row in estimates:
        table.add_row(
            row.stage,
            row.model,
            _span(f"{row.calls_low:,}", f"{row.calls_high:,}"),
            _span(f"{row.prompt_tokens:,}", f"{row.prompt_tokens_high:,}"),
            _span(f"{row.completion_tokens:,}", f"{row.completion_tokens_high:,}"),
            _cost(row.cost_low_usd, row.cost_high_usd),
        )
    if len(estimates) > 1:
        table.add_section()
        table.add_row(
            "all",
            "",
            _span(f"{sum(e.calls_low for e in estimates):,}", f"{sum(e.calls_high for e in estimates):,}"),
            _span(
                f"{sum(e.prompt_tokens for e in estimates):,}",
                f"{sum(e.prompt_tokens_high for e in estimates):,}",
            ),
            _span(
                f"{sum(e.completion_tokens for e in estimates):,}",
                f"{sum(e.completion_tokens_high for e in estimates):,}",
            ),
            _cost(_total([e.cost_low_usd for e in estimates]), _total([e.cost_high_usd for e in estimates])),
        )
    return table


def _total(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _cost(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else _span(f"${low:,.2f}", f"${high:,.2f}")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
