"""The tables of an edition as OpenLineage datasets, with their facets."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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

from perennial.schemas.tables import TABLES
from perennial.schemas.units import split_unit
from perennial.warehouse.ledger.ledger import without_credentials
from perennial.warehouse.lineage.columns import column_origins


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
        schema_dataset.SchemaDatasetFacetFields(column.name, column.type, column.doc, place, None)
        for place, column in enumerate(TABLES[table].file_columns, start=1)
    ]
    return schema_dataset.SchemaDatasetFacet(fields)
