"""The refresh: from domains to a published edition, stage by stage, as one Prefect flow.

A Prefect task run is one batch: a stage, a configuration, a setting and a chunk of its instances (and a
player). What is staged already is passed over, so that the same refresh goes on after any interruption.
"""

from functools import partial
from typing import Any

from prefect import flow

from flows.console import progress
from flows.refresh.plan import code_version, prepare_refresh
from flows.refresh.publish import audit_and_publish
from flows.run.choose_runner import opened_runner, root_for_workers
from flows.run.prefect_stages import Stages
from flows.stages.grow import grow
from flows.stages.leaving import before_leaving
from flows.stages.policies import Policies
from flows.stages.workspace import open_workspace
from flows.watchers.openlineage import LineageWatcher
from flows.watchers.prefect_artifacts import Artifacts
from flows.watchers.prefect_assets import AssetWatcher
from flows.watchers.watcher import Watchers
from flows.watchers.webhook import Notices
from schemas.settings import RefreshSettings, load_settings
from warehouse.ledger.ledger import ledger_file
from warehouse.ledger.place import one_ledger
from warehouse.lock.root_lock import locked_root
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


@flow(name="refresh", validate_parameters=False)
def refresh(settings: dict[str, Any]) -> str:
    """Publish the edition that these settings ask for, or finish it, and return its name.

    `settings` are those of `schemas.settings.RefreshSettings`; what is absent keeps its default.
    """
    chosen = load_settings(settings)
    notices = Notices(chosen.webhook, chosen.root, chosen.benchmark, chosen.edition, code_version())
    watchers = Watchers([LineageWatcher(chosen.openlineage_url), AssetWatcher(), Artifacts(), notices])
    what = f"refresh {chosen.edition}".rstrip()
    with (
        watchers.told_of_failure(),
        before_leaving(watchers.failed),
        locked_root(Store(chosen.root), what, progress.note),
    ):
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
        root = root_for_workers(settings.runner, settings.root)
        workspace = open_workspace(root, plan.edition)
        with opened_runner(settings.runner, settings.workers, root, plan.edition) as runner:
            stages = Stages(watchers, runner)
            with one_ledger(ledger_file(root)):
                grow(workspace, Policies.of(settings, prepared.own.inputs), stages)
        watchers.published(stages.run("publish", [partial(audit_and_publish, settings.root, plan.edition)]))
    staging.remove()
    return plan.edition
