"""The refresh: from domains to a published edition, stage by stage, as one Prefect flow.

A Prefect task run is one batch: a stage, a configuration, a setting and a chunk of its instances (and a
player). What is staged already is passed over, so that the same refresh goes on after any interruption.
"""

from typing import Any

from prefect import flow

from flows.growing import Policies, grow
from flows.planning import prepare_refresh
from flows.release import audit_and_publish
from flows.stages import Stages
from flows.watching import Watchers
from flows.workspace import open_workspace
from schemas.settings import RefreshSettings, load_settings
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
        stages = Stages(watchers)
        workspace = open_workspace(settings.root, plan.edition)
        grow(workspace, prepared.domains, Policies.of(settings), stages)
        watchers.published(stages.run("publish", audit_and_publish, [(settings.root, plan.edition)]))
    staging.remove()
    return plan.edition
