"""A refresh of several benchmarks: all are prepared before any work, and what has ended is counted."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.print_edition import sum_calls
from perennial.flows.console.root_option import root_flag
from perennial.flows.console.row_formats import Terminal
from perennial.flows.refresh.plan import PreparedRefresh, prepare_refresh
from perennial.schemas.errors import InvalidOption, PerennialError, count, in_one_line
from perennial.schemas.plan import Plan, RefreshPlan
from perennial.schemas.rows import Row
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.several import naming
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.staging import Staging, forget_unfinished, keep_unfinished, run_key
from perennial.warehouse.store.store import Store

# What a refresh of several benchmarks prints in the end: a line about each edition.


def print_outcomes(
    store: Store, outcomes: "Sequence[EditionOutcome]", console: Terminal, as_json: bool
) -> None:
    """Print what became of each edition for people, or as JSON on standard output."""
    catalog = open_catalog(store)
    rows = [_describe(catalog, outcome) for outcome in outcomes]
    if as_json:
        sys.stdout.write(json.dumps({"root": store.root, "editions": rows}, indent=1) + "\n")
        return
    table = Table(title="Editions of this refresh", title_justify="left", padding=0)
    for heading in ("benchmark", "edition"):
        table.add_column(heading, overflow="fold")
    for heading in ("instances", "evaluation", "calls", "cost", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row["benchmark"], row["edition"], *_cells(row))
    console.print(table)
    for row in rows:
        if row["error"]:
            console.print(f"failed: {row['edition']}: {row['error']}")
    flag = root_flag(store)
    console.print(f'next:   perennial query{flag} "FROM leaderboard"')


def _describe(catalog: Catalog, outcome: "EditionOutcome") -> Row:
    edition = outcome.edition
    grown = catalog.query(f"SELECT counts FROM editions WHERE edition = '{edition}'")[1]
    played = catalog.query(f"SELECT evaluation, counts FROM evaluations WHERE edition = '{edition}'")[1]
    # What is not published has its calls in the ledger alone.
    spent = sum_calls(catalog, edition) if played else {}
    return {
        "benchmark": outcome.benchmark,
        "edition": edition,
        "instances": json.loads(grown[0][0])["instances"] if grown else None,
        "evaluation": played[0][0] if played else None,
        "episodes": sum(json.loads(counts).get("episodes", 0) for _, counts in played) if played else None,
        "calls": spent.get("calls"),
        "known_cost_usd": spent.get("known_cost_usd"),
        "calls_of_unknown_cost": spent.get("calls_of_unknown_cost"),
        "seconds": round(outcome.seconds, 1),
        "error": outcome.error,
    }


def _cells(row: Row) -> list[str]:
    spent = row["known_cost_usd"] or 0
    cost = "-" if row["calls"] is None else "unknown" if row["calls_of_unknown_cost"] else f"${spent:,.2f}"
    counts = (row["instances"], row["evaluation"], row["calls"])
    cells = ["-" if value is None else f"{value:,}" if isinstance(value, int) else value for value in counts]
    return [*cells, cost, f"{row['seconds']:,.1f}"]


@dataclass(frozen=True, slots=True)
class EditionOutcome:
    """What became of one edition of a run: `error` says why it is not published, "" where it is.

    `seconds` are those of this run, 0 where it was published before.
    """

    benchmark: str
    edition: str
    seconds: float = 0.0
    error: str = ""


class EditionsFailed(PerennialError):
    """A run of several benchmarks of which some came to no edition; the others are published."""

    def __init__(self, outcomes: Sequence[EditionOutcome]) -> None:
        self.outcomes = tuple(outcomes)
        failed = [outcome for outcome in outcomes if outcome.error]
        reasons = "; ".join(f"{outcome.edition}: {outcome.error}" for outcome in failed)
        super().__init__(
            f"{len(outcomes) - len(failed)} of {count(len(outcomes), 'edition')} are published, and the same "
            f"command tries the rest again; {reasons}"
        )


def prepare_each(
    all_settings: Sequence[RefreshSettings],
    store: Store,
    *,
    needs_key: bool = True,
    flags: Mapping[str, object] | None = None,
) -> list[PreparedRefresh]:
    """Plan each benchmark after every check that needs no work, as `prepare_refresh` does.

    Errors name the benchmark, and which of the `flags` is not for all of them.
    """
    if len(all_settings) == 1:
        return [prepare_refresh(all_settings[0], store, needs_key=needs_key)]
    chosen = [find_benchmark(settings.benchmark) for settings in all_settings]
    declared = [benchmark.declaration for benchmark in chosen]
    together = [benchmark.name for benchmark in chosen]
    flags_set = {name: value for name, value in (flags or {}).items() if value is not None}
    prepared = []
    for settings, benchmark in zip(all_settings, chosen, strict=True):
        with naming(benchmark.name, declared, flags_set):
            narrowed = _choose_own_players(settings, benchmark, chosen)
            prepared.append(prepare_refresh(narrowed, store, needs_key=needs_key, together=together))
    return prepared


def _choose_own_players(
    settings: RefreshSettings, benchmark: Benchmark, chosen: Sequence[Benchmark]
) -> RefreshSettings:
    """Keep the players and anchors that play this benchmark.

    A program, or a way to ask a model, plays the benchmarks that have it; any other name plays all.
    """
    players = [name for name in settings.players if _plays(name, benchmark, chosen)]
    if settings.players and not players:
        raise InvalidOption(
            f"--players {','.join(settings.players)}: none of them plays it: name one of its programs "
            f"({', '.join(benchmark.programs)}) or a model too"
        )
    anchors = [name for name in settings.anchors if _plays(name, benchmark, chosen)]
    return settings.model_copy(update={"players": players, "anchors": anchors})


def _plays(name: str, benchmark: Benchmark, chosen: Sequence[Benchmark]) -> bool:
    return _has(benchmark, name) or not any(_has(other, name) for other in chosen)


def _has(benchmark: Benchmark, name: str) -> bool:
    variant, colon, _ = name.partition(":")
    return (
        name in benchmark.programs
        or name in benchmark.aliases
        or (bool(colon) and variant in benchmark.variants)
    )


def begin_run(store: Store, plans: Sequence[RefreshPlan]) -> None:
    """Stage the plans of a run, but for what is published, and keep which editions it has."""
    if len(plans) > 1:
        keep_unfinished(store, {key: plan.edition for key, plan in _keys(plans).items()})
    for refresh in plans:
        # The last one first: an edition that is staged has its evaluation's plan beside it.
        for plan in (refresh.evaluation, refresh.growth):
            stage_plan(store, plan)


def stage_plan(store: Store, plan: Plan) -> None:
    """Stage the plan, unless that was done before, or what it says is published."""
    staging = Staging(store, plan.unit)
    staged = staging.read_plan()
    if store.exists(row_file(plan.unit)) or staged == plan:
        return
    if staged is None or staged.batch_key("") != plan.batch_key(""):
        # What is staged is nothing, or of an edition whose own staging was removed.
        staging.remove()
    staging.write_plan(plan)


def end_run(store: Store, plans: Sequence[RefreshPlan]) -> None:
    """Remove what the run of these published editions has left behind."""
    for refresh in plans:
        for plan in (refresh.growth, refresh.evaluation):
            Staging(store, plan.unit).remove()
    if len(plans) > 1:
        forget_unfinished(store, _keys(plans))


def units_of(plans: Sequence[RefreshPlan]) -> tuple[str, ...]:
    """The names of all editions and evaluations of a run."""
    return tuple(plan.unit for refresh in plans for plan in (refresh.growth, refresh.evaluation))


def outcome_of(
    plan: RefreshPlan, seconds: float = 0.0, error: PerennialError | None = None
) -> EditionOutcome:
    """What became of an edition: published, unless there is an error."""
    reason = "" if error is None else in_one_line(error)
    return EditionOutcome(plan.growth.benchmark, plan.edition, seconds, reason)


def _keys(plans: Sequence[RefreshPlan]) -> dict[str, RefreshPlan]:
    together: Collection[str] = [plan.growth.benchmark for plan in plans]
    return {run_key(together, plan): plan for plan in plans}
