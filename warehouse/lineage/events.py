"""The OpenLineage events of one refresh: its own run, and one of each stage below it.

Nothing is read or sent here: each method returns the event of what just happened.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from openlineage.client.constants import __version__ as client_version
from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    documentation_job,
    error_message_run,
    job_type_job,
    nominal_time_run,
    parent_run,
    processing_engine_run,
    set_producer,
)
from openlineage.client.uuid import generate_new_uuid

from perennial.schemas.plan import EditionPlan, Plan
from perennial.schemas.tables import TABLES
from perennial.warehouse.lineage.datasets import UnitDatasets, Written, root_namespace
from perennial.warehouse.lineage.jobs import StageTables

_NAMESPACE = "perennial"
_GROWN = "Grows one edition of the benchmark, from its domains to its published tables."
_EVALUATED = "Lets players answer the questions of one edition, and publishes their answers."


class RefreshEvents:
    """Makes the events of one edition or evaluation, made in these stages, in the order of what happens.

    `scheduled_for`: when a schedule wanted it to run; None for one that was started by hand. `has_scores`:
    the data root holds scores of other benchmarks, which the statistics read. `is_first_evaluation`: the data
    root holds no evaluation yet.
    """

    def __init__(
        self,
        root: str,
        plan: Plan,
        stages: Sequence[StageTables],
        *,
        scheduled_for: datetime | None = None,
        has_scores: bool = False,
        is_first_evaluation: bool = False,
    ) -> None:
        set_producer(f"pkg:generic/perennial-bench@{plan.code_version}")
        self.run_id = str(generate_new_uuid())
        self._stages = {stage.name: stage for stage in stages}
        if isinstance(plan, EditionPlan):
            name, doc, self._row = "refresh", _GROWN, "editions"
            self._has_earlier = bool(plan.known_editions)
            is_first = not self._has_earlier
        else:
            name, doc, self._row = "evaluate", _EVALUATED, "evaluations"
            self._has_earlier, is_first = False, is_first_evaluation
        self._whole = StageTables(name, doc)
        self._datasets = UnitDatasets(root_namespace(root), plan.unit, is_first)
        self._absent = set() if has_scores else {"external_scores"}
        engine = processing_engine_run.ProcessingEngineRunFacet(plan.code_version, _NAMESPACE, client_version)
        self._facets: dict[str, RunFacet] = {"processing_engine": engine}
        self._scheduled_for = scheduled_for
        self._stage = self._whole  # between two stages, the whole itself
        self._stage_run = self.run_id
        self._rows: dict[StageTables, Counter[str]] = {self._whole: Counter()}
        self._described: set[str] = set()  # tables whose column lineage a stage has reported

    def refresh_started(self) -> RunEvent:
        """Return the START of the refresh."""
        return self._event(RunState.START, self._whole, [])

    def stage_started(self, name: str) -> RunEvent:
        """Return the START of a stage, which the next events belong to."""
        stage = self._stage = self._stages[name]
        self._stage_run = str(generate_new_uuid())
        self._rows[stage] = Counter()
        return self._event(
            RunState.START, stage, [self._datasets.to_write(t) for t in stage.list_written(())]
        )

    def batch_done(self, counts: Mapping[str, int]) -> RunEvent:
        """Count the rows of one more batch and return RUNNING of the stage with its rows so far."""
        self._rows[self._stage].update(_of_tables(counts))
        return self._event(RunState.RUNNING, self._stage, self._so_far(self._stage))

    def stage_done(self, counts: Mapping[str, int]) -> list[RunEvent]:
        """Return COMPLETE of the stage with these rows by table, and RUNNING of the refresh.

        What publishes counts all rows of the edition; RUNNING does not come after it, but `published`.
        """
        stage, self._stage = self._stage, self._whole
        writes = stage.list_written(_of_tables(counts))
        publishes = self._row in writes
        rows = {table: counts.get(table, 0) for table in writes} | ({self._row: 1} if publishes else {})
        touched = {*stage.reads, *writes} - self._absent
        outputs = [self._datasets.describe_written(table, Written(rows[table]), touched) for table in writes]
        done = self._event(RunState.COMPLETE, stage, outputs)
        self._described.update(writes)
        if publishes:
            return [done]
        self._rows[self._whole].update(rows)
        return [done, self._event(RunState.RUNNING, self._whole, self._so_far(self._whole))]

    def complete(self, tables: Mapping[str, Written]) -> RunEvent:
        """Return COMPLETE of the refresh with all tables of the edition."""
        # Stages report column lineage; here it is reported of those tables only that no stage wrote.
        rest = {table for table, what in tables.items() if what.rows and table not in self._described}
        outputs = [
            self._datasets.describe_written(table, tables[table], rest if table in rest else ())
            for table in TABLES
            if table in tables
        ]
        return self._event(RunState.COMPLETE, self._whole, outputs)

    def end(self, message: str | None) -> list[RunEvent]:
        """Return FAIL with the message, or ABORT without one, of the stage at work and of the refresh."""
        state = RunState.ABORT if message is None else RunState.FAIL
        if message is not None:
            self._facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(message, "PYTHON")
        jobs = dict.fromkeys((self._stage, self._whole))
        return [self._event(state, job, self._so_far(job)) for job in jobs]

    def _so_far(self, job: StageTables) -> list[OutputDataset]:
        rows = self._rows[job]
        return [self._datasets.to_write(name, rows[name]) for name in job.list_written(rows) if name in rows]

    def _event(self, state: RunState, job: StageTables, outputs: list[OutputDataset]) -> RunEvent:
        facets, is_stage = dict(self._facets), job is not self._whole
        if is_stage:
            facets["parent"] = self._parent()
        elif self._scheduled_for is not None:
            facets["nominalTime"] = nominal_time_run.NominalTimeRunFacet(_time(self._scheduled_for))
        inputs = [self._datasets.read(table) for table in job.reads if table not in self._absent]
        if self._has_earlier:
            inputs += [self._datasets.read(table, earlier=True) for table in job.earlier]
        job_facets: dict[str, JobFacet] = {
            "documentation": documentation_job.DocumentationJobFacet(job.doc),
            "jobType": job_type_job.JobTypeJobFacet("BATCH", "PERENNIAL", "TASK" if is_stage else "FLOW"),
        }
        return RunEvent(
            eventType=state,
            eventTime=_time(datetime.now(UTC)),
            run=Run(self._stage_run if is_stage else self.run_id, facets),
            job=Job(_NAMESPACE, f"{self._whole.name}.{job.name}" if is_stage else job.name, job_facets),
            inputs=inputs,
            outputs=outputs,
        )

    def _parent(self) -> parent_run.ParentRunFacet:
        run, job = parent_run.Run(self.run_id), parent_run.Job(_NAMESPACE, self._whole.name)
        root = parent_run.RootRun(self.run_id), parent_run.RootJob(_NAMESPACE, self._whole.name)
        return parent_run.ParentRunFacet(run, job, parent_run.Root(*root))


def _of_tables(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts that are rows of tables; a stage may count something else beside them."""
    return {name: rows for name, rows in counts.items() if name in TABLES}


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
