"""A catalog for a user's SQL: what `Catalog` reads, in a process that is killed past a limit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from perennial.warehouse.catalog.catalog import Contents, list_contents
from perennial.warehouse.catalog.sql.confinement import Setting
from perennial.warehouse.catalog.sql.run_sql import Row
from perennial.warehouse.confined_sql.messages import Task
from perennial.warehouse.confined_sql.process import Limits, PossibleDamage, SqlProcess
from perennial.warehouse.editions.damage import refuse_damaged
from perennial.warehouse.store.store import Store


class ConfinedCatalog:
    """Runs a user's SQL over a snapshot in the given process, one statement at a time."""

    def __init__(
        self,
        contents: Contents,
        limits: Limits,
        process: SqlProcess,
        while_waiting: Callable[[], None] | None = None,
    ) -> None:
        self._contents = contents
        self._limits = limits
        self._process = process
        self._while_waiting = while_waiting
        self._rows: Iterator[Row] = iter(())

    def stream(self, sql: str, at_most: int | None = None) -> tuple[list[str], Iterator[Row]]:
        """Return column names and up to `at_most` rows of the SQL; rows are read as the caller iterates.

        Raises QueryFailed for SQL that is wrong, does more than read, or needs more memory than allowed;
        QueryTimedOut past its time; Damaged where a file that the SQL reads is not what was published.
        """
        answers = self._answers(sql, at_most, counts=False)
        _, names = next(answers)
        self._rows = (row for _, rows in answers for row in rows)
        return names, self._rows

    def count(self, sql: str) -> int:
        """Return the number of rows of the SQL, without reading them; raise what `stream` raises."""
        for _ in self._rows:  # of the query before: the process ends that first
            continue
        ((_, number),) = self._answers(sql, None, counts=True)
        return int(number)

    def _answers(self, sql: str, at_most: int | None, *, counts: bool) -> Iterator[tuple[str, Any]]:
        try:
            yield from self._process.answers(
                self._task(sql, at_most, counts), self._limits, self._while_waiting
            )
        except PossibleDamage:
            refuse_damaged(self._contents.store, self._contents.files_for(sql))
            raise

    def _task(self, sql: str, at_most: int | None, counts: bool) -> Task:
        contents = self._contents
        settings: dict[str, Setting] = {
            "memory_limit": f"{self._limits.memory_bytes}B",
            # Without a folder for it DuckDB writes no temporary file.
            "temp_directory": "",
        }
        if self._limits.seconds < inf:
            settings["max_execution_time"] = int(self._limits.seconds * 1000)
        views = [(name, contents.sql_of(name)) for name in contents.views_for(sql)]
        return Task(
            contents.store.root,
            files=contents.places,
            settings=settings,
            views=views,
            additions=contents.additions_for(sql),
            known=list(contents.views),
            sql=sql,
            at_most=at_most,
            counts=counts,
            memory_bytes=self._limits.memory_bytes,
        )


@contextmanager
def open_confined(store: Store, limits: Limits) -> Iterator[ConfinedCatalog]:
    """Open a snapshot of what is visible, in a process that ends with the block."""
    process = SqlProcess()
    try:
        yield ConfinedCatalog(list_contents(store), limits, process)
    finally:
        process.kill()
