"""Make the units of a run: from plans to a published edition and its first evaluation, of one benchmark or
of several in turn; or an evaluation of a published edition.

What is staged already is skipped, so that the same command resumes after any interruption. `execution` says
what runs the stages: Prefect (`perennial.flows.run.by_prefect`), or this process without it
(`perennial.flows.run.plain_stages`).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from perennial.flows.console import progress
from perennial.flows.refresh.plan import PreparedRefresh, settle_seed
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.refresh.several import (
    EditionOutcome,
    EditionsFailed,
    begin_run,
    end_run,
    outcome_of,
    stage_plan,
    units_of,
)
from perennial.flows.run.choose_runner import root_for_workers
from perennial.flows.run.code_version import code_version
from perennial.flows.run.plain_stages import Execution
from perennial.flows.stages.grow import OwnWork, grow
from perennial.flows.stages.model_calls import before_leaving
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.flows.watchers.openlineage import LineageWatcher
from perennial.flows.watchers.watcher import Notices, Watchers, report_failure
from perennial.schemas.errors import (
    AuditFailed,
    InstancesExhausted,
    PerennialError,
    UnsatisfiableSetting,
    UnusableBenchmark,
    UnusableConfig,
)
from perennial.schemas.plan import EvaluationPlan, Plan
from perennial.schemas.settings import RefreshSettings
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.ledger.schema import ledger_file, one_ledger
from perennial.warehouse.lineage import PUBLISH
from perennial.warehouse.lock import SETTLING_S, sole_writer
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

# Reasons of one edition; anything else would meet the next one too.
_OF_ONE_EDITION = (
    *(AuditFailed, InstancesExhausted, UnsatisfiableSetting),
    *(UnusableBenchmark, UnusableConfig),
)


def make_editions(
    all_settings: Sequence[RefreshSettings],
    prepare: Callable[[Store], Sequence[PreparedRefresh]],
    execution: Execution,
) -> list[EditionOutcome]:
    """Publish the edition that is prepared of each of these settings, and its first evaluation.

    `prepare` is called once the root is held. Of several, one that fails for a reason of its own leaves the
    others to be made: EditionsFailed is raised at the end. A limit, an endpoint that fails, an interrupt end
    the run.
    """
    store = Store(all_settings[0].root)
    watching = [_watchers_of(settings, execution) for settings in all_settings]
    what = f"refresh {', '.join(settings.edition or settings.benchmark for settings in all_settings)}"
    with _hold_root(store, what, watching):
        prepared = prepare(store)
        plans = [
            settle_seed(ready.plan, chosen.seed, store)
            for ready, chosen in zip(prepared, all_settings, strict=True)
        ]
        execution.name_run([plan.edition for plan in plans])
        begin_run(store, plans)
        outcomes = []
        for ready, chosen, plan in zip(prepared, all_settings, plans, strict=True):
            policies = Policies.read(chosen, ready.part.inputs, units_of(plans))
            started, error = time.monotonic(), None
            if len(all_settings) > 1 and not ready.published:
                progress.note(f"edition {plan.edition}:")
            try:
                _make((plan.growth, plan.evaluation), chosen, policies, watching[0], execution)
            except _OF_ONE_EDITION as failed:
                if len(all_settings) == 1:
                    raise
                error = failed
                watching[0].failed(error)
                progress.note(f"edition {plan.edition} failed: {error}")
            # Watchers of a finished edition do not hear about later failures.
            del watching[0]
            outcomes.append(outcome_of(plan, 0.0 if ready.published else time.monotonic() - started, error))
        if any(outcome.error for outcome in outcomes):
            raise EditionsFailed(outcomes)
        end_run(store, plans)
    return outcomes


def make_evaluation(chosen: RefreshSettings, plan: EvaluationPlan, execution: Execution) -> None:
    """Publish the evaluation of a published edition that is planned, or finish it."""
    store = Store(chosen.root)
    watchers = _watchers_of(chosen, execution)
    with _hold_root(store, f"evaluate {chosen.edition}", [watchers]):
        execution.name_run([plan.unit])
        stage_plan(store, plan)
        _make((plan,), chosen, Policies.read(chosen), watchers, execution)
        Staging(store, plan.unit).remove()


def _watchers_of(settings: RefreshSettings, execution: Execution) -> Watchers:
    lineage = LineageWatcher(settings.openlineage_url, scheduled_for=execution.scheduled_for())
    notices = Notices(settings.webhook, settings.root, settings.benchmark, settings.edition, code_version())
    return Watchers([lineage, notices])


@contextmanager
def _hold_root(store: Store, what: str, watching: Sequence[Watchers]) -> Iterator[None]:
    """Hold the root, which nobody else writes to meanwhile, and tell those who watch of a failure.

    A command has locked it before it starts Prefect; a run of a deployment locks it here.
    """

    def tell_failure(error: PerennialError) -> None:
        for watchers in watching:
            watchers.failed(error)

    alone = sole_writer(store, what, progress.note, SETTLING_S)
    with report_failure(watching), before_leaving(tell_failure), alone:
        yield


def _make(
    plans: Sequence[Plan],
    settings: RefreshSettings,
    policies: Policies,
    watchers: Watchers,
    execution: Execution,
) -> None:
    """Make and publish what each staged plan says, in order, but for what is published already."""
    store = Store(settings.root)
    waiting = [plan for plan in plans if not store.exists(row_file(plan.unit))]
    if not waiting:
        return
    root = root_for_workers(settings.runner, settings.root)
    with execution.open_stages(settings, waiting[0].unit, watchers) as stages, one_ledger(ledger_file(root)):
        for plan in waiting:
            stages.begin(settings.root, plan)
            grow(open_workspace(root, plan.unit), policies, stages)
            publish = partial(audit_and_publish, settings.root, plan.unit, settings.workers)
            watchers.published(stages.run(PUBLISH, [OwnWork(f"publish {plan.unit}", publish)]))
            Staging(store, plan.unit).remove()
    watchers.ended()
