"""What the rows of a table are expected to keep to: a suite of Great Expectations, derived from `schemas`.

Each expectation has its condition in SQL beside it, for tables too large for the library's pandas engine.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from perennial.schemas.table_form import Column, Table
from perennial.warehouse.catalog.sql.confinement import quote, quote_all

COLUMNS = "expect_table_columns_to_match_ordered_list"
TYPES = "expect_column_types"
NOT_NULL = "expect_columns_to_not_be_null"
RULE = "expect_rule_to_hold"
EVIDENCE_ROWS = 20


@dataclass(frozen=True, slots=True)
class TableExpectation:
    """One expectation of a suite: a sentence, its class in Great Expectations and the arguments of that.

    `broken` is the condition, in SQL, of the rows that break it; "" where no row does.
    """

    sentence: str
    type: str
    arguments: dict[str, Any] = field(default_factory=dict)
    broken: str = ""


def table_suite(table: Table) -> list[TableExpectation]:
    """Return the suite of a published table: columns, types, NULL, key, and each column's values."""
    columns = [column.name for column in table.file_columns]
    types = {column.name: column.type for column in table.file_columns}
    filled = [column.name for column in table.file_columns if not column.nullable]
    suite = [
        TableExpectation(f"columns are {', '.join(columns)}", COLUMNS, {"column_list": columns}),
        TableExpectation("each column has the type that the schema names", TYPES, {"types": types}),
        TableExpectation(
            f"{', '.join(filled)} {'is' if len(filled) == 1 else 'are'} never NULL",
            NOT_NULL,
            {"column_list": filled},
            " OR ".join(f'"{name}" IS NULL' for name in filled),
        ),
        _unique_key(table),
    ]
    for column in table.columns:
        suite += _column_expectations(column)
    return suite


def rule_suite(sentence: str) -> list[TableExpectation]:
    """Return the suite of the rows that break a rule: there is none."""
    return [TableExpectation(sentence, RULE)]


def _unique_key(table: Table) -> TableExpectation:
    listed = ", ".join(f'"{name}"' for name in table.key)
    broken = f'({listed}) IN (SELECT ({listed}) FROM "{table.name}" GROUP BY {listed} HAVING count(*) > 1)'
    if len(table.key) == 1:
        (name,) = table.key
        kind = "expect_column_values_to_be_unique"
        return TableExpectation(f"{name} is unique", kind, {"column": name}, broken)
    kind, arguments = "expect_compound_columns_to_be_unique", {"column_list": list(table.key)}
    return TableExpectation(f"({', '.join(table.key)}) is unique", kind, arguments, broken)


def _column_expectations(column: Column) -> Iterator[TableExpectation]:
    name, quoted = column.name, f'"{column.name}"'
    if column.allowed:
        yield TableExpectation(
            f"{name} is one of {', '.join(column.allowed)}",
            "expect_column_values_to_be_in_set",
            {"column": name, "value_set": list(column.allowed)},
            f"{quoted} NOT IN ({quote_all(column.allowed)})",
        )
    if column.pattern:
        yield TableExpectation(
            f"{name} matches {column.pattern}",
            "expect_column_values_to_match_regex",
            {"column": name, "regex": f"^(?:{column.pattern})$"},
            f"NOT regexp_full_match({quoted}, {quote(column.pattern)})",
        )
    if column.minimum is not None or column.maximum is not None:
        bounds = {"min_value": column.minimum, "max_value": column.maximum}
        low = "" if column.minimum is None else f" >= {column.minimum:g}"
        high = "" if column.maximum is None else f" <= {column.maximum:g}"
        within = [f"{quoted}{bound}" for bound in (low, high) if bound]
        # DuckDB holds what is not a number for larger than any.
        number = [f"NOT isnan({quoted})"] if column.type == "float64" else []
        yield TableExpectation(
            f"{name}{low}{high}",
            "expect_column_values_to_be_between",
            {"column": name, **{key: value for key, value in bounds.items() if value is not None}},
            f"NOT ({' AND '.join(within + number)})",
        )
