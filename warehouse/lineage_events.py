"""What OpenLineage receives of a refresh: its tables as datasets, and the events of its run and stages."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from openlineage.client.constants import __version__ as client_version
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    DatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
    column_lineage_dataset,
    dataset_type_dataset,
    dataset_version_dataset,
    documentation_dataset,
    documentation_job,
    error_message_run,
    job_type_job,
    lifecycle_state_change_dataset,
    nominal_time_run,
    output_statistics_output_dataset,
    parent_run,
    processing_engine_run,
    schema_dataset,
    set_producer,
)
from openlineage.client.uuid import generate_new_uuid

from perennial.schemas.plan import EditionPlan, Plan
from perennial.schemas.tables import TABLES
from perennial.schemas.units import split_unit
from perennial.warehouse.ledger.ledger import without_credentials
from perennial.warehouse.lineage import StageTables, column_origins


def root_namespace(root: str) -> str:
    """Return the data root as the namespace of its datasets: an absolute URL without credentials."""
    if "://" in root and not root.startswith("file://"):
        return without_credentials(root).rstrip("/")
    return f"file://{Path(root.removeprefix('file://')).absolute()}".rstrip("/")


def dataset_name(table: str) -> str:
    """Return the table's name as a dataset; its editions and evaluations are versions of it."""
    return f"tables/{table}"


class Written(NamedTuple):
    """What was written to a table: its rows and, where they are known, the bytes of its one file."""

    rows: int
    size: int | None = None


@dataclass(frozen=True, slots=True)
class UnitDatasets:
    """The datasets of one edition or evaluation in one data root; `is_first`: it is the first one there."""

    namespace: str
    unit: str
    is_first: bool = False

    def read(self, table: str, *, earlier: bool = False) -> InputDataset:
        """Return the table as a dataset that is read; of `earlier` editions: without a version."""
        return InputDataset(
            self.namespace, dataset_name(table), facets={} if earlier else self._version(table)
        )

    def to_write(self, table: str, rows: int | None = None) -> OutputDataset:
        """Return the table as a dataset that is being written, with its rows so far where they are known."""
        what = None if rows is None else Written(rows)
        return self._output(table, self._version(table), what)

    def describe_written(self, table: str, what: Written, touched: Collection[str]) -> OutputDataset:
        """Return the table as written, with all its facets; column lineage names the tables `touched`."""
        facets: dict[str, DatasetFacet] = {
            **self._version(table),
            "documentation": documentation_dataset.DocumentationDatasetFacet(
                f"A row is {TABLES[table].row}."
            ),
            "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet("TABLE"),
            "schema": _schema(table),
        }
        if lineage := self._column_lineage(table, touched):
            facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(lineage, None)
        if self.is_first:
            change = lifecycle_state_change_dataset
            facets["lifecycleStateChange"] = change.LifecycleStateChangeDatasetFacet(
                change.LifecycleStateChange.CREATE
            )
        return self._output(table, facets, what)

    def _output(self, table: str, facets: dict[str, DatasetFacet], what: Written | None) -> OutputDataset:
        counts: dict[str, OutputDatasetFacet] = {}
        if what is not None:
            counts["outputStatistics"] = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                rowCount=what.rows, size=what.size, fileCount=None if what.size is None else 1
            )
        return OutputDataset(self.namespace, dataset_name(table), facets=facets, outputFacets=counts)

    def _version(self, table: str) -> dict[str, DatasetFacet]:
        if not TABLES[table].of_editions:
            return {}
        version = self.unit if TABLES[table].of_evaluations else split_unit(self.unit)[0]
        return {"version": dataset_version_dataset.DatasetVersionDatasetFacet(version)}

    def _column_lineage(
        self, table: str, touched: Collection[str]
    ) -> dict[str, column_lineage_dataset.Fields]:
        inputs = {
            column: [
                column_lineage_dataset.InputField(
                    self.namespace,
                    dataset_name(origin.table),
                    origin.column,
                    transformations=[column_lineage_dataset.Transformation("DIRECT", origin.kind)],
                )
                for origin in origins
                if origin.table in touched
            ]
            for column, origins in column_origins(table).items()
        }
        return {column: column_lineage_dataset.Fields(fields) for column, fields in inputs.items() if fields}


def _schema(table: str) -> schema_dataset.SchemaDatasetFacet:
    fields = [
        schema_dataset.SchemaDatasetFacetFields(column.name, column.type, column.doc, index, None)
        for index, column in enumerate(TABLES[table].file_columns, start=1)
    ]
    return schema_dataset.SchemaDatasetFacet(fields)


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
    """The counts that are rows of tables; a stage may count something else beside them."""
    return {name: rows for name, rows in counts.items() if name in TABLES}


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
