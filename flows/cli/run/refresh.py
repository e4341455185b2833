"""`perennial refresh`: grow and publish one edition, or one of each of several benchmarks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from flows.benchmark import find_benchmark
from flows.console import progress
from flows.console.interrupts import Interrupted, signals_interrupt
from flows.console.print_edition import print_edition
from flows.console.settings_options import settings_app
from flows.console.steps import show_steps
from flows.console.terminal import Terminal
from flows.refresh.planning.estimate_calls import estimate_refresh
from flows.refresh.planning.print_plan import print_plans
from flows.refresh.print_outcomes import print_outcomes
from flows.run.compiled_code import compile_once
from flows.serve.embedded_server import EmbeddedServer, begin_server
from flows.serve.free_space import when_full
from flows.serve.prefect_environment import configure_prefect, prefect_home
from flows.stages.leaving import leave
from schemas.errors import PerennialError, ServerEnded
from schemas.rows import JsonObject
from warehouse.lock.root_lock import lock_root, refuse_locked
from warehouse.store.store import Store

if TYPE_CHECKING:
    from flows.refresh.planning.plan import PreparedRefresh
    from flows.refresh.several import Outcome
    from flows.refresh.unchanged_root import UnitsOfRoot
    from schemas.settings import RefreshSettings

DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the plan, its counts and an estimate of cost; do nothing else."),
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Agree to a run of more than 5,000 model calls or $20.")
]
Result = TypeVar("Result")
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
    from flows.refresh.planning.large_runs import refuse_large_run
    from flows.refresh.planning.player_choice import describe_aliases
    from flows.refresh.several import EditionsFailed, end_run, outcome_of, prepare_each
    from flows.refresh.unchanged_root import units_of_root
    from flows.run.choose_runner import check_runner
    from schemas.settings.several import load_each

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
        outcomes = grow_and_play(each, store, prepared, before, console, verbose)
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
    verbose: bool = False,
) -> "list[Outcome]":
    """Grow and play what is prepared, once its models are looked up; the root is locked meanwhile.

    `before` is what the root held when that was prepared.
    """
    from flows.refresh.unchanged_root import refuse_changed_root

    _warn(prepared, console)
    named = [
        settings.model_copy(
            update={"edition": one.plan.edition, "players": list(one.plan.evaluation.players)}
        )
        for settings, one in zip(each, prepared, strict=True)
    ]
    for one in prepared:
        if not one.published:
            verb = "resuming" if one.resumed else "growing"
            console.print(f"{verb} edition {one.plan.edition} in {store.root}")
    chosen = [find_benchmark(settings.benchmark) for settings in each]
    warm_ups = [partial(compile_once, one.name, one.warm_up) for one in chosen if one.warm_up is not None]
    what = f"refresh {', '.join(one.plan.edition for one in prepared)}"
    with lock_root(store, what, console.print):
        refuse_changed_root(store, before)
        _look_up_models(each[0], store, prepared, console)

        def run() -> "list[Outcome]":
            from flows.refresh.flow import refresh_prepared

            return refresh_prepared(named, prepared)

        return run_flow(run, warm_ups, store.root, console, verbose)


def _look_up_models(
    settings: "RefreshSettings", store: Store, prepared: "Sequence[PreparedRefresh]", console: Terminal
) -> None:
    from flows.refresh.planning.look_up import choices_of, look_up
    from flows.watchers.webhook import notice_of_failure

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


def run_flow(
    run: Callable[[], Result],
    warm_ups: Sequence[Callable[[], str]],
    root: str,
    console: Terminal,
    verbose: bool,
) -> Result:
    """Return what a flow of `flows.refresh.flow` does; an interrupt becomes an exit code.

    The caller holds the root's lock: a second writer is refused before Prefect, which takes seconds to start.
    """
    with signals_exit():
        return _run(run, warm_ups, root, console, verbose)


@contextmanager
def signals_exit() -> Iterator[None]:
    """Let an interrupt of the block become an exit code."""
    try:
        with signals_interrupt():
            yield
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None


def _run(
    run: Callable[[], Result],
    warm_ups: Sequence[Callable[[], str]],
    root: str,
    console: Terminal,
    verbose: bool,
) -> Result:
    """Run the flow beside an embedded server; make compiled code ready while that server starts."""
    configure_prefect(root, verbose)
    slow = Terminal(stderr=True, soft_wrap=True)
    with progress.show_on(console, slow), EmbeddedServer(prefect_home(root)) as server:
        with show_steps("start") as step:
            step("making compiled code ready (compiled on first use)")
            told = "".join(f"{done}; " for warm_up in warm_ups if (done := warm_up()))
            step("starting Prefect")
            # What takes a second to import is imported while the server starts.
            import_module("flows.refresh.flow")
            server.wait_ready()
        progress.note(f"{'start':<12} {told}Prefect is up")
        context = copy_context()
        server.when_ended(lambda: context.run(_leave_without_server))
        if not server.is_own:
            return run()
        with when_full(prefect_home(root), lambda error: context.run(_leave_at_once, error)):
            return run()


refresh_app = settings_app(refresh)


def _leave_without_server() -> None:
    """Leave as soon as no call is in flight: Prefect would try for minutes to reach its server."""
    _leave_at_once(
        ServerEnded(
            "the embedded Prefect server has ended (killed, or out of memory?): see .prefect/server.log in "
            "the data root; staged work and replies are kept, and the same command resumes"
        )
    )


def _leave_at_once(error: PerennialError) -> None:
    progress.end_bar()
    leave(error)


def result_console(as_json: bool) -> Terminal:
    """Return where to print: as wide as the terminal, or wide enough for a table where there is none."""
    console = Terminal(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Terminal(stderr=as_json, soft_wrap=True, width=_WIDTH)
