"""The OpenLineage events of one refresh: its own run, and one of each stage below it.

Nothing is read or sent here: each method returns the event of what just happened.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from openlineage.client.constants import __version__ as client_version
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
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

from schemas.plan import RefreshPlan
from schemas.tables import TABLES
from warehouse.lineage.datasets import EditionDatasets, Written, root_namespace
from warehouse.lineage.jobs import REFRESH, REFRESH_DOC, stage_tables, written_tables

NAMESPACE = "perennial"
_SCORES = "external_scores"
_EDITIONS = "editions"  # an edition adds one row to it, which no stage counts


class RefreshEvents:
    """Makes the events of one refresh, in the order in which it is told of it.

    `scheduled_for`: when a schedule wanted it to run; None for one that was started by hand. `has_scores`:
    the data root holds scores of other benchmarks, which the statistics read.
    """

    def __init__(
        self,
        root: str,
        plan: RefreshPlan,
        *,
        scheduled_for: datetime | None = None,
        has_scores: bool = False,
    ) -> None:
        self.run_id: UUID = generate_new_uuid()
        self._producer = f"pkg:generic/perennial-bench@{plan.code_version}"
        set_producer(self._producer)
        self._engine = processing_engine_run.ProcessingEngineRunFacet(
            version=plan.code_version, name=NAMESPACE, openlineageAdapterVersion=client_version
        )
        self._datasets = EditionDatasets(root_namespace(root), plan.edition, is_first=not plan.known_editions)
        self._has_earlier = bool(plan.known_editions)
        self._has_scores = has_scores
        self._scheduled_for = scheduled_for
        self._stage = ""
        self._stage_run = generate_new_uuid()
        self._told: set[str] = set()
        self._rows: Counter[str] = Counter()
        self._stage_rows: Counter[str] = Counter()

    def refresh_started(self) -> RunEvent:
        """Return the START of the refresh."""
        return self._refresh(RunState.START)

    def stage_started(self, stage: str) -> RunEvent:
        """Return the START of a stage, which the next events belong to."""
        self._stage = stage
        self._stage_run = generate_new_uuid()
        self._stage_rows = Counter()
        return self._of_stage(RunState.START, [self._datasets.to_write(name) for name in self._writes()])

    def batch_done(self, counts: Mapping[str, int]) -> RunEvent:
        """Count the rows of one more batch and return RUNNING of the stage with its rows so far."""
        self._stage_rows.update(_of_tables(counts))
        return self._of_stage(RunState.RUNNING, self._stage_so_far())

    def stage_done(self, counts: Mapping[str, int]) -> list[RunEvent]:
        """Return COMPLETE of the stage with these rows by table, and RUNNING of the refresh.

        What publishes counts all rows of the edition; RUNNING does not come after it, but `published`.
        """
        self._stage_rows = Counter(_of_tables(counts))
        writes = self._writes()
        publishes = _EDITIONS in writes
        if publishes:
            self._stage_rows[_EDITIONS] = 1
        touched = {*self._reads(), *writes}
        outputs = [self._datasets.written(name, Written(self._stage_rows[name]), touched) for name in writes]
        done = self._of_stage(RunState.COMPLETE, outputs)
        self._stage = ""
        self._told.update(writes)
        if publishes:
            return [done]
        self._rows.update({name: self._stage_rows[name] for name in writes})
        return [done, self._refresh(RunState.RUNNING, self._so_far(self._rows))]

    def published(self, tables: Mapping[str, Written]) -> RunEvent:
        """Return COMPLETE of the refresh with all tables of the edition."""
        # Column lineage is told by the stages, here only of what none of them has told.
        rest = {name for name, what in tables.items() if what.rows and name not in self._told}
        outputs = [
            self._datasets.written(name, tables[name], rest if name in rest else ())
            for name in TABLES
            if name in tables
        ]
        return self._refresh(RunState.COMPLETE, outputs)

    def ended(self, message: str | None) -> list[RunEvent]:
        """Return FAIL with the message, or ABORT without one, of the stage at work and of the refresh."""
        state = RunState.ABORT if message is None else RunState.FAIL
        facets: dict[str, RunFacet] = {}
        if message is not None:
            facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(
                message=message, programmingLanguage="PYTHON"
            )
        events = [self._of_stage(state, self._stage_so_far(), facets)] if self._stage else []
        return [*events, self._refresh(state, self._so_far(self._rows), facets)]

    def _writes(self) -> tuple[str, ...]:
        return written_tables(self._stage, self._stage_rows)

    def _reads(self) -> tuple[str, ...]:
        reads = stage_tables(self._stage).reads
        return (*reads, _SCORES) if self._stage == "statistics" and self._has_scores else reads

    def _stage_so_far(self) -> list[OutputDataset]:
        rows = {name: self._stage_rows[name] for name in self._writes() if name in self._stage_rows}
        return self._so_far(rows)

    def _so_far(self, rows: Mapping[str, int]) -> list[OutputDataset]:
        return [self._datasets.to_write(name, rows[name]) for name in TABLES if name in rows]

    def _of_stage(
        self, state: RunState, outputs: list[OutputDataset], facets: Mapping[str, RunFacet] | None = None
    ) -> RunEvent:
        inputs = [self._datasets.read(name) for name in self._reads()]
        known = stage_tables(self._stage)
        if self._has_earlier:
            inputs += [self._datasets.read(name, earlier=True) for name in known.earlier]
        refresh = parent_run.Run(str(self.run_id)), parent_run.Job(NAMESPACE, REFRESH)
        top = parent_run.Root(parent_run.RootRun(str(self.run_id)), parent_run.RootJob(NAMESPACE, REFRESH))
        run = Run(
            str(self._stage_run),
            {
                "parent": parent_run.ParentRunFacet(*refresh, root=top),
                "processing_engine": self._engine,
                **(facets or {}),
            },
        )
        job = Job(NAMESPACE, f"{REFRESH}.{self._stage}", _job_facets(known.doc, "TASK"))
        return self._event(state, run, job, inputs, outputs)

    def _refresh(
        self,
        state: RunState,
        outputs: Iterable[OutputDataset] = (),
        facets: Mapping[str, RunFacet] | None = None,
    ) -> RunEvent:
        every: dict[str, RunFacet] = {"processing_engine": self._engine, **(facets or {})}
        if self._scheduled_for is not None:
            every["nominalTime"] = nominal_time_run.NominalTimeRunFacet(_time(self._scheduled_for))
        job = Job(NAMESPACE, REFRESH, _job_facets(REFRESH_DOC, "FLOW"))
        return self._event(state, Run(str(self.run_id), every), job, [], list(outputs))

    def _event(
        self,
        state: RunState,
        run: Run,
        job: Job,
        inputs: list[InputDataset],
        outputs: list[OutputDataset],
    ) -> RunEvent:
        return RunEvent(
            eventType=state,
            eventTime=_time(datetime.now(UTC)),
            producer=self._producer,
            run=run,
            job=job,
            inputs=inputs,
            outputs=outputs,
        )


def _of_tables(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts that are rows of tables; a stage may count something else beside them."""
    return {name: rows for name, rows in counts.items() if name in TABLES}


def _job_facets(doc: str, kind: str) -> dict[str, JobFacet]:
    return {
        "documentation": documentation_job.DocumentationJobFacet(description=doc),
        "jobType": job_type_job.JobTypeJobFacet(
            processingType="BATCH", integration="PERENNIAL", jobType=kind
        ),
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
