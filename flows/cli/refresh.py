"""`perennial refresh`: grow and publish one edition."""

import os
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import progress
from flows.console.interrupts import Interrupted, signals_interrupt
from flows.console.print_edition import print_edition
from flows.console.settings_options import settings_app
from flows.console.steps import show_steps
from flows.console.terminal import Terminal
from flows.refresh.print_plan import print_plan
from flows.serve.prefect_environment import configure_prefect, prefect_home
from flows.stages.leaving import leave
from schemas.benchmark import find_benchmark
from schemas.errors import ServerEnded
from warehouse.audit.great_expectations import load_great_expectations
from warehouse.lock.root_lock import refuse_locked
from warehouse.staging.staging import Staging
from warehouse.store.store import Store

if TYPE_CHECKING:
    from schemas.settings import RefreshSettings

DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the plan, its counts and an estimate of cost; do nothing else."),
]
_WIDTH = 120  # columns of what is printed into a file or a pipe


def refresh(
    flags: dict[str, Any],
    dry_run: DryRunOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")] = False,
) -> None:
    """Grow one edition, let players answer its questions, audit and publish both.

    Give the same command again to resume an interrupted refresh.

    Example: perennial refresh --players gpt-4.1-mini --max-calls 5000 --private-share 0.2
    """
    from flows.refresh.plan import prepare_refresh
    from flows.refresh.player_choice import describe_aliases
    from flows.run.choose_runner import check_runner
    from schemas.settings import load_settings

    chosen = load_settings(flags)
    console = result_console(as_json)
    store = Store(chosen.root)
    if not dry_run:
        refuse_locked(store)
    prepared = prepare_refresh(chosen, store, needs_key=not dry_run)
    plan = prepared.plan
    for note in describe_aliases(chosen.players, find_benchmark(chosen.benchmark)):
        console.print(f"note: {note}")
    if dry_run:
        print_plan(console, store, prepared, as_json, chosen)
        return
    if prepared.published:
        for part in (plan.growth, plan.evaluation):
            Staging(store, part.unit).remove()
        console.print(f"edition {plan.edition} is published already, with these settings: nothing to do")
        print_edition(store, plan.edition, console, as_json)
        return
    check_runner(chosen.runner)
    store.require_conditional_writes()
    for warning in prepared.own.warnings:
        console.print(f"warning: {warning}", style="yellow")
    if plan.growth.private_share and not plan.growth.is_fresh:
        console.print("warning: whoever knows --seed can draw the private instances", style="yellow")
    values = {
        **without_secrets(chosen),
        "edition": plan.edition,
        "players": list(plan.evaluation.players),
    }
    verb = "resuming" if prepared.resumed else "growing"
    console.print(f"{verb} edition {plan.edition} in {chosen.root}")
    warm_up = find_benchmark(plan.growth.benchmark).warm_up
    run_flow("refresh", {"settings": values}, warm_up, chosen.root, console, verbose)
    print_edition(store, plan.edition, console, as_json)


def without_secrets(settings: "RefreshSettings") -> dict[str, Any]:
    """Return the settings as Prefect may keep them.

    URLs that may hold a secret go by the environment, and a seed, which may have more than 64 bits.
    """
    from flows.serve.flow_parameters import SECRET_SETTINGS

    values = settings.model_dump()
    for name in (*SECRET_SETTINGS, "seed"):
        value = values.pop(name)
        if value is not None:
            os.environ[f"PERENNIAL_{name.upper()}"] = str(value)
    return values


def run_flow(
    name: str,
    parameters: dict[str, Any],
    warm_up: Callable[[], str] | None,
    root: str,
    console: Terminal,
    verbose: bool,
) -> None:
    """Run the flow of this name in `flows.refresh.flow`; a signal that ends it becomes its exit code."""
    try:
        with signals_interrupt():
            _run(name, parameters, warm_up, root, console, verbose)
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None


def _run(
    name: str,
    parameters: dict[str, Any],
    warm_up: Callable[[], str] | None,
    root: str,
    console: Terminal,
    verbose: bool,
) -> None:
    """Run the flow beside an embedded server; make compiled code ready while that server starts."""
    configure_prefect(root, verbose)
    from flows.serve.embedded_server import EmbeddedServer

    slow = Terminal(stderr=True, soft_wrap=True)
    with progress.show_on(console, slow), EmbeddedServer(prefect_home(root)) as server:
        with show_steps("start") as step:
            step("starting Prefect, making compiled code ready (compiled on first use)")
            told = f"{warm_up()}; " if warm_up else ""
            # What takes seconds to import is imported while the server starts.
            from flows.refresh import flow

            load_great_expectations()
            server.wait_ready()
        progress.note(f"{'start':<12} {told}Prefect is up")
        context = copy_context()
        server.when_ended(lambda: context.run(_leave_without_server))
        getattr(flow, name)(**parameters)


refresh_app = settings_app(refresh)


def _leave_without_server() -> None:
    """Leave as soon as no call is in flight: Prefect would try for minutes to reach its server."""
    progress.end_bar()
    leave(
        ServerEnded(
            "the embedded Prefect server has ended (killed, or out of memory?): see .prefect/server.log in "
            "the data root; staged work and replies are kept, and the same command resumes"
        )
    )


def result_console(as_json: bool) -> Terminal:
    """Return where to print: as wide as the terminal, or wide enough for a table where there is none."""
    console = Terminal(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Terminal(stderr=as_json, soft_wrap=True, width=_WIDTH)
