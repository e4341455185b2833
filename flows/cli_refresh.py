"""`perennial refresh`: grow and publish one edition."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from flows import progress
from flows.runtime import configure_prefect, prefect_home
from schemas.plan import RefreshPlan
from schemas.tables import STAGED_TABLES
from warehouse.stage import Staging
from warehouse.store import Store

if TYPE_CHECKING:
    from flows.planning import PreparedRefresh


def refresh(
    domains: Annotated[
        str | None,
        typer.Option(
            help="Bundled domains or paths of .json files, separated by commas. Default: all bundled."
        ),
    ] = None,
    settings: Annotated[
        str | None, typer.Option(help="Sizes: easy, hard, or NxM (truths x actions). Default: easy,hard.")
    ] = None,
    instances: Annotated[
        int | None, typer.Option(help="Instances a domain and setting. Default: 50.")
    ] = None,
    runs: Annotated[int | None, typer.Option(help="Runs of a random player an instance. Default: 5.")] = None,
    players: Annotated[
        str | None, typer.Option(help="Players, separated by commas. Default: oracle,greedy,random,reader.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything that is drawn. Default: 0.")] = None,
    root: Annotated[str | None, typer.Option(help="Data root. Default: warehouse/data.")] = None,
    edition: Annotated[
        str | None, typer.Option(help="Name of the edition. Default: kumo- and the date.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="kumo-2025: instances as the paper's, trivial ones included.")
    ] = None,
    min_expected_steps: Annotated[
        float | None, typer.Option(help="Least expected steps of an instance. Default: 1.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and its counts; do nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")] = False,
) -> None:
    """Sample, solve, write books, play, audit and publish one edition.

    An interrupted refresh goes on where it was when the same command is given again.

    Example: perennial refresh --domains mineral_identification --settings easy,6x10 --instances 20
    """
    from flows.planning import prepare_refresh
    from schemas.settings import load_settings

    chosen = load_settings(
        {
            "domains": domains,
            "settings": settings,
            "instances": instances,
            "runs": runs,
            "players": players,
            "seed": seed,
            "root": root,
            "edition": edition,
            "preset": preset,
            "min_expected_steps": min_expected_steps,
        }
    )
    console = Console(stderr=as_json, soft_wrap=True)
    store = Store(chosen.root)
    prepared = prepare_refresh(chosen, store)
    plan = prepared.plan
    if dry_run:
        _print_plan(console, prepared, as_json)
        return
    if prepared.published:
        Staging(store, plan.edition).remove()
        console.print(f"edition {plan.edition} is published already, with these settings: nothing to do")
        _report(store, plan, console, as_json)
        return
    for domain in prepared.domains:
        for warning in domain.warnings:
            console.print(f"warning: {warning}", style="yellow", markup=False, highlight=False)
    values = {**chosen.model_dump(), "edition": plan.edition}
    verb = "going on with" if prepared.resumed else "growing"
    console.print(f"{verb} edition {plan.edition} in {chosen.root}", highlight=False)
    _run(values, chosen.root, console, verbose)
    _report(store, plan, console, as_json)


def _run(values: dict[str, Any], root: str, console: Console, verbose: bool) -> None:
    """Run the flow beside an embedded server; make the kernels ready while that server starts."""
    configure_prefect(root, verbose)
    from flows.embedded_server import EmbeddedServer
    from flows.kernels import prepare_kernels

    with progress.shown_on(console), EmbeddedServer(prefect_home(root)) as server:
        with console.status("starting Prefect, preparing sampling and search (compiled on first use)"):
            told = prepare_kernels("sampling", "search")
            server.wait_ready()
        progress.note(f"{'start':<12} {told}; Prefect is up")
        from flows.refresh import refresh as refresh_flow

        refresh_flow(values)


def _print_plan(console: Console, prepared: "PreparedRefresh", as_json: bool) -> None:
    plan = prepared.plan
    names = [domain.config.name for domain in prepared.domains]
    counts = _planned_counts(plan)
    if as_json:
        document = {"plan": plan.as_json(), "domains": names, "counts": counts, "resumed": prepared.resumed}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    state = " (begun, to be gone on with)" if prepared.resumed else ""
    table = Table(title=f"Plan of edition {plan.edition}{state}", title_justify="left", show_header=False)
    shown = {key: value for key, value in plan.as_json().items() if key not in ("edition", "configs")}
    for key, value in {"domains": names, **shown}.items():
        table.add_row(key, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
    table.add_section()
    for key, count in counts.items():
        table.add_row(key, f"{count:,}")
    console.print(table)


def _planned_counts(plan: RefreshPlan) -> dict[str, int]:
    """Return what the edition will hold, rows of `kumo_instances` and so on, and what it will cost."""
    from tasks.kumo.players import player_kind

    instances = len(plan.batches) * plan.instances
    runs = sum(plan.runs if player_kind(name).is_random else 1 for name in plan.players)
    counts = {"batches": len(plan.batches), "kumo_instances": instances, "books": instances}
    return {**counts, "episodes": instances * runs, "model_calls": 0}


def _report(store: Store, plan: RefreshPlan, console: Console, as_json: bool) -> None:
    from warehouse.catalog import open_catalog

    catalog = open_catalog(store)
    names, rows = catalog.query(
        "SELECT setting, player, attempted, scored, success_rate, success_rate_low, success_rate_high, "
        "relative_action_count, relative_action_count_low, relative_action_count_high "
        f"FROM leaderboard WHERE edition = '{plan.edition}'"
    )
    _, counted = catalog.query(f"SELECT counts FROM editions WHERE edition = '{plan.edition}'")
    counts = json.loads(counted[0][0])
    if as_json:
        board = [dict(zip(names, row, strict=True)) for row in rows]
        document = {"edition": plan.edition, "root": store.root, "counts": counts, "leaderboard": board}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    table = Table(title=f"Edition {plan.edition}", title_justify="left", caption_justify="left")
    for heading in ("setting", "player"):
        table.add_column(heading)
    for heading in ("episodes", "success rate", "relative action count"):
        table.add_column(heading, justify="right")
    for setting, player, attempted, scored, *figures in rows:
        episodes = f"{scored:,}" if scored == attempted else f"{scored:,} of {attempted:,}"
        table.add_row(setting, player, episodes, _figure(figures[:3]), _figure(figures[3:]))
    table.caption = "95% intervals clustered by instance; actions = tests + 1, failed = all actions + 1"
    console.print(table)
    shown = ", ".join(f"{counts[name]:,} {name}" for name in STAGED_TABLES if counts.get(name))
    console.print(f"published: {shown}; {counts['audits']} expectations held", highlight=False)
    console.print(f"tables:    {store.location('tables')}/<table>/edition={plan.edition}/", highlight=False)
    flag = "" if store.root == "warehouse/data" else f" --root {store.root}"
    console.print(
        f"next:      perennial query{flag} \"FROM domain_scores WHERE edition = '{plan.edition}'\"",
        highlight=False,
        markup=False,
    )


def _figure(value_low_high: list[float | None]) -> str:
    value, low, high = value_low_high
    if value is None:
        return "undefined"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"
