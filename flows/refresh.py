"""The refresh: from domains to a published edition, stage by stage, as one Prefect flow.

A Prefect task run is one batch: a stage, a configuration and a setting (and a player). What is staged
already is passed over, so that the same refresh goes on after any interruption.
"""

from collections.abc import Callable, Sequence
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows import progress
from flows.analyse import analyse_edition
from flows.author import stage_domain
from flows.evaluate import evaluate_batch
from flows.planning import PlannedDomain, prepare_refresh
from flows.release import audit_and_publish
from flows.sample import sample_batch
from flows.workspace import open_workspace
from flows.write_books import write_books_batch
from schemas.errors import PerennialError
from schemas.settings import load_settings
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
        _author(chosen.root, plan.edition, prepared.domains)
        batches = [(config_id, setting.name) for config_id, setting in plan.batches]
        played = [(*batch, player) for batch in batches for player in plan.players]
        _run_stage("sample", sample_batch, chosen.root, plan.edition, batches)
        _run_stage("books", write_books_batch, chosen.root, plan.edition, batches)
        _run_stage("episodes", evaluate_batch, chosen.root, plan.edition, played)
        _run_stage("statistics", analyse_edition, chosen.root, plan.edition, [()])
        _run_stage("publish", audit_and_publish, chosen.root, plan.edition, [()])
    staging.remove()
    return plan.edition


def _author(root: str, edition: str, domains: Sequence[PlannedDomain]) -> None:
    workspace = open_workspace(root, edition)
    with progress.stage("domains", len(domains)) as advance:
        for domain in domains:
            advance(stage_domain(workspace, domain))


def _run_stage(
    name: str, batch: Batch, root: str, edition: str, parameters: Sequence[tuple[str, ...]]
) -> None:
    run = task(
        name=name,
        retries=_RETRIES,
        retry_delay_seconds=_RETRY_DELAY_S,
        retry_condition_fn=_may_pass_next_time,
        timeout_seconds=_TIMEOUT_S,
        persist_result=False,
        cache_policy=NO_CACHE,
    )(batch)
    with progress.stage(name, len(parameters)) as advance:
        for values in parameters:
            advance(run(root, edition, *values))


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
