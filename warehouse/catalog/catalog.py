"""Read what is published with DuckDB: one view a table, one view an analyst's question.

A catalog is a snapshot: which editions and evaluations are visible is looked up once, when it is opened, and
only their files are named in its views. What is published, withdrawn or analysed meanwhile is not seen, whole
or in part. No file that a view may name is ever written a second time: DuckDB opens a file more than once
in a query, and would read the head of one and the rows of another.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from schemas.errors import QueryFailed, QueryTimedOut, UnreadableInput, in_one_line, shorten
from schemas.table_form import Table
from schemas.tables import TABLES
from schemas.units import evaluation_of, is_evaluation, split_unit
from warehouse.catalog.confinement import Setting, check_statement, confine, without_order
from warehouse.catalog.dictionary import comment_statements
from warehouse.catalog.external_scores import score_files
from warehouse.catalog.later_statistics import analysis_of
from warehouse.catalog.question_views import in_order, question_views, words_of
from warehouse.catalog.table_sql import table_sql
from warehouse.catalog.withdrawals import withdrawn_units
from warehouse.store.duckdb_files import let_duckdb_read
from warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb
    import pyarrow

Result = TypeVar("Result")

PART = "part-0"  # what an edition itself publishes; evaluations have names of their own
FORMAT = 5  # of data roots; raised when tables change so that other versions would err
_ROWS_AT_ONCE = 256
# What SQL that shows which views there are begins a word with.
_LISTING = ("show", "describe", "query_table", "information_schema", "duckdb_", "pragma_", "sqlite_", "pg_")


def table_file(table: str, unit: str) -> str:
    """Return the name of the table's file of that edition or evaluation, relative to the data root."""
    edition, name = split_unit(unit)
    return f"tables/{table}/edition={edition}/{name or PART}.parquet"


def row_file(unit: str) -> str:
    """Return the name of the file whose presence publishes the edition or evaluation."""
    return table_file("evaluations" if is_evaluation(unit) else "editions", unit)


def published_editions(store: Store) -> tuple[str, ...]:
    """Return the names of all published editions, sorted: those that have their row in `editions`.

    Withdrawn ones are among them: their names stay taken, and their instances are never issued again.
    """
    _refuse_other_format(store)
    found = _names_of_editions(store, "editions")
    return tuple(edition for edition in found if store.exists(row_file(edition)))


def published_evaluations(store: Store, edition: str) -> tuple[str, ...]:
    """Return all published evaluations of the edition, `EDITION@NAME`, withdrawn ones included, in order."""
    names = [name for name in store.names(f"tables/evaluations/edition={edition}") if name[0] != "."]
    stems = (name.removesuffix(".parquet") for name in names if name.endswith(".parquet"))
    return tuple(evaluation_of(edition, stem) for stem in sorted(stems, key=_by_number))


def published_units(store: Store) -> tuple[str, ...]:
    """Return all published editions, each followed by its evaluations; withdrawn ones are among them."""
    editions = {*published_editions(store), *_names_of_editions(store, "evaluations")}
    return tuple(
        unit
        for edition in sorted(editions)
        for unit in (edition, *published_evaluations(store, edition))
        if is_evaluation(unit) or store.exists(row_file(unit))
    )


def visible_units(store: Store) -> tuple[str, ...]:
    """Return the editions that readers see, each followed by its evaluations: all that are not withdrawn."""
    withdrawn = withdrawn_units(store)
    editions = [edition for edition in published_editions(store) if edition not in withdrawn]
    units = (unit for edition in editions for unit in (edition, *published_evaluations(store, edition)))
    return tuple(unit for unit in units if unit not in withdrawn)


def visible_editions(store: Store) -> tuple[str, ...]:
    """Return the names of the published editions that readers see, sorted."""
    return tuple(unit for unit in visible_units(store) if not is_evaluation(unit))


def visible_evaluations(store: Store, edition: str) -> tuple[str, ...]:
    """Return the evaluations of the edition that are not withdrawn, in order."""
    withdrawn = withdrawn_units(store)
    return tuple(unit for unit in published_evaluations(store, edition) if unit not in withdrawn)


def _names_of_editions(store: Store, table: str) -> list[str]:
    folders = [name for name in store.names(f"tables/{table}") if name.startswith("edition=")]
    return [name.removeprefix("edition=") for name in folders]


def _by_number(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


def _refuse_other_format(store: Store) -> None:
    """Raise UnreadableInput for a data root of another format: one manifest tells for all."""
    name = next((name for name in store.names("manifests") if name.endswith(".json")), None)
    try:
        found = FORMAT if name is None else json.loads(store.read_bytes(f"manifests/{name}"))["format"]
    except (ValueError, KeyError, TypeError):
        return  # `perennial verify` names what is damaged.
    if found != FORMAT:
        raise UnreadableInput(
            f"the data root {store.root!r} was written in format {found!r} by another version of perennial, "
            f"expected format {FORMAT}: name another --root, or read it with the version that wrote it"
        )


@dataclass(frozen=True)
class Catalog:
    """An open snapshot of a data root: DuckDB in memory, and the SQL of each table and view by name.

    Its queries read the snapshot's tables and nothing else, and change nothing (see `confinement`). A view is
    created when a query may name it: DuckDB reads the files of each one that it creates.
    """

    _connection: "duckdb.DuckDBPyConnection"
    units: tuple[str, ...]
    _views: dict[str, str]
    _limit_s: float = inf
    _created: set[str] = field(default_factory=set)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    @property
    def editions(self) -> tuple[str, ...]:
        """The editions that it shows."""
        return tuple(unit for unit in self.units if not is_evaluation(unit))

    def connect(self, names: Iterable[str]) -> "duckdb.DuckDBPyConnection":
        """Return DuckDB with these tables and views, and what those need."""
        self._create(names)
        return self._connection

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return column names and rows of the SQL; raise what `stream` raises."""
        names, rows = self.stream(sql)
        return names, list(rows)

    def stream(self, sql: str, at_most: int | None = None) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Return column names and rows of the SQL; rows are read while they are asked for.

        The next query ends them. DuckDB gets `at_most` as the limit, so that it sorts no other rows.

        Raises QueryFailed, with DuckDB's words, for SQL that is wrong or that does more than read;
        QueryTimedOut past the time that the catalog was opened with; KeyboardInterrupt on Ctrl-C.
        """
        deadline = monotonic() + self._limit_s
        # A damaged file is no fault of the SQL.
        self._create_views_for(sql)
        with _errors_in_one_line(sql):
            checked = check_statement(self._connection, sql)
            if at_most is None or checked.startswith("EXPLAIN"):
                result = self._stop_at_ctrl_c(lambda: self._connection.execute(checked))
                names = [column[0] for column in result.description or []]
            else:
                # Its own names: those of a subquery are made different.
                names = self._connection.sql(checked).columns
                limited = f"FROM (\n{checked}\n) LIMIT {at_most}"
                result = self._stop_at_ctrl_c(lambda: self._connection.execute(limited))
            return names, self._rows(result, sql, deadline)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Close the database and end its thread after the block."""
        try:
            yield
        finally:
            self._thread.shutdown()
            self._connection.close()

    def count(self, sql: str) -> int:
        """Return the number of rows of the SQL, without reading them; raise what `stream` raises."""
        self._create_views_for(sql)
        with _errors_in_one_line(sql):
            checked = check_statement(self._connection, sql)
            relation = self._connection.sql(without_order(self._connection, checked))
            counted = relation.aggregate("count(*)")
            return int(self._stop_at_ctrl_c(counted.fetchall)[0][0])

    def script(self, sql: str = "") -> str:
        """Return SQL that makes all tables and views in any DuckDB, with comments, and then runs this SQL."""
        made = (
            f'CREATE OR REPLACE VIEW "{name}" AS {self._views[name]}'
            for name in in_order(self._views, self._views)
        )
        commented = (line for name in self._views for line in comment_statements(name))
        statements = ("SET TimeZone = 'UTC'", *made, *commented, *([sql] if sql.strip() else []))
        # A statement may end in a comment: the semicolon is on a line of its own.
        return "".join(f"{statement.rstrip().rstrip(';')}\n;\n" for statement in statements)

    def _create_views_for(self, sql: str) -> None:
        """Create the views that the SQL may name: all where it lists views, with their comments."""
        words = words_of(sql)
        lists_views = any(word.startswith(_LISTING) for word in words)
        self._create(self._views if lists_views else words)
        if any(word.startswith("duckdb_") for word in words):
            for statement in (line for name in self._views for line in comment_statements(name)):
                self._connection.execute(statement)

    def _create(self, names: Iterable[str]) -> None:
        for name in in_order(names, self._views):
            if name not in self._created:
                self._connection.execute(f'CREATE VIEW "{name}" AS {self._views[name]}')
                self._created.add(name)

    def _rows(
        self, result: "duckdb.DuckDBPyConnection", sql: str, deadline: float
    ) -> Iterator[tuple[Any, ...]]:
        while True:
            # DuckDB stops what takes long, but may hand out rows that are there beyond its own limit.
            if monotonic() > deadline:
                raise _past_its_time(sql)
            with _errors_in_one_line(sql):
                rows = self._stop_at_ctrl_c(lambda: result.fetchmany(_ROWS_AT_ONCE))
            if not rows:
                return
            yield from rows

    def _stop_at_ctrl_c(self, work: Callable[[], Result]) -> Result:
        """Return what DuckDB's work returns, from a thread of its own, as it may read no signal meanwhile."""
        ended = self._thread.submit(work)
        try:
            return ended.result()
        except KeyboardInterrupt:
            self._connection.interrupt()
            wait([ended])
            raise


def open_catalog(
    store: Store, units: tuple[str, ...] | None = None, settings: Mapping[str, Setting] | None = None
) -> Catalog:
    """Open a snapshot of these editions and evaluations, by default the visible ones.

    `settings` are DuckDB's, by name; once the catalog is open none can be changed.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    # Times are shown as they are kept, wherever the reader sits.
    connection.execute("SET TimeZone = 'UTC'")
    units = visible_units(store) if units is None else units
    names = {table.name: _files_of(store, table, units) for table in TABLES.values()}
    let_duckdb_read(connection, store)
    views = {
        table.name: table_sql(table, [store.location(name) for name in names[table.name]])
        for table in TABLES.values()
    }
    confine(connection, [store.location(name) for of in names.values() for name in of], settings or {})
    limit_ms = (settings or {}).get("max_execution_time")
    limit_s = inf if limit_ms is None else float(limit_ms) / 1000
    return Catalog(connection, units, {**views, **question_views()}, limit_s)


def view_over_arrow(tables: dict[str, "pyarrow.Table"]) -> "duckdb.DuckDBPyConnection":
    """Return a connection in which the given Arrow tables have their names."""
    import duckdb

    connection = duckdb.connect(":memory:")
    for name, table in tables.items():
        connection.register(name, table)
    return connection


def _files_of(store: Store, table: Table, units: Sequence[str]) -> list[str]:
    """Return the names of the files that hold the table in these units, relative to the data root."""
    if table.kind == "root":
        return score_files(store)
    if table.kind == "analysis":
        found = (analysis_of(store, edition, units) for edition in units if not is_evaluation(edition))
        return [name for name in found if name]
    holders = {True: ("answers", "either"), False: ("questions", "either")}
    files = [table_file(table.name, unit) for unit in units if table.kind in holders[is_evaluation(unit)]]
    return [file for file in files if store.exists(file)]


@contextmanager
def _errors_in_one_line(sql: str) -> Iterator[None]:
    """Turn what DuckDB raises for the SQL into an error of one line, and its word of Ctrl-C into Ctrl-C."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        if "maximum execution time" not in str(error):
            raise KeyboardInterrupt from None
        raise _past_its_time(sql) from None
    except duckdb.OutOfMemoryException as error:
        (reason, *_) = str(error).splitlines()
        raise QueryFailed(
            f"{_name(sql)} needs more memory than allowed ({reason}): ask for fewer columns "
            "or rows, or raise --memory-limit"
        ) from None
    except duckdb.Error as error:
        raise QueryFailed(_in_one_line(error, sql)) from None
    except RuntimeError as error:
        if "interrupted" in str(error):
            raise KeyboardInterrupt from None
        raise QueryFailed(_in_one_line(error, sql)) from None


def _past_its_time(sql: str) -> QueryTimedOut:
    return QueryTimedOut(f"{_name(sql)} took longer than allowed: ask for less, or raise --timeout")


def _in_one_line(error: Exception, sql: str) -> str:
    message = " ".join(line.strip() for line in str(error).splitlines() if line.strip() and "^" not in line)
    known = ", ".join([*TABLES, *question_views()])
    remedy = f"; tables and views: {known}" if "does not exist" in message else ""
    return f"{_name(sql)} failed: {message}{remedy}"


def _name(sql: str) -> str:
    return f"the query {shorten(in_one_line(sql), 80)!r}"
