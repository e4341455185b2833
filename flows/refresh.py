"""The refresh: from domains to a published edition, stage by stage, as one Prefect flow.

A Prefect task run is one batch: a stage, a configuration, a setting and a chunk of its instances (and a
player). What is staged already is passed over, so that the same refresh goes on after any interruption.
"""

from collections.abc import Sequence
from typing import Any

from prefect import flow

from flows import progress
from flows.analyse import analyse_edition
from flows.author import configure_batch, propose_batch, stage_domain
from flows.evaluate import evaluate_batch, refuse_api_errors
from flows.planning import PlannedDomain, PreparedRefresh, prepare_refresh
from flows.release import audit_and_publish
from flows.sample import sample_batch
from flows.stages import Stages
from flows.watching import Watchers
from flows.workspace import Workspace, open_workspace
from flows.write_books import write_books_batch
from schemas.settings import RefreshSettings, load_settings
from tasks.kumo.players import PLAYERS
from warehouse.stage import Staging
from warehouse.store import Store


@flow(name="kumo-refresh", validate_parameters=False)
def refresh(settings: dict[str, Any]) -> str:
    """Publish the edition that these settings ask for, or finish it, and return its name.

    `settings` are those of `schemas.settings.RefreshSettings`; what is absent keeps its default.
    """
    chosen = load_settings(settings)
    watchers = Watchers()
    with watchers.told_of_failure():
        return _refreshed(chosen, watchers)


def _refreshed(settings: RefreshSettings, watchers: Watchers) -> str:
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    plan = prepared.plan
    staging = Staging(store, plan.edition)
    if not prepared.published:
        if not prepared.resumed:
            staging.write_plan(plan)
        watchers.refresh_started(settings.root, plan)
        watchers.published(_grown(settings, prepared, Stages(watchers)))
    staging.remove()
    return plan.edition


def _grown(settings: RefreshSettings, prepared: PreparedRefresh, stages: Stages) -> dict[str, int]:
    """Run all stages, each over its batches; return the rows that were published."""
    plan = prepared.plan
    work = (settings.root, plan.edition)
    policy = settings.call_policy()
    workspace = open_workspace(*work)
    if prepared.domains:
        _given_domains(workspace, prepared.domains)
    if plan.authoring.proposals:
        stages.run("proposals", propose_batch, [(*work, policy)])
        stages.run("configs", configure_batch, [(*work, policy)])
    batches = workspace.batches
    stages.run("sample", sample_batch, [(*work, batch) for batch in batches], spread=True)
    books = [(*work, policy, batch) for batch in batches]
    stages.run("books", write_books_batch, books, spread=not plan.authoring.writer)
    refuse_api_errors(_played(settings, workspace, stages))
    stages.run("statistics", analyse_edition, [work])
    return stages.run("publish", audit_and_publish, [work])


def _given_domains(workspace: Workspace, domains: Sequence[PlannedDomain]) -> None:
    with progress.stage("domains", len(domains)) as advance:
        for domain in domains:
            advance(stage_domain(workspace, domain))


def _played(settings: RefreshSettings, workspace: Workspace, stages: Stages) -> dict[str, int]:
    """Let all players play; return the row counts."""
    plan = workspace.plan
    shared = (settings.root, plan.edition, settings.call_policy(), settings.accept_api_errors)
    played = [(*shared, batch, player) for batch in workspace.batches for player in plan.players]
    return stages.run("episodes", evaluate_batch, played, spread=set(plan.players) <= set(PLAYERS))
