"""Read what is published with DuckDB: one view per table, one view per analyst's question.

A catalog is a snapshot: which editions and evaluations are visible is looked up once, when it is opened, and
only their files are named in its views. What is published or analysed meanwhile is not seen, whole or in
part; a query over what is withdrawn meanwhile fails. No file that a view may name is ever written a second
time: DuckDB opens a file more than once in a query, and would read the head of one and the rows of another.
"""

import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged, QueryFailed, UnreadableInput, quote
from perennial.schemas.json_text import read_json
from perennial.schemas.rows import Row
from perennial.schemas.table_form import Table
from perennial.schemas.tables import PUBLISHED_SCORES, SCALE, TABLES
from perennial.schemas.units import evaluation_of, is_evaluation, split_unit, units_by_edition
from perennial.warehouse.catalog.confinement import FORMAT, Setting, row_file, table_file, table_sql
from perennial.warehouse.catalog.dictionary import (
    comment_statements,
    in_order,
    macro_names,
    macro_statements,
    question_views,
    words_of,
)
from perennial.warehouse.catalog.later_statistics import analysis_of, scale_files
from perennial.warehouse.catalog.run_sql import SqlRunner, may_be_damage, open_runner
from perennial.warehouse.catalog.scores import published_sql, score_files
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.editions.manifest import count_rows, damaged_file, refuse_damaged
from perennial.warehouse.store.file_system import NotRegular
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import duckdb
    import pyarrow


MOVED = "what it reads was withdrawn or reinstated meanwhile: give the command again"
# Ways in which DuckDB says that a file is not there; it takes the name for that of a folder then.
_NO_FILE = ("No such file", "No files found", ".parquet/**")
# What SQL that shows which views there are begins a word with.
_LISTING = ("show", "describe", "query_table", "information_schema", "duckdb_", "pragma_", "sqlite_", "pg_")


def published_editions(store: Store) -> tuple[str, ...]:
    """Return the names of all published editions, sorted: those that have their row in `editions`.

    Withdrawn ones are among them: their names stay taken, and their instances are never issued again.
    """
    refuse_other_format(store)
    names = _names_of_editions(store, "editions")
    return tuple(edition for edition in names if store.exists(row_file(edition)))


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
    return _visible(store, withdrawn_units(store))


def _visible(store: Store, withdrawn: Container[str]) -> tuple[str, ...]:
    editions = [edition for edition in published_editions(store) if edition not in withdrawn]
    units = (unit for edition in editions for unit in (edition, *published_evaluations(store, edition)))
    return tuple(unit for unit in units if unit not in withdrawn)


def visible_units_if(store: Store, unit: str, *, is_visible: bool) -> tuple[str, ...]:
    """Return what `visible_units` would return if this one were withdrawn, or were not."""
    withdrawn = {*withdrawn_units(store)} - {unit}
    if not is_visible:
        withdrawn.add(unit)
    return _visible(store, withdrawn)


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


def refuse_other_format(store: Store) -> None:
    """Raise UnreadableInput for a data root of another format: one manifest tells for all."""
    name = next((name for name in store.names("manifests") if name.endswith(".json")), None)
    try:
        saved = FORMAT if name is None else read_json(store.read_bytes(f"manifests/{name}"))["format"]
    except (ValueError, KeyError, TypeError):
        return  # `perennial verify` names what is damaged.
    if saved != FORMAT:
        raise UnreadableInput(
            f"the data root {store.root!r} was written in format {quote(saved)} by another version of "
            f"perennial, expected format {FORMAT}: name another --root, or read it with that version"
        )


@dataclass(frozen=True)
class Contents:
    """What a snapshot shows: editions and evaluations, the files of each table, the SQL of each view."""

    store: Store
    units: tuple[str, ...]
    files: dict[str, list[str]]
    views: dict[str, str]

    @property
    def places(self) -> list[str]:
        """Return where all files lie: paths or URLs."""
        return [self.store.location(name) for names in self.files.values() for name in names]

    def sql_of(self, name: str) -> str:
        """Return the SQL of the table or view; that of bundled rows is long and is made when it is needed."""
        return published_sql() if name == PUBLISHED_SCORES.name else self.views[name]

    def views_for(self, sql: str) -> list[str]:
        """Return the names of the views that the SQL may name, all where it lists views, in order."""
        words = words_of(sql)
        lists_views = any(word.startswith(_LISTING) for word in words)
        return list(in_order(self.views if lists_views else words, self.views))

    def additions_for(self, sql: str) -> list[str]:
        """The statements that create the macros that the SQL may call, and the comments that it may read."""
        words = words_of(sql)
        if any(word.startswith("duckdb_") for word in words):
            return [*macro_statements(), *(line for name in self.views for line in comment_statements(name))]
        return [] if macro_names().isdisjoint(words) else [*macro_statements()]

    def files_for(self, sql: str) -> list[str]:
        """Return the names of the files that the SQL may read, relative to the data root."""
        return [file for name in self.views_for(sql) for file in self.files.get(name, [])]

    def script(self, sql: str = "", *, copies: bool = False) -> str:
        """SQL that creates all macros, tables and views in any DuckDB with comments, then this SQL.

        With `copies` the tables are copies of the rows, which need no file any more.
        """
        kinds = {name: "TABLE" if copies and name in TABLES else "VIEW" for name in self.views}
        made = (
            f'CREATE OR REPLACE {kinds[name]} "{name}" AS {self.sql_of(name)}'
            for name in in_order(self.views, self.views)
        )
        commented = (line for name, kind in kinds.items() for line in comment_statements(name, kind))
        statements = (
            "SET TimeZone = 'UTC'",
            *macro_statements(),
            *made,
            *commented,
            *([sql] if sql.strip() else []),
        )
        # A statement may end in a comment: the semicolon is on a line of its own.
        return "".join(f"{statement.rstrip().rstrip(';')}\n;\n" for statement in statements)


@dataclass(frozen=True)
class Catalog:
    """An open snapshot of a data root: DuckDB in memory, and the SQL of each table and view by name.

    Its queries read the snapshot's tables and nothing else, and change nothing (see `confinement`). A view is
    created when a query may name it: DuckDB reads the files of each one that it creates.
    """

    contents: Contents
    _runner: SqlRunner
    # Names of views and tables; macros and comments as whole statements.
    _created: set[str] = field(default_factory=set)

    @property
    def units(self) -> tuple[str, ...]:
        """The editions and evaluations that it shows."""
        return self.contents.units

    @property
    def editions(self) -> tuple[str, ...]:
        """The editions that it shows."""
        return tuple(unit for unit in self.units if not is_evaluation(unit))

    def connect(self, names: Iterable[str]) -> "duckdb.DuckDBPyConnection":
        """Return DuckDB with these tables and views, and what those need."""
        self._create(in_order(names, self.contents.views))
        return self._runner.connection

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return column names and rows of the SQL; raise what `stream` raises."""
        names, rows = self.stream(sql)
        return names, list(rows)

    def records(self, sql: str) -> list[Row]:
        """Return the rows of the SQL by column name; raise what `stream` raises."""
        names, rows = self.query(sql)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def stream(self, sql: str, at_most: int | None = None) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Return column names and rows of the SQL; rows are read while they are asked for.

        The next query ends them. Raises what `SqlRunner.stream` raises, and Damaged where a file that the
        SQL reads is not what was published.
        """
        with self._naming_damage(sql):
            self._create_views_for(sql)
            names, rows = self._runner.stream(sql, at_most)
        return names, self._naming_damage_in(rows, sql)

    def relate(self, sql: str) -> "duckdb.DuckDBPyRelation":
        """Return a relation of the SQL, whose rows are read when they are asked for.

        It holds the database open. Raises what `stream` raises; what goes wrong later, DuckDB raises.
        """
        with self._naming_damage(sql):
            self._create_views_for(sql)
            return self._runner.relate(sql)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Close the database and end its thread after the block."""
        try:
            yield
        finally:
            self._runner.close()

    def count(self, sql: str) -> int:
        """Return the number of rows of the SQL, without reading them; raise what `stream` raises."""
        with self._naming_damage(sql):
            self._create_views_for(sql)
            return self._runner.count(sql)

    def _create_views_for(self, sql: str) -> None:
        """Create the views that the SQL may name, all where it lists views, and what else it needs."""
        self._create(self.contents.views_for(sql))
        for statement in self.contents.additions_for(sql):
            if statement not in self._created:
                self._runner.connection.execute(statement)
                self._created.add(statement)

    def _create(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._created:
                self._runner.connection.execute(f'CREATE VIEW "{name}" AS {self.contents.sql_of(name)}')
                self._created.add(name)

    @contextmanager
    def _naming_damage(self, sql: str) -> Iterator[None]:
        """Raise Damaged in place of what a damaged file makes DuckDB raise."""
        try:
            yield
        except Exception as error:
            if may_be_damage(error):
                store, files = self.contents.store, self.contents.files_for(sql)
                is_moved = any(store.find_file(file) not in (file, None) for file in files)
                if not is_moved:
                    refuse_damaged(store, files)
                # It may have been moved there and back.
                if is_moved or any(words in str(error) for words in _NO_FILE):
                    raise QueryFailed(MOVED) from error
            raise

    def _naming_damage_in(self, rows: Iterator[tuple[Any, ...]], sql: str) -> Iterator[tuple[Any, ...]]:
        with self._naming_damage(sql):
            yield from rows


def list_contents(store: Store, units: tuple[str, ...] | None = None) -> Contents:
    """Return what a snapshot of these editions and evaluations shows, by default of the visible ones.

    Raises Damaged where something other than a regular file has the place of one.
    """
    units = visible_units(store) if units is None else units
    files = {table.name: _files_of(store, table, units) for table in TABLES.values()}
    views = {
        table.name: table_sql(table, [store.location(name) for name in files[table.name]])
        for table in TABLES.values()
    }
    return Contents(store, units, files, {**views, **question_views()})


def open_catalog(
    store: Store, units: tuple[str, ...] | None = None, settings: Mapping[str, Setting] | None = None
) -> Catalog:
    """Open a snapshot of these editions and evaluations, by default the visible ones.

    `settings` are DuckDB's, by name; once the catalog is open none can be changed.
    """
    contents = list_contents(store, units)
    runner = open_runner(contents.store.root, contents.places, settings or {}, tuple(contents.views))
    return Catalog(contents, runner)


def _files_of(store: Store, table: Table, units: Sequence[str]) -> list[str]:
    """The names of the files that hold the table in these units, relative to the data root."""
    if table.kind == "bundled":
        files = []
    elif table.kind == "root":
        files = scale_files(store, units) if table.name == SCALE.name else score_files(store)
    elif table.kind == "analysis":
        analyses = (analysis_of(store, edition, name) for edition, name in units_by_edition(units).items())
        files = [name for name in analyses if name]
    else:
        holders = {True: ("answers", "either"), False: ("questions", "either")}
        # Each benchmark has tables of its own: one look at a table's folder says whose files need none.
        held = {*_names_of_editions(store, table.name)}
        files = [
            table_file(table.name, unit)
            for unit in units
            if table.kind in holders[is_evaluation(unit)] and split_unit(unit)[0] in held
        ]
    return [held_at for file in files if (held_at := _find_file(store, file))]


def _find_file(store: Store, file: str) -> str | None:
    try:
        return store.find_file(file)
    except (NotRegular, IsADirectoryError) as error:
        raise damaged_file(store, file, error.strerror or "not a file") from None


# Some rows of a published table, in memory that does not grow with the table.


def read_batches(
    store: Store, table: str, unit: str, columns: Sequence[str], rows: int
) -> Iterator["pyarrow.RecordBatch"]:
    """Yield these columns of a published table, so many rows at a time; without rows it has no file."""
    import pyarrow.parquet as pq

    name = table_file(table, unit)
    if not store.exists(name) and store.exists(row_file(unit)) and not count_rows(store, unit).get(table):
        return
    with (
        store.open(name) as file,
        pq.ParquetFile(file, pre_buffer=False) as source,
    ):
        yield from source.iter_batches(rows, columns=list(columns), use_threads=False)


def rows_with(
    store: Store, table: str, unit: str, column: str, values: Iterable[str], columns: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the published rows whose column is one of the values, in the file's order.

    Of these columns, or of all that are the table's own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = columns or [column.name for column in TABLES[table].columns]
    wanted = pa.array(list(values), pa.string())
    rows: list[dict[str, Any]] = []
    for batch in read_batches(store, table, unit, names, 1 << 13):
        rows += batch.filter(pc.is_in(batch[column], value_set=wanted)).to_pylist()
    return rows


def published_call_ids(store: Store) -> Iterator[tuple[str, list[str]]]:
    """Yield what is published, each time with some ids of its calls; an unreadable file is left out."""
    import pyarrow as pa

    for unit in published_units(store):
        try:
            for batch in read_batches(store, "calls", unit, ["call_id"], 20_000):
                yield unit, batch.column(0).to_pylist()
        except (pa.ArrowException, OSError, Damaged):
            continue
