"""The dictionary: what each table and view is, and what each of its columns means.

What a table's columns mean is in its schema. What a view's mean is in `columns.toml` beside its SQL: under
the view's name, or under [shared] for all views of that folder (in `warehouse/catalog`: of all folders).
A column without such an entry is one of a table or view that the SQL names, and means what it means there;
the entry `= table.column` says of which one, where there are several.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from perennial.schemas.table_form import DUCKDB_TYPES
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.question_views import (
    SHARED,
    in_order,
    question_of,
    question_views,
    view_names,
    view_packages,
    without_comments,
)
from perennial.warehouse.catalog.sql.confinement import quote
from perennial.warehouse.catalog.sql.table_sql import table_sql


class ColumnEntry(NamedTuple):
    """A column of a table or view: its name, DuckDB's type of it, and what it means."""

    column: str
    type: str
    description: str


def describe_relations() -> dict[str, str]:
    """Return what each table and each view is, by name: tables first."""
    tables = {table.name: f"A row is {table.row}." for table in TABLES.values()}
    return tables | {name: question_of(sql) for name, sql in question_views().items()}


def describe_columns(name: str) -> tuple[ColumnEntry, ...]:
    """Return the columns of the table or view in order; raise KeyError where one is not described."""
    if name in TABLES:
        columns = TABLES[name].file_columns
        return tuple(ColumnEntry(column.name, DUCKDB_TYPES[column.type], column.doc) for column in columns)
    return tuple(ColumnEntry(*column, column_doc(name, column[0])) for column in _view_columns()[name])


def column_doc(name: str, column: str) -> str:
    """Return what the column of the table or view means; raise KeyError where no entry says it."""
    if name in TABLES:
        return next(one.doc for one in TABLES[name].file_columns if one.name == column)
    package = next(package for package in view_packages() if name in view_names(package))
    own, shared = _entries(package), _entries(SHARED)
    for section in (own.get(name, {}), own.get("shared", {}), shared.get("shared", {})):
        if column in section:
            text = section[column]
            return column_doc(*_place(text)) if text.startswith("= ") else text
    named = set(_docs_of_named(name, column))
    if len(named) != 1:
        raise KeyError(
            f"{package}/views/columns.toml: [{name}] lacks {column}, which may be: {sorted(named)}"
        )
    return named.pop()


def relations_with(column: str) -> list[str]:
    """Return the views, then the tables, with a column of that name; those of all benchmarks first."""
    shared = view_names(SHARED)
    views = [name for name, columns in _view_columns().items() if column in dict(columns)]
    tables = [name for name, table in TABLES.items() if column in {one.name for one in table.file_columns}]
    return [*sorted(views, key=lambda name: name not in shared), *tables]


def entries_without_a_column() -> list[str]:
    """Return the entries of `columns.toml` that describe no column of their view, or of any view."""
    lost = []
    for package in view_packages():
        names = question_views() if package == SHARED else view_names(package)
        for section, entries in _entries(package).items():
            among = names if section == "shared" else (section,)
            known = {column for name in among for column, _ in _view_columns().get(name, ())}
            lost += [f"{package}: [{section}] {column}" for column in entries if column not in known]
    return lost


def comment_statements(name: str) -> Iterator[str]:
    """Yield the COMMENT ON statements of the view of that name, whose columns they describe."""
    yield f'COMMENT ON VIEW "{name}" IS {quote(describe_relations()[name])}'
    for entry in describe_columns(name):
        yield f'COMMENT ON COLUMN "{name}"."{entry.column}" IS {quote(entry.description)}'


def _docs_of_named(view: str, column: str) -> Iterator[str]:
    """Yield what the column means in each table and view that this view's SQL names."""
    for name in re.findall(r"\b(?:FROM|JOIN) (\w+)", without_comments(question_views()[view])):
        columns = TABLES[name].file_columns if name in TABLES else ()
        if column in {one.name for one in columns} | {one for one, _ in _view_columns().get(name, ())}:
            yield column_doc(name, column)


def _place(text: str) -> tuple[str, str]:
    table, column = text.removeprefix("= ").split(".")
    return table, column


@cache
def _entries(package: str) -> dict[str, dict[str, str]]:
    file = files(package) / "views" / "columns.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


@cache
def _view_columns() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return name and type of the columns of every view, by view, as DuckDB derives them from the tables'."""
    import duckdb

    views = question_views()
    with duckdb.connect(":memory:") as connection:
        for table in TABLES.values():
            connection.execute(f'CREATE VIEW "{table.name}" AS {table_sql(table, [])}')
        found = {}
        for name in in_order(views, views):
            connection.execute(f'CREATE VIEW "{name}" AS {views[name]}')
            described = connection.execute(f'DESCRIBE "{name}"').fetchall()
            found[name] = tuple((column, type_) for column, type_, *_ in described)
    return found
