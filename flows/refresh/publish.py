"""Audit what is staged, an edition or an evaluation, and, if it holds, publish it."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from perennial.flows.console import progress
from perennial.flows.console.clock import refuse_clock_set_back
from perennial.flows.console.interrupts import first_signal
from perennial.flows.refresh.planning.plan import FIRST
from perennial.flows.refresh.show_questions import show_questions
from perennial.flows.refresh.template_hashes import template_hashes
from perennial.flows.run.spread_work import spread_over
from perennial.flows.stages.completeness import require_complete
from perennial.flows.stages.compute_scale import renew_scale
from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.tables import TABLES
from perennial.schemas.units import describe_unit, evaluation_of, is_evaluation
from perennial.warehouse.audit.audit import audit, failed_validations, require_pass
from perennial.warehouse.catalog.catalog import visible_evaluations
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import publish
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.parquet import rows_as_table
from perennial.warehouse.store.store import Store

_EVIDENCE = "failed_validations.json"


def audit_and_publish(root: str, unit: str, workers: int | None = None) -> dict[str, int]:
    """Publish what is staged after its audit and return the rows of each table.

    An evaluation comes with the figures of its edition over all that are visible: a large one takes so many
    processes for them. Raises
    AuditFailed, and publishes nothing, where an expectation does not hold, and UnusableBenchmark where an
    edition's questions cannot be shown to a model; the staged data stays. Raises
    Damaged where it is not what was staged, EditionConflict where the clock was set back.
    """
    workspace = open_workspace(root, unit)
    staging, plan = workspace.staging, workspace.plan
    store = staging.store
    refuse_clock_set_back(store, datetime.now(UTC))
    with staging.scratch_folder() as folder:
        files = consolidate(staging, folder)
        # Only now: what is removed while it is read would be missed otherwise.
        require_complete(workspace)
        questions = local_questions(store, plan.edition, folder) if is_evaluation(unit) else {}
        audited = audit(files, questions, unit, plan=plan if isinstance(plan, EditionPlan) else None)
        for key in staging.done_keys():
            audited.rows.extend(staging.read_batch(key, "audits"))
        where = store.location(staging.folder)
        if evidence := failed_validations(audited):
            store.write_bytes(f"{staging.folder}/{_EVIDENCE}", evidence)
            where += f", with rows that break expectations in {_EVIDENCE}"
        require_pass(audited.rows, where)
        if isinstance(plan, EditionPlan):
            show_questions(plan, _protocol_of(store, plan.edition), files, folder)
        statistics = None
        if is_evaluation(unit):
            evaluations = visible_evaluations(store, plan.edition)
            statistics = analyse_edition(store, plan.edition, evaluations, files, spread_over(workers))
        with _end_publishing_first(unit):
            publication = publish(
                store,
                plan,
                {"validations": rows_as_table(audited.validations, TABLES["validations"])},
                audited.rows,
                created_at=datetime.now(UTC),
                files=files,
                templates=template_hashes(),
                statistics=statistics,
            )
    if is_evaluation(unit) and (trouble := renew_scale(store)):
        progress.note(trouble)
    return publication.counts | ({} if statistics is None else {"statistics": statistics.num_rows})


def _protocol_of(store: Store, edition: str) -> Mapping[str, object]:
    """Return the protocol of the evaluation that is staged with the edition, if any."""
    plan = Staging(store, evaluation_of(edition, FIRST)).read_plan()
    return plan.protocol if isinstance(plan, EvaluationPlan) else {}


@contextmanager
def _end_publishing_first(unit: str) -> Iterator[None]:
    """Let a signal that interrupts or cancels take effect after the block: what is half written is no use."""
    told = f"interrupted while {describe_unit(unit)} is being published, which is finished first"
    with first_signal(lambda: progress.note(told)) as received:
        yield
    if received:
        signal.raise_signal(received[0])


def question_tables() -> list[str]:
    """Return the names of the tables that hold an edition's questions."""
    return [name for name in TABLES if TABLES[name].kind == "questions" and name != "editions"]


def local_questions(store: Store, edition: str, folder: Path) -> dict[str, Path]:
    """Return the edition's published questions as local files by table, copied to `folder` if need be."""
    present = {name: table_file(name, edition) for name in question_tables()}
    return {
        name: store.local_file(file, folder / f"of_edition_{name}")
        for name, file in present.items()
        if store.exists(file)
    }
