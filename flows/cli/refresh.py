"""`perennial refresh`: grow and publish one edition."""

import os
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import typer

from flows.console import progress
from flows.console import refresh_options as options
from flows.console.interrupts import Interrupted, signals_interrupt
from flows.console.print_edition import print_edition
from flows.console.print_plan import print_plan
from flows.console.terminal import Terminal
from flows.serve.prefect_environment import configure_prefect, prefect_home
from flows.stages.leaving import leave
from schemas.errors import ServerEnded
from warehouse.lock.root_lock import refuse_locked
from warehouse.staging.staging import Staging
from warehouse.store.store import Store

if TYPE_CHECKING:
    from schemas.settings import RefreshSettings

_WIDTH = 120  # columns of what is printed into a file or a pipe


def refresh(
    context: typer.Context,
    domains: options.Domains = None,
    settings: options.Settings = None,
    instances: options.Instances = None,
    runs: options.Runs = None,
    players: options.Players = None,
    seed: options.Seed = None,
    root: options.Root = None,
    edition: options.Edition = None,
    preset: options.Preset = None,
    min_expected_steps: options.MinExpectedSteps = None,
    author: options.Author = None,
    proposer: options.Proposer = None,
    configurer: options.Configurer = None,
    writer: options.Writer = None,
    reviser: options.Reviser = None,
    propose: options.Propose = None,
    categories: options.Categories = None,
    continuations: options.Continuations = None,
    repairs: options.Repairs = None,
    book_rounds: options.BookRounds = None,
    author_temperature: options.AuthorTemperature = None,
    author_max_tokens: options.AuthorMaxTokens = None,
    temperature: options.Temperature = None,
    top_p: options.TopP = None,
    max_tokens: options.MaxTokens = None,
    model_seed: options.ModelSeed = None,
    reasoning_effort: options.ReasoningEffort = None,
    base_url: options.BaseUrl = None,
    concurrency: options.Concurrency = None,
    requests_per_minute: options.RequestsPerMinute = None,
    tokens_per_minute: options.TokensPerMinute = None,
    timeout: options.Timeout = None,
    max_attempts: options.MaxAttempts = None,
    max_reply_mb: options.MaxReplyMb = None,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    accept_api_errors: options.AcceptApiErrors = None,
    domain_count: options.DomainCount = None,
    rest_editions: options.RestEditions = None,
    runner: options.Runner = None,
    workers: options.Workers = None,
    webhook: options.Webhook = None,
    openlineage_url: options.OpenlineageUrl = None,
    max_trivial_share: options.MaxTrivialShare = None,
    min_distinct_books: options.MinDistinctBooks = None,
    max_collision_probability: options.MaxCollisionProbability = None,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
) -> None:
    """Sample, solve, write books, play, audit and publish one edition.

    An interrupted refresh goes on where it was when the same command is given again.

    Example: perennial refresh --domains mineral_identification --settings easy,6x10 --instances 20

    With models: perennial refresh --author gpt-4.1 --players gpt-4.1-mini,oracle --max-calls 5000
    """
    from flows.refresh.plan import prepare_refresh
    from flows.run.choose_runner import check_runner
    from schemas.settings import RefreshSettings, load_settings

    chosen = load_settings({name: context.params[name] for name in RefreshSettings.model_fields})
    console = result_console(as_json)
    store = Store(chosen.root)
    if not dry_run:
        refuse_locked(store)
    prepared = prepare_refresh(chosen, store, needs_key=not dry_run)
    plan = prepared.plan
    if dry_run:
        print_plan(console, store, prepared, as_json, chosen.endpoint())
        return
    if prepared.published:
        for part in (plan.growth, plan.evaluation):
            Staging(store, part.unit).remove()
        console.print(f"edition {plan.edition} is published already, with these settings: nothing to do")
        print_edition(store, plan.edition, console, as_json)
        return
    check_runner(chosen.runner)
    store.require_conditional_writes()
    for domain in prepared.domains:
        for warning in domain.warnings:
            console.print(f"warning: {warning}", style="yellow")
    values = {**without_secrets(chosen), "edition": plan.edition}
    verb = "going on with" if prepared.resumed else "growing"
    console.print(f"{verb} edition {plan.edition} in {chosen.root}")
    run_flow("refresh", chosen.root, console, verbose, settings=values)
    print_edition(store, plan.edition, console, as_json)


def without_secrets(settings: "RefreshSettings") -> dict[str, Any]:
    """Return the settings as Prefect may keep them; URLs that may hold a secret go by the environment."""
    from flows.serve.flow_parameters import SECRET_SETTINGS

    values = settings.model_dump()
    for name in SECRET_SETTINGS:
        os.environ[f"PERENNIAL_{name.upper()}"] = values.pop(name)
    return values


def run_flow(name: str, root: str, console: Terminal, verbose: bool, **parameters: Any) -> None:
    """Run the flow of this name in `flows.refresh.flow`; a signal that ends it becomes its exit code."""
    try:
        with signals_interrupt():
            _run(name, root, console, verbose, parameters)
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None


def _run(name: str, root: str, console: Terminal, verbose: bool, parameters: dict[str, Any]) -> None:
    """Run the flow beside an embedded server; make the kernels ready while that server starts."""
    configure_prefect(root, verbose)
    from flows.kumo.kernels import prepare_kernels
    from flows.serve.embedded_server import EmbeddedServer

    with progress.shown_on(console), EmbeddedServer(prefect_home(root)) as server:
        with console.status("starting Prefect, preparing sampling and search (compiled on first use)"):
            told = prepare_kernels("sampling", "search")
            server.wait_ready()
        progress.note(f"{'start':<12} {told}; Prefect is up")
        context = copy_context()
        server.when_ended(lambda: context.run(_leave_without_server))
        from flows.refresh import flow

        getattr(flow, name)(**parameters)


def _leave_without_server() -> None:
    """Leave as soon as no call is in flight: Prefect would try for minutes to reach its server."""
    progress.end_bar()
    leave(
        ServerEnded(
            "the embedded Prefect server has ended (killed, or out of memory?): see .prefect/server.log in "
            "the data root; what is staged and answered is kept, and the same command goes on"
        )
    )


def result_console(as_json: bool) -> Terminal:
    """Return where to print: as wide as the terminal, or wide enough for a table where there is none."""
    console = Terminal(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Terminal(stderr=as_json, soft_wrap=True, width=_WIDTH)
