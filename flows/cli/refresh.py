"""`perennial refresh`: grow and publish one edition."""

import os
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from flows.console import progress
from flows.console import refresh_options as options
from flows.console.print_edition import print_edition
from flows.console.print_plan import print_plan
from flows.serve.prefect_environment import configure_prefect, prefect_home
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
    console = _console(as_json)
    store = Store(chosen.root)
    if not dry_run:
        refuse_locked(store)
    prepared = prepare_refresh(chosen, store, needs_key=not dry_run)
    plan = prepared.plan
    if dry_run:
        print_plan(console, store, prepared, as_json)
        return
    if prepared.published:
        Staging(store, plan.edition).remove()
        console.print(f"edition {plan.edition} is published already, with these settings: nothing to do")
        print_edition(store, plan, console, as_json)
        return
    check_runner(chosen.runner)
    for domain in prepared.domains:
        for warning in domain.warnings:
            console.print(f"warning: {warning}", style="yellow", markup=False, highlight=False)
    values = {**_without_secrets(chosen), "edition": plan.edition}
    verb = "going on with" if prepared.resumed else "growing"
    console.print(f"{verb} edition {plan.edition} in {chosen.root}", highlight=False)
    _run(values, chosen.root, console, verbose)
    print_edition(store, plan, console, as_json)


def _without_secrets(settings: "RefreshSettings") -> dict[str, Any]:
    """Return the settings as Prefect may keep them; URLs that may hold a secret go by the environment."""
    from flows.serve.flow_parameters import SECRET_SETTINGS

    values = settings.model_dump()
    for name in SECRET_SETTINGS:
        os.environ[f"PERENNIAL_{name.upper()}"] = values.pop(name)
    return values


def _run(values: dict[str, Any], root: str, console: Console, verbose: bool) -> None:
    """Run the flow beside an embedded server; make the kernels ready while that server starts."""
    configure_prefect(root, verbose)
    from flows.kumo.kernels import prepare_kernels
    from flows.serve.embedded_server import EmbeddedServer

    with progress.shown_on(console), EmbeddedServer(prefect_home(root)) as server:
        with console.status("starting Prefect, preparing sampling and search (compiled on first use)"):
            told = prepare_kernels("sampling", "search")
            server.wait_ready()
        progress.note(f"{'start':<12} {told}; Prefect is up")
        from flows.refresh.flow import refresh as refresh_flow

        refresh_flow(values)


def _console(as_json: bool) -> Console:
    """Return where to print: as wide as the terminal, or wide enough for a table where there is none."""
    console = Console(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Console(stderr=as_json, soft_wrap=True, width=_WIDTH)
