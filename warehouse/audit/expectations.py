"""Three expectations of this audit that Great Expectations lacks, for its pandas engine.

Only what runs an audit imports this module: it loads Great Expectations, which takes seconds.
"""

from typing import Any, ClassVar

import pandas as pd
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.core import ExpectTableRowCountToEqual
from great_expectations.expectations.expectation import BatchExpectation, MulticolumnMapExpectation
from great_expectations.expectations.metrics.map_metric_provider import MulticolumnMapMetricProvider
from great_expectations.expectations.metrics.map_metric_provider.multicolumn_condition_partial import (
    multicolumn_condition_partial,
)
from great_expectations.render import (
    LegacyDiagnosticRendererType,
    LegacyRendererType,
    RenderedStringTemplateContent,
    RenderedTableContent,
)
from great_expectations.render.renderer.renderer import renderer

from perennial.warehouse.audit.suites import EVIDENCE_ROWS, name_type


class RenderRows:
    """Shows an expectation in Data Docs by its description, and rows that break it under their columns."""

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    def _prescriptive_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[RenderedStringTemplateContent]:
        configured = configuration or result.expectation_config
        template = {"template": "$description", "params": {"description": configured.description}}
        return [RenderedStringTemplateContent(content_block_type="string_template", string_template=template)]

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.UNEXPECTED_TABLE)
    def _diagnostic_unexpected_table_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[RenderedTableContent] | None:
        rows = result.result.get("partial_unexpected_list")
        if not rows:
            return None
        table = [["NULL" if value is None else value for value in row.values()] for row in rows]
        return [RenderedTableContent(content_block_type="table", header_row=list(rows[0]), table=table)]


class ColumnsNotNull(MulticolumnMapMetricProvider):
    """Rows in which none of the columns is NULL."""

    condition_metric_name = "multicolumn_values.not_null"
    condition_domain_keys = ("batch_id", "table", "column_list", "row_condition", "condition_parser")

    @multicolumn_condition_partial(engine=PandasExecutionEngine)
    def _pandas(cls, column_list: pd.DataFrame, **_: Any) -> "pd.Series[bool]":  # noqa: N805
        return column_list.notna().all(axis=1)


class ExpectColumnsToNotBeNull(RenderRows, MulticolumnMapExpectation):
    """No row has NULL in any of these columns: one expectation for all of a table's columns."""

    map_metric = "multicolumn_values.not_null"
    args_keys = ("column_list",)


class ExpectColumnTypes(RenderRows, BatchExpectation):
    """The columns have these types, by name; columns that are absent are another expectation's."""

    types: dict[str, str]
    metric_dependencies = ("table.column_types",)
    success_keys: ClassVar[tuple[str, ...]] = ("types",)
    args_keys = ("types",)

    def _validate(self, metrics: dict[str, Any], **_: Any) -> dict[str, Any]:
        observed = {
            column["name"]: name_type(getattr(column["type"], "pyarrow_dtype", column["type"]))
            for column in metrics["table.column_types"]
        }
        other = {
            name: observed[name] for name, type_ in self.types.items() if observed.get(name, type_) != type_
        }
        return {"success": not other, "result": {"observed_value": other or "as in the schema"}}


class ExpectRuleToHold(RenderRows, ExpectTableRowCountToEqual):
    """There is no row: the batch holds rows that break a rule, at most `EVIDENCE_ROWS` of them."""

    value: int = 0
    n_rows: int = EVIDENCE_ROWS
    metric_dependencies = ("table.row_count", "table.head")
    success_keys: ClassVar[tuple[str, ...]] = ("value", "n_rows")

    def _validate(self, metrics: dict[str, Any], **_: Any) -> dict[str, Any]:
        rows = metrics["table.row_count"]
        result: dict[str, Any] = {"observed_value": rows}
        if rows:
            result |= {
                "element_count": rows,
                "unexpected_count": rows,
                "unexpected_percent": 100.0,
                "partial_unexpected_list": metrics["table.head"].to_dict("records"),
            }
        return {"success": rows == self.value, "result": result}
