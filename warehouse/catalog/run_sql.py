"""Run a user's SQL in a confined DuckDB: its rows as they come, its errors in one line, Ctrl-C at any time.

It knows tables and views by name alone, so that a process that only runs SQL loads little code.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from perennial.schemas.errors import QueryFailed, QueryTimedOut, in_one_line, shorten, suggest
from perennial.warehouse.catalog.confinement import Setting, check_statement, confine, without_order

if TYPE_CHECKING:
    import duckdb


Result = TypeVar("Result")
Row = tuple[Any, ...]

_ROWS_AT_ONCE = 256
_UNKNOWN_TABLE = re.compile(r"Table with name (\S+) does not exist!")
_UNKNOWN_COLUMN = re.compile(r'(?:Referenced column|does not have a column named) "(\w+)"')
_MOST_NAMED = 3


class SqlRunner:
    """Runs SQL in a connection that is confined already, one statement at a time.

    `known` are the tables and views that an error about an unknown one may suggest.
    """

    def __init__(
        self, connection: "duckdb.DuckDBPyConnection", names: Sequence[str], limit_s: float = inf
    ) -> None:
        self.connection = connection
        self._known = names
        self._limit_s = limit_s
        self._thread = ThreadPoolExecutor(1)

    def stream(self, sql: str, at_most: int | None = None) -> tuple[list[str], Iterator[Row]]:
        """Column names and rows of the SQL; rows are read while they are asked for.

        The next query ends them. DuckDB gets `at_most` as the limit, so that it sorts no other rows.

        Raises QueryFailed, with DuckDB's words, for SQL that is wrong or that does more than read;
        QueryTimedOut past the time that it was opened with; KeyboardInterrupt on Ctrl-C.
        """
        deadline = monotonic() + self._limit_s
        with self._errors_in_one_line(sql):
            checked = check_statement(self.connection, sql)
            if at_most is None or checked.startswith("EXPLAIN"):
                result = self._stop_at_ctrl_c(lambda: self.connection.execute(checked))
                names = [column[0] for column in result.description or []]
            else:
                # Its own names: those of a subquery are made different.
                names = self.connection.sql(checked).columns
                limited = f"FROM (\n{checked}\n) LIMIT {at_most}"
                result = self._stop_at_ctrl_c(lambda: self.connection.execute(limited))
            return names, self._rows(result, sql, deadline)

    def relate(self, sql: str) -> "duckdb.DuckDBPyRelation":
        """A relation of the SQL; raise what `stream` raises for SQL that it refuses."""
        with self._errors_in_one_line(sql):
            return self.connection.sql(check_statement(self.connection, sql))

    def count(self, sql: str) -> int:
        """The number of rows of the SQL, without reading them; raise what `stream` raises."""
        with self._errors_in_one_line(sql):
            checked = check_statement(self.connection, sql)
            relation = self.connection.sql(without_order(self.connection, checked))
            counted = relation.aggregate("count(*)")
            return int(self._stop_at_ctrl_c(counted.fetchall)[0][0])

    def close(self) -> None:
        """Close the database and end the thread."""
        self._thread.shutdown()
        self.connection.close()

    def _rows(self, result: "duckdb.DuckDBPyConnection", sql: str, deadline: float) -> Iterator[Row]:
        while True:
            # DuckDB stops what takes long, but may hand out rows that are there beyond its own limit.
            if monotonic() > deadline:
                raise time_error(sql, self._limit_s)
            with self._errors_in_one_line(sql):
                rows = self._stop_at_ctrl_c(lambda: result.fetchmany(_ROWS_AT_ONCE))
            if not rows:
                return
            yield from rows

    def _stop_at_ctrl_c(self, work: Callable[[], Result]) -> Result:
        """Run DuckDB's work in a thread of its own, as it may read no signal meanwhile."""
        ended = self._thread.submit(work)
        try:
            return ended.result()
        except KeyboardInterrupt:
            self.connection.interrupt()
            wait([ended])
            raise

    @contextmanager
    def _errors_in_one_line(self, sql: str) -> Iterator[None]:
        """Turn what DuckDB raises for the SQL into an error of one line, its word of Ctrl-C into Ctrl-C."""
        import duckdb

        try:
            yield
        except duckdb.InterruptException as error:
            if "maximum execution time" not in str(error):
                raise KeyboardInterrupt from None
            raise time_error(sql, self._limit_s) from None
        except (duckdb.OutOfMemoryException, MemoryError) as error:
            raise memory_error(sql, (str(error).splitlines() or ["the limit is reached"])[0]) from error
        except duckdb.Error as error:
            raise QueryFailed(self._in_one_line(error, sql)) from error
        except RuntimeError as error:
            if "interrupted" in str(error):
                raise KeyboardInterrupt from None
            raise QueryFailed(self._in_one_line(error, sql)) from error

    def _in_one_line(self, error: Exception, sql: str) -> str:
        message = " ".join(
            line.strip() for line in str(error).splitlines() if line.strip() and "^" not in line
        )
        if unknown := _UNKNOWN_TABLE.search(message):
            # DuckDB would suggest a table of its own, such as pg_proc.
            meant = suggest(unknown[1], self._known) or ";"
            message = f"there is no table or view {unknown[1]!r}{meant} `perennial tables` lists all"
        elif (lacking := _UNKNOWN_COLUMN.search(message)) and (relations := _relations_with(lacking[1])):
            others = f" and {len(relations) - _MOST_NAMED} others" if len(relations) > _MOST_NAMED else ""
            verb = "has" if len(relations) == 1 else "have"
            message += f"; {', '.join(relations[:_MOST_NAMED])}{others} {verb} a column {lacking[1]!r}"
        return f"{name_query(sql)} failed: {message}"


def open_runner(
    root: str, files: Sequence[str], settings: Mapping[str, Setting], names: Sequence[str]
) -> SqlRunner:
    """Open DuckDB in memory, confined to these files of the data root; `settings` are DuckDB's, by name."""
    import duckdb

    connection = duckdb.connect(":memory:")
    # Times are shown as they are kept, wherever the reader sits.
    connection.execute("SET TimeZone = 'UTC'")
    if "://" in root:
        from perennial.warehouse.store.duckdb_files import let_duckdb_read
        from perennial.warehouse.store.store import Store

        let_duckdb_read(connection, Store(root))
    confine(connection, files, settings)
    limit_ms = settings.get("max_execution_time")
    return SqlRunner(connection, names, inf if limit_ms is None else float(limit_ms) / 1000)


def may_be_damage(error: BaseException) -> bool:
    """Whether DuckDB's error, or what it was turned into, may come from a file that was altered."""
    import duckdb

    cause = error.__cause__ if isinstance(error, QueryFailed) else error
    of_the_sql = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    return isinstance(cause, duckdb.Error | RuntimeError) and not isinstance(cause, of_the_sql)


def _relations_with(column: str) -> list[str]:
    # Imported here: SQL that is right runs without the descriptions of all tables.
    from perennial.warehouse.catalog.dictionary import relations_with

    return relations_with(column)


def time_error(sql: str, seconds: float) -> QueryTimedOut:
    """The error of a query past its time."""
    return QueryTimedOut(
        f"{name_query(sql)} took longer than allowed ({seconds:g} s): ask for less, or raise --timeout"
    )


def memory_error(sql: str, reason: str) -> QueryFailed:
    """The error of a query past its memory."""
    return QueryFailed(
        f"{name_query(sql)} needs more memory than allowed ({reason}): ask for fewer columns "
        "or rows, or raise --memory-limit"
    )


def name_query(sql: str) -> str:
    """How an error names the query."""
    return f"the query {shorten(in_one_line(sql), 80)!r}"
