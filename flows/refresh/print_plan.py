"""What `--dry-run` prints of a refresh or an evaluation: the plan, its counts, the cost of its calls."""

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from rich.table import Column, Table

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.model_calls import BATCH_PRICE_SHARE, Endpoint, ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.tasks.play import models_of
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.refresh.plan import PreparedRefresh
    from perennial.schemas.settings import RefreshSettings


# How many model calls a refresh or an evaluation is going to make, with their cost as far as it is known.


def estimate_refresh(
    store: Store, prepared: "PreparedRefresh", settings: "RefreshSettings"
) -> list[StageEstimate]:
    """Model calls of a refresh, with their cost in US dollars as far as prices are known."""
    evaluation = prepared.plan.evaluation
    prices = _prices(settings, store, evaluation)
    return find_benchmark(evaluation.benchmark).estimate(store, evaluation, prices, prepared.part)


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, settings: "RefreshSettings"
) -> list[StageEstimate]:
    """Like `estimate_refresh`, for the instances that an evaluation plays."""
    from perennial.warehouse.editions.publish import read_counts

    instances = read_counts(store, plan.edition).get("instances", 0)
    estimates = find_benchmark(plan.benchmark).estimate(store, plan, _prices(settings, store, plan), None)
    return [_scale_estimate(estimate, plan, instances) for estimate in estimates]


def _prices(settings: "RefreshSettings", store: Store, plan: EvaluationPlan) -> Prices:
    """Prices for the estimate; one-shot benchmarks may be played in batches, at half the price."""
    from perennial.flows.refresh.models import known_prices

    benchmark = find_benchmark(plan.benchmark)
    # Authors and readers are asked call by call.
    players = models_of(plan.players, benchmark) if benchmark.one_shot else ()
    return known_prices(settings, store, players.__contains__)


def _scale_estimate(estimate: StageEstimate, plan: EvaluationPlan, total: int) -> StageEstimate:
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


# What a plan can tell apart, before it is played: the detectable difference of two models, by setting.


def read_sizes(store: Store, plan: EvaluationPlan) -> dict[str, tuple[int, int]]:
    """Domains and instances per setting that an evaluation covers, earlier ones included."""
    from perennial.flows.stages.play_episodes import instance_order

    order = instance_order(store, plan.edition)
    table = store.read_table(table_file("instances", plan.edition), ["instance_id", "domain", "setting"])
    domains: dict[str, set[str]] = {}
    instances: Counter[str] = Counter()
    for row in table.to_pylist():
        if order[row["instance_id"]] < (plan.instances or len(order)):
            domains.setdefault(row["setting"], set()).add(row["domain"])
            instances[row["setting"]] += 1
    return {setting: (len(domains[setting]), number) for setting, number in sorted(instances.items())}


def describe_precision(measured: Mapping[str, Mapping[str, object]]) -> str:
    """The lines under the plan's table; "" if nothing is measured."""
    from perennial.tasks.statistics.scale.design import POWER

    if not measured:
        return ""
    parts = [
        f"{setting} {figures['detectable_difference']:.3f} ({figures['domains']} domains x "
        f"{figures['instances_per_domain']} x {figures['runs']})"
        for setting, figures in measured.items()
    ]
    sources = dict.fromkeys(str(figures["variance"]) for figures in measured.values())
    return (
        "smallest difference in success rate between two models that is detected, over new domains, with "
        f"power {POWER:g}: {', '.join(parts)}; variance of {', '.join(sources)}"
    )


# What the table leaves out, and --json has.
_INTERNAL = ("edition", "configs", "known_editions", "code_version", "name", "first_runs", "canary", "facts")
_NOTHING: tuple[object, ...] = (None, "", [], {}, [USUAL])
_NOT_SUMMED = ("stage", "model", "in_batches")


@dataclass(frozen=True, slots=True)
class _Description:
    """What is printed of a plan: `head` is its JSON, `rows` what the table has of it."""

    title: str
    head: Mapping[str, object]
    rows: Mapping[str, object]
    counts: Mapping[str, int]
    estimates: list[StageEstimate]
    endpoints: Mapping[str, Endpoint]
    price_sources: Mapping[str, str]
    in_batches: Sequence[str]
    precision: Mapping[str, Mapping[str, object]]

    def as_json(self) -> dict[str, object]:
        estimates = [asdict(estimate) for estimate in self.estimates]
        document = {**self.head, "counts": self.counts, "estimates": estimates}
        if self.precision:
            document["precision"] = self.precision
        if self.in_batches:
            document["in_batches"] = self.in_batches
        if self.estimates:
            document["endpoints"] = {
                model: {"base_url": endpoint.base_url, "key": endpoint.key_from}
                for model, endpoint in self.endpoints.items()
            }
            document["price_sources"] = self.price_sources
        return document


def print_plans(
    console: Terminal,
    store: Store,
    prepared: Sequence["PreparedRefresh"],
    as_json: bool,
    all_settings: Sequence["RefreshSettings"],
) -> None:
    """Print the plan of a refresh for people, or as JSON on standard output, and where it calls models.

    Of several benchmarks each plan is printed, and the sum of all estimates; as JSON the plans are under
    `plans`, by benchmark.
    """
    plans = {
        settings.benchmark: _describe_refresh(store, planned, settings)
        for planned, settings in zip(prepared, all_settings, strict=True)
    }
    if len(plans) == 1:
        _print(console, next(iter(plans.values())), as_json)
        return
    total = _sum_estimates([estimate for plan in plans.values() for estimate in plan.estimates])
    if as_json:
        bounds = ("calls_low", "calls_high", "cost_low_usd", "cost_high_usd")
        estimate = {name: getattr(total, name) for name in bounds}
        _write_json({"plans": {name: plan.as_json() for name, plan in plans.items()}, "estimate": estimate})
        return
    for plan in plans.values():
        _print_tables(console, plan)
    for name, plan in plans.items():
        console.print(f"{name}: {_calls(_sum_estimates(plan.estimates))} model calls")
    console.print(f"all {len(plans)} editions: {_calls(total)} model calls, cost {_cost(total)}")


def _describe_refresh(store: Store, prepared: "PreparedRefresh", settings: "RefreshSettings") -> _Description:
    plan, preparation = prepared.plan, prepared.part
    # All instances are played: a number of them is the benchmark's own, of what is drawn.
    played = {key: value for key, value in plan.evaluation.as_json().items() if key != "instances"}
    values = {**plan.growth.as_json(), **plan.growth.own, **played}
    hidden = ("own", "found", "evaluation", "canary", "is_fresh", "seed_commitment")
    visible = {key: value for key, value in values.items() if key not in hidden} | _describe_seed(plan.growth)
    visible["protocol"] = _describe_protocol(plan.evaluation)
    state = " (started before, will be resumed)" if prepared.resumed else ""
    return _describe(
        store,
        settings,
        plan.evaluation,
        title=f"Plan of edition {plan.edition}{state}",
        head={"plan": visible, **preparation.shown, "resumed": prepared.resumed},
        rows=_rows({**preparation.shown, **visible}, preparation.unused),
        counts=preparation.counts,
        sizes=preparation.sizes,
        estimates=estimate_refresh(store, prepared, settings),
        authors=preparation.authors,
    )


def print_evaluation_plan(
    console: Terminal, store: Store, plan: EvaluationPlan, as_json: bool, settings: "RefreshSettings"
) -> None:
    """Print the plan of an evaluation in the same way."""
    from perennial.warehouse.editions.publish import read_counts

    visible = plan.as_json() | {"protocol": _describe_protocol(plan)}
    draws_domains = find_benchmark(plan.benchmark).declaration.variance is not None
    description = _describe(
        store,
        settings,
        plan,
        title=f"Plan of evaluation {plan.unit}",
        head={"plan": visible},
        rows=_rows(visible),
        counts={"instances": read_counts(store, plan.edition).get("instances", 0)},
        sizes=read_sizes(store, plan) if draws_domains else {},
        estimates=estimate_evaluation(store, plan, settings),
    )
    _print(console, description, as_json)


def _describe(
    store: Store,
    settings: "RefreshSettings",
    plan: EvaluationPlan,
    *,
    title: str,
    head: Mapping[str, object],
    rows: Mapping[str, object],
    counts: Mapping[str, int],
    sizes: Mapping[str, tuple[int, int]],
    estimates: list[StageEstimate],
    authors: Sequence[ModelChoice] = (),
) -> _Description:
    """Add to what is known of a plan where it calls models, at which prices, and what it can tell apart."""
    from perennial.flows.refresh.models import known_prices
    from perennial.tasks.statistics.scale.design import measure_plan

    benchmark, entries = find_benchmark(plan.benchmark), settings.model_entries()
    players, prices = models_of(plan.players, benchmark), known_prices(settings, store)
    models = [choice.model for choice in (*authors, *benchmark.readers(plan.protocol))]
    endpoints = {model: settings.endpoint(model) for model in (*models, *players)}
    batched = [name for name in players if benchmark.one_shot and name in entries and entries[name].batch]
    return _Description(
        title,
        head,
        rows,
        _count_planned_rows(counts, plan, estimates),
        estimates,
        endpoints,
        # Models without a price are left out.
        {name: source for name in endpoints if name in prices and (source := prices[name].source)},
        sorted({*batched, *(estimate.model for estimate in estimates if estimate.in_batches)}),
        measure_plan(benchmark.declaration.variance, sizes, plan.runs),
    )


def _rows(values: Mapping[str, object], unused: Sequence[str] = ()) -> dict[str, object]:
    """What the table shows of a plan: what is set, and of a protocol only its name."""
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
    """Leave out the texts of templates, which are long; names and hashes stay."""
    return {key: value for key, value in plan.protocol.items() if key != "texts"}


def _print(console: Terminal, plan: _Description, as_json: bool) -> None:
    if as_json:
        _write_json(plan.as_json())
    else:
        _print_tables(console, plan)


def _write_json(document: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(document, indent=1) + "\n")


def _print_tables(console: Terminal, plan: _Description) -> None:
    folded = (Column(overflow="fold"), Column(overflow="fold"))
    table = Table(*folded, title=plan.title, title_justify="left", show_header=False)
    for key, value in plan.rows.items():
        table.add_row(key, _in_words(value))
    table.add_section()
    for key, count in plan.counts.items():
        table.add_row(key, f"{count:,}")
    console.print(table)
    if text := describe_precision(plan.precision):
        console.print(text)
    if plan.estimates:
        console.print(_estimate_table(plan.estimates))
        places: dict[str, list[str]] = {}
        for model, endpoint in plan.endpoints.items():
            places.setdefault(endpoint.describe(), []).append(model)
        for address, models in places.items():
            suffix = f" for {', '.join(models)}" if len(places) > 1 else ""
            console.print(f"endpoint{suffix}: {address}")
        for source in dict.fromkeys(plan.price_sources.values()):
            models = [model for model, from_there in plan.price_sources.items() if from_there == source]
            console.print(f"prices of {source}: {', '.join(models)}")
    if plan.in_batches:
        console.print(
            f"in batches of their server, at {BATCH_PRICE_SHARE:g} of their prices: "
            f"{', '.join(plan.in_batches)}"
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
    """Rows per table if all goes well: of `instances`, `episodes` and so on.

    Other versions of the questions are not counted: how many differ from the usual ones is the benchmark's.
    """
    programs = find_benchmark(plan.benchmark).programs
    total = growth.get("instances", 0)
    episodes = sum(
        len(plan.places_of(name, total))
        * (plan.runs if name not in programs or programs[name].is_random else 1)
        for name in plan.players
        if USUAL in plan.versions
    )
    calls = sum(estimate.calls_low for estimate in estimates)
    return {**growth, "episodes": episodes, "model_calls": calls}


def _estimate_table(estimates: list[StageEstimate]) -> Table:
    table = Table(
        title="Estimate of its model calls, from (all goes well) to (every repair is needed)",
        title_justify="left",
        caption="a model without a price (models.toml, prices.csv, a known service's) has no cost",
        caption_justify="left",
    )
    for heading in ("stage", "model"):
        table.add_column(heading, overflow="fold", min_width=12)
    for heading in ("calls", "tokens in", "tokens out", "cost"):
        table.add_column(heading, justify="right", overflow="fold")
    for row in estimates:
        table.add_row(*_cells(row))
    if len(estimates) > 1:
        table.add_section()
        table.add_row(*_cells(_sum_estimates(estimates)))
    return table


def _sum_estimates(estimates: Sequence[StageEstimate]) -> StageEstimate:
    """All calls together; a cost that is unknown of some is unknown of all."""
    sums: JsonObject = {}
    for name in (field.name for field in fields(StageEstimate) if field.name not in _NOT_SUMMED):
        numbers = [getattr(estimate, name) for estimate in estimates]
        sums[name] = None if None in numbers else sum(numbers)
    return StageEstimate("all", "", **sums)


def _cells(row: StageEstimate) -> tuple[str, ...]:
    prompts = _span(f"{row.prompt_tokens:,}", f"{row.prompt_tokens_high:,}")
    completions = _span(f"{row.completion_tokens:,}", f"{row.completion_tokens_high:,}")
    return row.stage, row.model, _calls(row), prompts, completions, _cost(row)


def _calls(row: StageEstimate) -> str:
    return _span(f"{row.calls_low:,}", f"{row.calls_high:,}")


def _cost(row: StageEstimate) -> str:
    low, high = row.cost_low_usd, row.cost_high_usd
    return "unknown" if low is None or high is None else _span(f"${low:,.2f}", f"${high:,.2f}")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
