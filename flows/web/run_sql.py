"""Run a visitor's SQL in a process of its own, as long as the visitor waits for it."""

from collections.abc import Callable
from functools import cache

from perennial.flows.web.reading import Rows, Snapshot
from perennial.warehouse.catalog.catalog import list_contents
from perennial.warehouse.confined_sql.process import ConfinedCatalog, Limits, SqlPool
from perennial.warehouse.store.store import Store

MOST_ROWS = 1_000
MOST_CHARACTERS = 20_000_000
SECONDS = 20.0
MEMORY_GB = 2
AT_ONCE = 2
_WAIT_S = 10.0


@cache
def sql_pool() -> SqlPool:
    """Return the processes of this server."""
    return SqlPool(AT_ONCE, _WAIT_S)


def close_sql_pool() -> None:
    """End the processes of this server, if it has any."""
    if sql_pool.cache_info().currsize:
        sql_pool().close()
        sql_pool.cache_clear()


def run_confined(snapshot: Snapshot, sql: str, while_waiting: Callable[[], None]) -> tuple[Rows, bool]:
    """Return the first rows of a visitor's SQL, and whether these are all.

    `while_waiting` is called several times a second; what it raises ends the query's process. Raises what
    `ConfinedCatalog.stream` raises, and QueryFailed where too many other queries run.
    """
    limits = Limits(MEMORY_GB * 10**9, SECONDS)
    contents = list_contents(Store(snapshot.root), snapshot.units)
    with sql_pool().borrow(while_waiting) as process:
        names, found = ConfinedCatalog(contents, limits, process, while_waiting).stream(sql, MOST_ROWS + 1)
        rows: list[tuple[object, ...]] = []
        size = 0
        is_all = True
        for row in found:
            size += sum(len(value) for value in row if isinstance(value, str))
            if len(rows) == MOST_ROWS or (rows and size > MOST_CHARACTERS):
                is_all = False
                break
            rows.append(row)
        if not is_all and len(rows) == MOST_ROWS:
            for _ in found:  # the last one: the process has answered then, and serves the next visitor
                continue
    return Rows(tuple(names), tuple(rows)), is_all
