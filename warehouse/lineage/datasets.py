"""The tables of an edition as OpenLineage datasets, with their facets."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    DatasetFacet,
    OutputDatasetFacet,
    column_lineage_dataset,
    dataset_type_dataset,
    dataset_version_dataset,
    documentation_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    schema_dataset,
)

from schemas.tables import TABLES
from warehouse.ledger.ledger import without_credentials
from warehouse.lineage.columns import Origin, column_origins


def root_namespace(root: str) -> str:
    """Return the data root as the namespace of its datasets: an absolute URL without credentials."""
    if "://" in root and not root.startswith("file://"):
        return without_credentials(root).rstrip("/")
    return f"file://{Path(root.removeprefix('file://')).absolute()}".rstrip("/")


def dataset_name(table: str) -> str:
    """Return the table's name as a dataset; its editions are versions of it."""
    return f"tables/{table}"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written to a table: its rows and, where they are known, the bytes of its one file."""

    rows: int
    size: int | None = None


@dataclass(frozen=True, slots=True)
class EditionDatasets:
    """The datasets of one edition in one data root; `is_first`: no edition was published there before."""

    namespace: str
    edition: str
    is_first: bool = False

    def read(self, table: str, *, earlier: bool = False) -> InputDataset:
        """Return the table as a dataset that is read; of `earlier` editions: without a version."""
        facets = {} if earlier else self._version(table)
        return InputDataset(self.namespace, dataset_name(table), facets={**facets})

    def to_write(self, table: str, rows: int | None = None) -> OutputDataset:
        """Return the table as a dataset that is being written, with its rows so far where they are known."""
        statistics = {} if rows is None else _statistics(Written(rows))
        return OutputDataset(
            self.namespace, dataset_name(table), facets={**self._version(table)}, outputFacets=statistics
        )

    def written(self, table: str, what: Written, touched: Collection[str]) -> OutputDataset:
        """Return the table as a dataset that was written, with all its facets.

        Column lineage is told from the tables that the job touched.
        """
        facets: dict[str, DatasetFacet] = {
            **self._version(table),
            "documentation": documentation_dataset.DocumentationDatasetFacet(
                description=f"A row is {TABLES[table].row}."
            ),
            "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet(datasetType="TABLE"),
            "schema": _schema(table),
        }
        lineage = self._column_lineage(table, touched)
        if lineage:
            facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(
                fields=lineage, dataset=None
            )
        if self.is_first:
            facets["lifecycleStateChange"] = _created()
        return OutputDataset(
            self.namespace, dataset_name(table), facets=facets, outputFacets=_statistics(what)
        )

    def _version(self, table: str) -> dict[str, DatasetFacet]:
        if not TABLES[table].of_editions:
            return {}
        return {"version": dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=self.edition)}

    def _column_lineage(
        self, table: str, touched: Collection[str]
    ) -> dict[str, column_lineage_dataset.Fields]:
        fields = {}
        for column, origins in column_origins(table).items():
            inputs = [self._input_field(origin) for origin in origins if origin.table in touched]
            if inputs:
                fields[column] = column_lineage_dataset.Fields(inputFields=inputs)
        return fields

    def _input_field(self, origin: Origin) -> column_lineage_dataset.InputField:
        made = column_lineage_dataset.Transformation(type="DIRECT", subtype=origin.kind)
        return column_lineage_dataset.InputField(
            self.namespace, dataset_name(origin.table), origin.column, transformations=[made]
        )


def _schema(table: str) -> schema_dataset.SchemaDatasetFacet:
    columns = [
        schema_dataset.SchemaDatasetFacetFields(
            column.name, column.type, column.doc, ordinal_position=place, fields=None
        )
        for place, column in enumerate(TABLES[table].columns, start=1)
    ]
    return schema_dataset.SchemaDatasetFacet(fields=columns)


def _statistics(what: Written) -> dict[str, OutputDatasetFacet]:
    return {
        "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
            rowCount=what.rows, size=what.size, fileCount=None if what.size is None else 1
        )
    }


def _created() -> lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet:
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        lifecycleStateChange=lifecycle_state_change_dataset.LifecycleStateChange.CREATE
    )
