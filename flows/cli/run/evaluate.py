"""`perennial evaluate`: let players answer the questions of a published edition."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.benchmark import find_benchmark
from perennial.flows.cli.run.execute import Job, execute_by_prefect, signals_exit
from perennial.flows.cli.run.refresh import DryRunOption, YesOption, result_console
from perennial.flows.console.print_edition import print_edition
from perennial.flows.console.settings_options import settings_app
from perennial.flows.refresh.planning.estimate_calls import estimate_evaluation
from perennial.flows.refresh.planning.print_plan import print_evaluation_plan
from perennial.flows.serve.embedded_server import begin_server
from perennial.schemas.errors import InvalidOption
from perennial.schemas.rows import JsonObject
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.lock import lock_root, refuse_locked
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def is_for_play(name: str, field: "FieldInfo") -> bool:
    """Whether a setting of a refresh, the benchmark's own ones included, is one of an evaluation too."""
    from perennial.schemas.settings import RefreshSettings
    from perennial.schemas.settings.form import CALLS, OPERATION, PLAYERS, panel_of

    panel = panel_of(field)
    if name not in RefreshSettings.model_fields:
        return panel == PLAYERS
    return name in ("benchmark", "root", "players", "runs") or panel in (PLAYERS, CALLS, OPERATION)


def evaluate(
    flags: JsonObject,
    edition: Annotated[
        str | None,
        typer.Argument(help="The edition; latest~1 is the one before the newest. Default: newest."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    instances: Annotated[
        int,
        typer.Option(
            min=0,
            help="Number of instances to play, spread evenly over domains; a larger number later plays "
            "only the rest. Default: all.",
        ),
    ] = 0,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")] = False,
) -> None:
    """Let players answer the questions of a published edition, and publish their answers.

    The edition's figures are then computed over all of its evaluations. A model that played it before plays
    more runs, numbered after those. An interrupted evaluation resumes when the same command is given again.

    Example: perennial evaluate latest --players gpt-4.1-mini --runs 3 --max-calls 5000
    """
    played = evaluate_players(flags, edition, name, instances, dry_run, yes, as_json, verbose)
    if played is not None:
        print_edition(*played, result_console(as_json), as_json)


def evaluate_players(
    flags: JsonObject,
    edition: str | None,
    name: str,
    instances: int,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    verbose: bool,
) -> tuple[Store, str] | None:
    """Do what `evaluate` does but print the result: return where the evaluation is, None for a dry run."""
    from perennial.flows.refresh.evaluation import is_begun, prepare_evaluation, refuse_damaged_edition
    from perennial.flows.refresh.make_units import make_evaluation
    from perennial.flows.refresh.planning.large_runs import refuse_large_run
    from perennial.flows.refresh.planning.look_up import choices_of, look_up
    from perennial.flows.refresh.planning.player_choice import describe_aliases
    from perennial.flows.refresh.unchanged_root import refuse_changed_root, units_of_root
    from perennial.flows.run.choose_runner import check_runner
    from perennial.flows.watchers.webhook import notice_of_failure
    from perennial.schemas.settings import load_settings

    store = Store(load_settings(flags, "evaluate").root)
    growth = read_published_plan(store, _edition(store, edition))
    if flags["benchmark"] not in (None, growth.benchmark):
        raise InvalidOption(
            f"--benchmark {flags['benchmark']}: edition {growth.edition!r} is of {growth.benchmark}: give "
            "that one, whose settings are options then"
        )
    chosen = load_settings({**flags, "benchmark": growth.benchmark, "edition": growth.edition}, "evaluate")
    console = result_console(as_json)
    if not dry_run:
        refuse_locked(store)
        begin_server()
    refuse_damaged_edition(store, growth.edition)
    before = units_of_root(store)
    plan = prepare_evaluation(chosen, store, name, instances, needs_key=not dry_run)
    for note in describe_aliases(chosen.players, find_benchmark(chosen.benchmark)):
        console.print(f"note: {note}")
    if dry_run:
        print_evaluation_plan(console, store, plan, as_json, chosen)
        return None
    if store.exists(row_file(plan.unit)):
        Staging(store, plan.unit).remove()
        console.print(f"evaluation {plan.unit} is published already, with these settings: nothing to do")
    else:
        begun = is_begun(store, plan)
        if not begun:
            refuse_large_run(chosen, lambda: estimate_evaluation(store, plan, chosen), yes=yes)
        check_runner(chosen.runner)
        store.require_conditional_writes()
        console.print(f"evaluation {plan.unit} in {chosen.root}: {', '.join(plan.players)}")
        with lock_root(store, f"evaluate {chosen.edition}", console.print):
            refuse_changed_root(store, before)
            with signals_exit(), notice_of_failure(chosen.webhook, store.root, plan):
                look_up(chosen, store, choices_of(plan), console.print, resumed=begun)

            named = chosen.model_copy(update={"players": list(plan.players)})
            details = {"instances": plan.instances}
            job = Job(
                "evaluate", [plan.unit], [named], partial(make_evaluation, named, plan), details=details
            )
            execute_by_prefect(job, console, verbose=verbose)
    return store, plan.unit


evaluate_app = settings_app(evaluate, is_for_play)


def _edition(store: Store, named: str | None) -> str:
    return select_unit(store, named, visible_editions(store))
