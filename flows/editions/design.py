"""Choose the size of an evaluation from what published ones of the data root show."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.schemas.benchmark import DEFAULT_BENCHMARK, benchmarks, find_declaration
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.model_calls import Prices
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import MeasuredVariance, Parts
from perennial.tasks.llm.replies import cost_usd
from perennial.tasks.play import parse_model_player
from perennial.tasks.statistics.scale.design import (
    Design,
    best_design,
    combine_parts,
    find_design,
    measure_design,
)
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.ledger.prices import PRICE_FILE
from perennial.warehouse.store.store import Store

# What a design costs per player: by its own episodes in the data root, else by its model's price.


class Cost(NamedTuple):
    """Dollars of an episode, from brief replies to long ones; both None where `missing` says what is."""

    low: float | None
    high: float | None
    missing: str | None = None


def cost_per_episode(
    player: str,
    observed: float | None,
    calls: float,
    prices: Prices,
    benchmark: Benchmark,
    measured: MeasuredVariance,
) -> Cost:
    """What an episode costs the player: its observed mean, else calls times tokens times price."""
    if player in benchmark.programs:
        return Cost(0.0, 0.0)
    if observed is not None:
        return Cost(observed, observed)
    model = parse_model_player(player, {}, benchmark.variants).choice.model
    prompt = round(calls * measured.prompt_tokens_per_call)
    low, high = (
        cost_usd(prices.get(model), prompt, round(calls * reply), None)
        for reply in measured.reply_tokens_per_call
    )
    if low is None or high is None:
        return Cost(None, None, f"{player}: no price of {model!r}: give it in models.toml or in {PRICE_FILE}")
    return Cost(low, high)


_COUNTS = """
SELECT e.player, avg(e.turns) AS turns, avg(e.cost_usd) AS cost, avg(e.success::INT) AS rate
FROM episodes AS e JOIN instances AS i USING (edition, instance_id)
WHERE i.benchmark = {benchmark} AND ({setting} = '' OR i.setting = {setting}) AND e.status <> 'api_error'
  AND e.version IS NULL
GROUP BY ALL
"""


_PARTS = """
SELECT v.part, sum(v.variance * v.clusters) / sum(v.clusters), sum(v.clusters) // count(DISTINCT v.setting)
FROM variance_parts AS v JOIN editions AS e USING (edition)
WHERE e.benchmark = {benchmark} AND ({setting} = '' OR v.setting = {setting}) AND v.variance IS NOT NULL
GROUP BY v.part
"""


def plan_design(
    store: Store,
    benchmark: str,
    setting: str,
    players: Sequence[str],
    goal: tuple[str, float],
    power: float,
    max_domains: int,
    prices: Prices,
    rate: float | None = None,
) -> JsonObject:
    """Find the design that reaches the goal (option and value), as `perennial design --json` prints it.

    `prices` are by model. `rate` is the expected success rate, by default that of the named players in the
    data root, else of all models there, which is nearest to one half, where variance is largest.

    Raises InvalidOption for a benchmark that draws no domains, where no design with `max_domains` reaches the
    goal, or where no answers are of the setting.
    """
    variance = _variance_of(benchmark)
    played = find_benchmark(benchmark)
    with_catalog = open_catalog(store)
    with with_catalog.closing():
        published = _read_parts(with_catalog, benchmark, setting)
        history = _history(with_catalog, benchmark, setting)
    if setting and not history:
        raise InvalidOption(f"--setting {setting!r}: no published answers of it in {store.root!r}")
    estimated = combine_parts(published, variance.parts)
    of_models = {name: past for name, past in history.items() if name not in played.programs}
    rates = [of_models[name].rate for name in players if name in of_models]
    rates = [value for value in rates or [past.rate for past in of_models.values()] if 0 < value < 1]
    parts = estimated or variance.parts
    expected = rate or min(rates, key=lambda value: abs(value - 0.5), default=parts.usual_rate)
    parts = parts.at_rate(expected)
    means = [past.turns for past in of_models.values() if past.turns]
    usual = 1.0 if played.one_shot else sum(means) / len(means) if means else variance.calls_per_episode
    names = list(players) or ["one player"]
    calls_by_player = {
        name: 0.0 if name in played.programs else (name in history and history[name].turns) or usual
        for name in names
    }
    chosen = _choose(parts, goal, power, max_domains, sum(calls_by_player.values()))
    precision = measure_design(parts, chosen, power)
    costs = {
        name: cost_per_episode(
            name,
            observed=history[name].cost if name in history else None,
            calls=calls_by_player[name],
            prices=prices,
            benchmark=played,
            measured=variance,
        )
        for name in players
    }
    unnamed = Cost(None, None, "name --players for a cost")
    rows = [_design_row(name, chosen, calls_by_player[name], costs.get(name, unnamed)) for name in names]
    return {
        "benchmark": benchmark,
        "design": {
            "domains": chosen.domains,
            "instances_per_domain": chosen.instances,
            "runs": chosen.runs,
            "half_width_rate": precision.rate,
            "half_width_difference": precision.difference,
            "detectable_difference": precision.detectable,
        },
        "expected_rate": expected,
        "detectable_by_rate": {
            f"{value:.2f}": measure_design(parts.at_rate(value), chosen, power).detectable
            for value in ((min(rates), max(rates)) if rates and rate is None else (0.5, 0.7, 0.9))
        },
        "power": power,
        "players": rows,
        "calls": sum(int(str(row["calls"])) for row in rows),
        **{
            column: None if any(row[column] is None for row in rows) else sum(row[column] for row in rows)
            for column in ("cost_usd", "cost_usd_high")
        },
        "variance_parts": {name: getattr(parts, name) for name in Parts.__slots__},
        "sources": [
            *_sources(variance, estimated is not None, bool(means), played.one_shot),
            f"success rate: {expected:.2f}, "
            + (
                "as given"
                if rate is not None
                else "the one nearest to 0.5 of models in this data root"
                if rates
                else f"that of {variance.source}; give --rate where you expect another one"
            ),
            *(row["cost_missing"] for row in rows if row["cost_missing"]),
        ],
        "command": _command(benchmark, players, chosen),
    }


def _variance_of(benchmark: str) -> MeasuredVariance:
    variance = find_declaration(benchmark).variance
    if variance is None:
        names = ", ".join(name for name, entry in benchmarks().items() if entry.variance is not None)
        raise InvalidOption(
            f"--benchmark {benchmark}: a design is over new domains, and this benchmark draws none; "
            f"expected {names}"
        )
    return variance


def _choose(
    parts: Parts, goal: tuple[str, float], power: float, max_domains: int, calls_per_episode: float
) -> Design:
    option, value = goal
    if option == "--calls":
        if calls_per_episode <= 0:
            raise InvalidOption("--calls: these players are programs, which make none: give another goal")
        best = best_design(parts, int(value / calls_per_episode), max_domains)
        if best is None:
            raise InvalidOption(
                f"--calls {value:,.0f}: an episode of all players takes {calls_per_episode:.1f}, and a "
                f"design needs 2 domains: give {ceil(2 * calls_per_episode)} or more"
            )
        return best
    name = "rate" if option == "--half-width" else "detectable"
    best = find_design(parts, name, value, max_domains, power)
    if best is None:
        largest = Design(max_domains, 200, 10)
        least = getattr(measure_design(parts, largest, power), name)
        raise InvalidOption(
            f"{option} {value:g}: {max_domains} domains reach {least:.4f} at best, as domains differ: give a "
            "larger value or more --max-domains"
        )
    return best


def _read_parts(catalog: Catalog, benchmark: str, setting: str) -> dict[str, tuple[float, int]]:
    """Read the parts of published editions, a mean weighted by clusters, and the number of these."""
    if not catalog.editions:
        return {}
    sql = _PARTS.format(benchmark=quote(benchmark), setting=quote(setting))
    return {part: (mean, clusters) for part, mean, clusters in catalog.query(sql)[1]}


def read_variance(store: Store, edition: str) -> JsonObject:
    """Read parts of the variance and smallest changes, as `perennial design EDITION --json` prints.

    Raises what `select_unit` raises, and UnreadableInput where no model answered it.
    """
    catalog = open_catalog(store)
    tables = {}
    with catalog.closing():
        chosen = select_unit(store, edition, catalog.editions)
        for view in ("variance_parts", "smallest_changes"):
            tables[view] = catalog.records(f"FROM {view} WHERE edition = {quote(chosen)}")
    if not tables["smallest_changes"]:
        raise UnreadableInput(
            f"edition {chosen!r} has no models whose variance is known: evaluate a model on it, or run "
            "`perennial analyse` if one has answered it"
        )
    return {"edition": chosen, **tables}


class _Past(NamedTuple):
    """A player's mean turns and cost per episode, and its success rate."""

    turns: float | None
    cost: float | None
    rate: float


def _history(catalog: Catalog, benchmark: str, setting: str) -> dict[str, _Past]:
    """What players did in the data root."""
    if not catalog.editions:
        return {}
    sql = _COUNTS.format(benchmark=quote(benchmark), setting=quote(setting))
    return {player: _Past(*means) for player, *means in catalog.query(sql)[1]}


def _design_row(name: str, chosen: Design, calls: float, cost: Cost) -> Row:
    """What the design takes of a player: episodes, and by them calls and bounds of the cost."""
    low, high = (None if bound is None else bound * chosen.episodes for bound in (cost.low, cost.high))
    return {
        "player": name,
        "episodes": chosen.episodes,
        "calls": ceil(chosen.episodes * calls),
        "cost_usd": low,
        "cost_usd_high": high,
        "cost_missing": cost.missing,
    }


def _sources(measured: MeasuredVariance, is_estimated: bool, has_history: bool, one_shot: bool) -> list[str]:
    brief, long = measured.reply_tokens_per_call
    variance = "published evaluations of this data root" if is_estimated else measured.source
    calls = (
        "one per episode"
        if one_shot
        else "turns of models in this data root"
        if has_history
        else f"{measured.calls_per_episode:g} per episode, as in {measured.source}"
    )
    return [
        f"variance: {variance}",
        f"calls: {calls}; repeated and repaired calls are not in it",
        "cost: of players that were evaluated here, what an episode cost; of others, by models.toml and "
        f"prices.csv, {measured.prompt_tokens_per_call:,} tokens per prompt and {brief:,} to {long:,} per "
        "reply",
    ]


def _command(benchmark: str, players: Sequence[str], chosen: Design) -> str:
    option = "" if benchmark == DEFAULT_BENCHMARK else f" --benchmark {benchmark}"
    named = f" --players {','.join(players)}" if players else ""
    return f"perennial refresh{option}{named} --instances {chosen.instances} --runs {chosen.runs} --dry-run"
