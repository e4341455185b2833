"""`perennial refresh`: grow and publish one edition, or one of each of several benchmarks."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.benchmark import find_benchmark
from perennial.flows.cli.run.execute import Job, execute_by_prefect, signals_exit
from perennial.flows.console.print_edition import print_edition
from perennial.flows.console.settings_options import settings_app
from perennial.flows.console.terminal import Terminal
from perennial.flows.refresh.planning.estimate_calls import estimate_refresh
from perennial.flows.refresh.planning.print_plan import print_plans
from perennial.flows.refresh.print_outcomes import print_outcomes
from perennial.flows.serve.embedded_server import begin_server
from perennial.schemas.rows import JsonObject
from perennial.warehouse.lock import lock_root, refuse_locked
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from perennial.flows.refresh.planning.plan import PreparedRefresh
    from perennial.flows.refresh.several import Outcome
    from perennial.flows.refresh.unchanged_root import UnitsOfRoot
    from perennial.schemas.settings import RefreshSettings

DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the plan, its counts and an estimate of cost; do nothing else."),
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Agree to a run of more than 5,000 model calls or $20.")
]
_WIDTH = 165  # columns of what is printed into a file or a pipe: the floor, and four figures with intervals


def refresh(
    flags: JsonObject,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")] = False,
) -> None:
    """Grow one edition, let players answer its questions, audit and publish both.

    With several benchmarks (--benchmark all), it grows one edition for each, in turn; limits of calls and
    cost cover all of them together. Give the same command again to resume an interrupted refresh.

    Example: perennial refresh --players gpt-4.1-mini --max-calls 5000 --private-share 0.2
    """
    from perennial.flows.refresh.planning.large_runs import refuse_large_run
    from perennial.flows.refresh.planning.player_choice import describe_aliases
    from perennial.flows.refresh.several import EditionsFailed, end_run, outcome_of, prepare_each
    from perennial.flows.refresh.unchanged_root import units_of_root
    from perennial.flows.run.choose_runner import check_runner
    from perennial.schemas.settings.several import load_each

    each = load_each(flags)
    root = each[0].root
    console = result_console(as_json)
    store = Store(root)
    if not dry_run:
        refuse_locked(store)
        begin_server()
    before = units_of_root(store)
    prepared = prepare_each(each, store, needs_key=not dry_run, flags=flags)
    plans = [one.plan for one in prepared]
    chosen = [find_benchmark(settings.benchmark) for settings in each]
    for note in dict.fromkeys(note for one in chosen for note in describe_aliases(each[0].players, one)):
        console.print(f"note: {note}")
    if dry_run:
        print_plans(console, store, prepared, as_json, each)
        return
    for one in prepared:
        if one.published:
            told = f"edition {one.plan.edition} is published already, with these settings"
            console.print(told if len(prepared) > 1 else f"{told}: nothing to do")
    if all(one.published for one in prepared):
        end_run(store, plans)
        _print_result(store, [outcome_of(plan) for plan in plans], console, as_json)
        return
    new = [one for one in prepared if not one.resumed]
    refuse_large_run(
        each[0], lambda: [row for one in new for row in estimate_refresh(store, one, each[0])], yes=yes
    )
    check_runner(each[0].runner)
    store.require_conditional_writes()
    try:
        execute = partial(execute_by_prefect, verbose=verbose)
        outcomes = grow_and_play(each, store, prepared, before, console, execute)
    except EditionsFailed as error:
        _print_result(store, error.outcomes, console, as_json)
        raise
    _print_result(store, outcomes, console, as_json)


def grow_and_play(
    each: "Sequence[RefreshSettings]",
    store: Store,
    prepared: "Sequence[PreparedRefresh]",
    before: "UnitsOfRoot",
    console: Terminal,
    execute: "Callable[[Job[list[Outcome]], Terminal], list[Outcome]]",
) -> "list[Outcome]":
    """Grow and play what is prepared, once its models are looked up; the root is locked meanwhile.

    `before` is what the root held when that was prepared.
    """
    from perennial.flows.refresh.make_units import make_editions
    from perennial.flows.refresh.unchanged_root import refuse_changed_root

    _warn(prepared, console)
    named = [
        settings.model_copy(
            update={"edition": refresh.plan.edition, "players": list(refresh.plan.evaluation.players)}
        )
        for settings, refresh in zip(each, prepared, strict=True)
    ]
    editions = [refresh.plan.edition for refresh in prepared]
    for refresh in prepared:
        if not refresh.published:
            verb = "resuming" if refresh.resumed else "growing"
            console.print(f"{verb} edition {refresh.plan.edition} in {store.root}")
    with lock_root(store, f"refresh {', '.join(editions)}", console.print):
        refuse_changed_root(store, before)
        _look_up_models(each[0], store, prepared, console)
        make = partial(make_editions, named, lambda _store: prepared)
        benchmarks = [settings.benchmark for settings in each]
        return execute(Job("refresh", editions, named, make, benchmarks), console)


def _look_up_models(
    settings: "RefreshSettings", store: Store, prepared: "Sequence[PreparedRefresh]", console: Terminal
) -> None:
    from perennial.flows.refresh.planning.look_up import choices_of, look_up
    from perennial.flows.watchers.webhook import notice_of_failure

    unfinished = [one for one in prepared if not one.published]
    choices = [choice for one in unfinished for choice in choices_of(one.plan.evaluation, one.own.authors)]
    with signals_exit(), notice_of_failure(settings.webhook, store.root, prepared[0].plan.evaluation):
        look_up(settings, store, choices, console.print, resumed=any(one.resumed for one in unfinished))


def _warn(prepared: "Sequence[PreparedRefresh]", console: Terminal) -> None:
    for one in prepared:
        for warning in one.own.warnings:
            console.print(f"warning: {warning}", style="yellow")
    if any(one.plan.growth.private_share and not one.plan.growth.is_fresh for one in prepared):
        console.print("warning: anyone who knows --seed can draw the private instances", style="yellow")


def _print_result(store: Store, outcomes: "Sequence[Outcome]", console: Terminal, as_json: bool) -> None:
    """Print the edition of one benchmark, or a line about that of each."""
    if len(outcomes) == 1:
        print_edition(store, outcomes[0].edition, console, as_json)
    else:
        print_outcomes(store, outcomes, console, as_json)


def result_console(as_json: bool) -> Terminal:
    """Return where to print: as wide as the terminal, or wide enough for a table where there is none."""
    console = Terminal(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Terminal(stderr=as_json, soft_wrap=True, width=_WIDTH)


refresh_app = settings_app(refresh)
