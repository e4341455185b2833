"""The refresh: from domains to a published edition, stage by stage, as one Prefect flow.

A Prefect task run is one batch: a stage, a configuration and a setting (and a player). What is staged
already is passed over, so that the same refresh goes on after any interruption.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows import progress
from flows.analyse import analyse_edition
from flows.author import configure_batch, propose_batch, stage_domain
from flows.evaluate import evaluate_batch, refuse_api_errors
from flows.planning import PlannedDomain, prepare_refresh
from flows.release import audit_and_publish
from flows.sample import sample_batch
from flows.workspace import Workspace, open_workspace
from flows.write_books import write_books_batch
from schemas.errors import PerennialError
from schemas.plan import RefreshPlan
from schemas.settings import RefreshSettings, load_settings
from warehouse.stage import Staging
from warehouse.store import Store

Batch = Callable[..., dict[str, int]]
_RETRIES = 2
_RETRY_DELAY_S = 2
_TIMEOUT_S = 6 * 3600


@flow(name="kumo-refresh", validate_parameters=False)
def refresh(settings: dict[str, Any]) -> str:
    """Publish the edition that these settings ask for, or finish it, and return its name.

    `settings` are those of `schemas.settings.RefreshSettings`; what is absent keeps its default.
    """
    chosen = load_settings(settings)
    store = Store(chosen.root)
    prepared = prepare_refresh(chosen, store)
    plan = prepared.plan
    staging = Staging(store, plan.edition)
    if not prepared.published:
        if not prepared.resumed:
            staging.write_plan(plan)
        _grow(chosen, plan, prepared.domains)
    staging.remove()
    return plan.edition


def _grow(settings: RefreshSettings, plan: RefreshPlan, domains: Sequence[PlannedDomain]) -> None:
    """Run all stages, each over its batches."""
    work = (settings.root, plan.edition)
    policy = settings.call_policy()
    workspace = open_workspace(*work)
    if domains:
        _given_domains(workspace, domains)
    if plan.authoring.proposals:
        _run_stage("proposals", propose_batch, [(*work, policy)])
        _run_stage("configs", configure_batch, [(*work, policy)])
    batches = [(config_id, setting.name) for config_id, setting in workspace.batches]
    _run_stage("sample", sample_batch, [(*work, *batch) for batch in batches])
    _run_stage("books", write_books_batch, [(*work, policy, *batch) for batch in batches])
    played = [(*batch, player) for batch in batches for player in plan.players]
    accepted = settings.accept_api_errors
    counts = _run_stage("episodes", evaluate_batch, [(*work, policy, accepted, *batch) for batch in played])
    refuse_api_errors(counts)
    _run_stage("statistics", analyse_edition, [work])
    _run_stage("publish", audit_and_publish, [work])


def _given_domains(workspace: Workspace, domains: Sequence[PlannedDomain]) -> None:
    with progress.stage("domains", len(domains)) as advance:
        for domain in domains:
            advance(stage_domain(workspace, domain))


def _run_stage(name: str, batch: Batch, parameters: Sequence[tuple[Any, ...]]) -> dict[str, int]:
    """Run the batch with each of the parameters and return the added counts."""
    run = task(
        name=name,
        retries=_RETRIES,
        retry_delay_seconds=_RETRY_DELAY_S,
        retry_condition_fn=_may_pass_next_time,
        timeout_seconds=_TIMEOUT_S,
        persist_result=False,
        cache_policy=NO_CACHE,
    )(batch)
    total: Counter[str] = Counter()
    with progress.stage(name, len(parameters)) as advance:
        for values in parameters:
            counts = run(*values)
            total.update(counts)
            advance(counts)
    return dict(total)


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
