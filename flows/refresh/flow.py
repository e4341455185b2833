"""A refresh as one Prefect flow, from domains to a published edition and its first evaluation; and an
evaluation of a published edition as another.

A Prefect task run is one batch. What is staged already is skipped, so that the same command resumes after any
interruption.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prefect import flow

from flows.console import progress
from flows.refresh.evaluation import prepare_evaluation
from flows.refresh.plan import prepare_refresh
from flows.refresh.publish import Publishing
from flows.refresh.settle_seed import settle_seed
from flows.run.choose_runner import open_runner, root_for_workers
from flows.run.code_version import code_version
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
from schemas.plan import Plan
from schemas.settings import RefreshSettings, load_settings
from warehouse.catalog.catalog import row_file
from warehouse.ledger.ledger import ledger_file
from warehouse.ledger.place import one_ledger
from warehouse.lock.root_lock import lock_root
from warehouse.staging.staging import Staging
from warehouse.store.store import Store


@flow(name="refresh", validate_parameters=False)
def refresh(settings: dict[str, Any]) -> str:
    """Publish the edition that these settings ask for and its first evaluation; return the edition's name.

    `settings` are those of `schemas.settings.RefreshSettings`; what is absent keeps its default.
    """
    chosen = load_settings(settings)
    with _open_watchers(chosen, f"refresh {chosen.edition}".rstrip()) as watchers:
        prepared = prepare_refresh(chosen, Store(chosen.root))
        plan = settle_seed(prepared.plan, chosen.seed, Store(chosen.root))
        _make((plan.growth, plan.evaluation), chosen, prepared.own.inputs, watchers)
    return plan.edition


@flow(name="evaluate", validate_parameters=False)
def evaluate(settings: dict[str, Any], evaluation: str) -> str:
    """Publish an evaluation of the edition that the settings name, or finish it; return its whole name.

    It gets the name `evaluation`, or the next number where that is "".
    """
    chosen = load_settings(settings)
    with _open_watchers(chosen, f"evaluate {chosen.edition}") as watchers:
        plan = prepare_evaluation(chosen, Store(chosen.root), evaluation)
        _make((plan,), chosen, None, watchers)
    return plan.unit


@contextmanager
def _open_watchers(settings: RefreshSettings, what: str) -> Iterator[Watchers]:
    """Yield the watchers of work on the root, which nobody else writes to meanwhile."""
    notices = Notices(settings.webhook, settings.root, settings.benchmark, settings.edition, code_version())
    watchers = Watchers([LineageWatcher(settings.openlineage_url), AssetWatcher(), Artifacts(), notices])
    with (
        watchers.report_failure(),
        before_leaving(watchers.failed),
        lock_root(Store(settings.root), what, progress.note),
    ):
        yield watchers


def _make(plans: Sequence[Plan], settings: RefreshSettings, inputs: Any, watchers: Watchers) -> None:
    """Make and publish what each plan says, in order, but for what is published already."""
    store = Store(settings.root)
    waiting = [plan for plan in plans if not store.exists(row_file(plan.unit))]
    # The last one first: an edition that is staged has its evaluation's plan beside it.
    for plan in reversed(waiting):
        staging = Staging(store, plan.unit)
        if staging.read_plan() != plan:
            # What is staged is nothing, or of an edition whose own staging was removed.
            staging.remove()
            staging.write_plan(plan)
    if waiting:
        root = root_for_workers(settings.runner, settings.root)
        with (
            open_runner(settings.runner, settings.workers, root, waiting[0].unit) as runner,
            one_ledger(ledger_file(root)),
        ):
            stages = Stages(watchers, runner)
            for plan in waiting:
                watchers.unit_started(settings.root, plan)
                grow(open_workspace(root, plan.unit), Policies.of(settings, inputs), stages)
                publishing = Publishing(settings.root, plan.unit, settings.workers)
                watchers.published(stages.run("publish", [publishing.run]))
                Staging(store, plan.unit).remove()
        watchers.ended()
    for plan in plans:
        Staging(store, plan.unit).remove()
