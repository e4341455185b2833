"""The audit between writing and publishing, with Great Expectations.

A suite a table is derived from `schemas.tables`; the suite `cross_table` holds the references between
tables and the rules of `audit_rules/*.sql`, each a query for the rows that break it.
"""

import logging
import os
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from schemas.errors import AuditFailed
from schemas.table_form import Column, Table
from schemas.tables import TABLES
from warehouse.catalog import view_over_arrow

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

CROSS_TABLE = "cross_table"
_SHOWN = 5


def audit(tables: dict[str, "pyarrow.Table"]) -> list[dict[str, Any]]:
    """Return a row of table `audits` for every expectation on these staged tables."""
    validator = _Validator()
    rows: list[dict[str, Any]] = []
    for name, data in tables.items():
        rows += validator.results(name, _as_frame(data), list(table_expectations(TABLES[name])))
    connection = view_over_arrow(tables)
    for rule, sql in cross_table_rules(set(tables)).items():
        offending = _as_frame(connection.sql(sql).to_arrow_table())
        rows.append(validator.nothing_offends(rule, offending))
    connection.close()
    return rows


def require_passed(rows: list[dict[str, Any]], where: str) -> None:
    """Raise AuditFailed, naming each broken expectation and its rows, unless all critical ones held."""
    broken = [row for row in rows if not row["success"] and row["severity"] == "critical"]
    if broken:
        told = "; ".join(
            f"{row['suite']}: {row['expectation']}, broken by {row['unexpected_count']} rows, "
            f"{row['observed']}"
            for row in broken
        )
        raise AuditFailed(
            f"the audit failed, nothing was published: {told}. The staged data is kept in {where}: "
            "look at it, then remove that folder and refresh again"
        )


def table_expectations(table: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (what is expected, Great Expectations class, its arguments) for one table."""
    names = [column.name for column in table.columns]
    yield (
        f"columns are {', '.join(names)}",
        "ExpectTableColumnsToMatchOrderedList",
        {"column_list": names},
    )
    if len(table.key) == 1:
        yield f"{table.key[0]} is unique", "ExpectColumnValuesToBeUnique", {"column": table.key[0]}
    else:
        yield (
            f"({', '.join(table.key)}) is unique",
            "ExpectCompoundColumnsToBeUnique",
            {"column_list": list(table.key)},
        )
    for column in table.columns:
        yield from _column_expectations(column)


def _column_expectations(column: Column) -> Iterator[tuple[str, str, dict[str, Any]]]:
    name = column.name
    if not column.nullable:
        yield f"{name} is never NULL", "ExpectColumnValuesToNotBeNull", {"column": name}
    if column.allowed:
        yield (
            f"{name} is one of {', '.join(column.allowed)}",
            "ExpectColumnValuesToBeInSet",
            {"column": name, "value_set": list(column.allowed)},
        )
    if column.minimum is not None or column.maximum is not None:
        low = "" if column.minimum is None else f" >= {column.minimum:g}"
        high = "" if column.maximum is None else f" <= {column.maximum:g}"
        yield (
            f"{name}{low}{high}",
            "ExpectColumnValuesToBeBetween",
            {"column": name, "min_value": column.minimum, "max_value": column.maximum},
        )


def cross_table_rules(present: set[str]) -> dict[str, str]:
    """Return each rule's sentence and its query for offending rows, over the tables that are present."""
    rules = {}
    for table in TABLES.values():
        for link in table.references:
            if {table.name, link.to_table} <= present:
                rules[f"every {table.name}.{link.column} is in {link.to_table}"] = (
                    f'SELECT "{link.column}" FROM "{table.name}" '
                    f'ANTI JOIN "{link.to_table}" ON "{table.name}"."{link.column}" '
                    f'= "{link.to_table}"."{link.to_column}" '
                    f'WHERE "{table.name}"."{link.column}" IS NOT NULL'
                )
    for entry in sorted((files("warehouse") / "audit_rules").iterdir(), key=lambda file: file.name):
        if entry.name.endswith(".sql"):
            text = entry.read_text(encoding="utf-8")
            first_line = text.splitlines()[0].removeprefix("--").strip()
            rules[first_line] = text
    return rules


class _Validator:
    """Great Expectations on data frames, without its progress bars and telemetry."""

    def __init__(self) -> None:
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        # Importing it sets its own level, and Prefect shows what its loggers say.
        for name in ("great_expectations", "great_expectations.data_context.types.base"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._gx = gx
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
        source = context.data_sources.add_pandas("staging")
        self._frames = source.add_dataframe_asset("frame").add_batch_definition_whole_dataframe("whole")

    def results(
        self, suite: str, frame: "pd.DataFrame", expectations: list[tuple[str, str, dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """Validate the frame and return one audit row an expectation."""
        built = [
            getattr(self._gx.expectations, kind)(**options, meta={"sentence": sentence})
            for sentence, kind, options in expectations
        ]
        batch = self._frames.get_batch({"dataframe": frame})
        validation = batch.validate(self._gx.ExpectationSuite(name=suite, expectations=built))
        return [
            _audit_row(suite, result.expectation_config.meta["sentence"], result)
            for result in validation.results
        ]

    def nothing_offends(self, rule: str, offending: "pd.DataFrame") -> dict[str, Any]:
        """Return the audit row of a cross-table rule, from the rows that break it."""
        (row,) = self.results(CROSS_TABLE, offending, [(rule, "ExpectTableRowCountToEqual", {"value": 0})])
        examples = [
            ", ".join(str(value) for value in record)
            for record in offending.head(_SHOWN).itertuples(index=False)
        ]
        return {
            **row,
            "unexpected_count": len(offending),
            "observed": f"rows such as {'; '.join(examples)}" if examples else "no row",
        }


def _audit_row(suite: str, sentence: str, result: Any) -> dict[str, Any]:
    details = result.result or {}
    raised = result.exception_info if not result.success else {}
    unexpected = details.get("unexpected_count")
    if unexpected is None:
        unexpected = 0 if result.success else 1
    return {
        "suite": suite,
        "expectation": sentence,
        "success": bool(result.success),
        "observed": _observed(details, raised),
        "unexpected_count": int(unexpected),
        "severity": "critical",
    }


def _observed(details: dict[str, Any], raised: Any) -> str:
    if details.get("partial_unexpected_list"):
        shown = [str(value) for value in details["partial_unexpected_list"][:_SHOWN]]
        return f"values such as {', '.join(shown)}"
    if "observed_value" in details:
        return str(details["observed_value"])
    if isinstance(raised, dict) and raised.get("exception_message"):
        return str(raised["exception_message"])
    return f"{details.get('element_count', 0)} values"


def _as_frame(data: "pyarrow.Table") -> "pd.DataFrame":
    import pandas as pd

    frame: pd.DataFrame = data.to_pandas(types_mapper=pd.ArrowDtype)
    return frame
