"""`perennial evaluate`: let players answer the questions of a published edition."""

from typing import Annotated

import typer

from flows.cli.refresh import result_console, run_flow, without_secrets
from flows.console import refresh_options as options
from flows.console.print_edition import print_edition
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import row_file, visible_editions
from warehouse.editions.selectors import select_unit
from warehouse.lock.root_lock import refuse_locked
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


def evaluate(
    context: typer.Context,
    edition: Annotated[
        str | None,
        typer.Argument(help="The edition; latest~1 is the one before the newest. Default: newest."),
    ] = None,
    players: options.Players = None,
    runs: options.Runs = None,
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    root: options.Root = None,
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
    runner: options.Runner = None,
    workers: options.Workers = None,
    webhook: options.Webhook = None,
    openlineage_url: options.OpenlineageUrl = None,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
) -> None:
    """Let players answer the questions of a published edition, and publish their answers.

    The edition's figures are then computed over all of its evaluations. A model that played it before plays
    more runs, numbered after those. An interrupted evaluation resumes when the same command is given again.

    Example: perennial evaluate latest --players gpt-4.1-mini --runs 3 --max-calls 5000
    """
    from flows.refresh.evaluation import prepare_evaluation
    from flows.run.choose_runner import check_runner
    from schemas.settings import RefreshSettings, load_settings

    given = {key: value for key, value in context.params.items() if key in RefreshSettings.model_fields}
    store = Store(load_settings(given | {"edition": ""}).root)
    chosen = load_settings(given | {"edition": _edition(store, edition)})
    console = result_console(as_json)
    refuse_locked(store)
    plan = prepare_evaluation(chosen, store, name)
    if store.exists(row_file(plan.unit)):
        Staging(store, plan.unit).remove()
        console.print(f"evaluation {plan.unit} is published already, with these settings: nothing to do")
    else:
        check_runner(chosen.runner)
        store.require_conditional_writes()
        console.print(f"evaluation {plan.unit} in {chosen.root}: {', '.join(plan.players)}")
        run_flow(
            "evaluate", chosen.root, console, verbose, settings=without_secrets(chosen), evaluation=plan.name
        )
    print_edition(store, plan.unit, console, as_json)


def _edition(store: Store, named: str | None) -> str:
    known = visible_editions(store)
    if not known:
        raise InvalidOption(f"no edition is published in {store.root}: run `perennial refresh` first")
    return select_unit(store, named, known)
