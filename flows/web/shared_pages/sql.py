"""A box for SQL, as confined as `perennial query`, beside the dictionary of tables and views."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import monotonic

import streamlit as st

from perennial.flows.web.figures import OWN_QUERY, show_rows
from perennial.flows.web.page import Page, Rows, Snapshot, Visit, parameter, plain_line
from perennial.schemas.errors import PerennialError, shorten
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import list_contents
from perennial.warehouse.catalog.dictionary import ColumnEntry, describe_columns, describe_relations
from perennial.warehouse.confined_sql.process import ConfinedCatalog, QueryLimits, SqlPool
from perennial.warehouse.store.store import Store

# Run a visitor's SQL in a process of its own, as long as the visitor waits for it.

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
    limits = QueryLimits(MEMORY_GB * 10**9, SECONDS)
    contents = list_contents(Store(snapshot.root), snapshot.units)
    with sql_pool().borrow(while_waiting) as process:
        names, stream = ConfinedCatalog(contents, limits, process, while_waiting).stream(sql, MOST_ROWS + 1)
        rows: list[tuple[object, ...]] = []
        size = 0
        is_all = True
        for row in stream:
            size += sum(len(value) for value in row if isinstance(value, str))
            if len(rows) == MOST_ROWS or (rows and size > MOST_CHARACTERS):
                is_all = False
                break
            rows.append(row)
        if not is_all and len(rows) == MOST_ROWS:
            for _ in stream:  # the last one: the process has answered then, and serves the next visitor
                continue
    return Rows(tuple(names), tuple(rows)), is_all


_RESULT = "sql_result"
_START = "SELECT edition, setting, player, success_rate FROM leaderboard ORDER BY success_rate DESC"


@dataclass(frozen=True, slots=True)
class _Result:
    """What the SQL gave: rows, and whether they are all, or an error."""

    sql: str
    rows: Rows | None = None
    is_all: bool = True
    error: str = ""


def show(visit: Visit) -> None:
    """Show a box for one statement that reads, and its first rows once it was run."""
    left, right = st.columns([3, 2])
    with left:
        _show_box(visit)
    with right:
        _show_dictionary()


def _show_box(visit: Visit) -> None:
    sql_pool().warm_up()
    linked = parameter("sql")
    with st.form("sql", border=False):
        sql = st.text_area(
            "SQL (DuckDB, one statement that reads)", linked or _START, height=150, key=f"sql:{linked}"
        )
        ran = st.form_submit_button("Run")
    st.caption(
        f"At most {MOST_ROWS:,} rows are shown, {SECONDS:g} s and {MEMORY_GB} GB of memory are allowed; "
        "`perennial query` has no such limit of rows."
    )
    # Whoever sent the link wrote what is in it: nothing runs before the visitor has seen it and pressed Run.
    if ran:
        st.session_state[_RESULT] = _run(visit, sql)
        if sql != linked:
            st.query_params["sql"] = sql
    result: _Result | None = st.session_state.get(_RESULT)
    if result is not None and result.sql == sql:
        _show_result(result)
    elif linked:
        st.caption("This SQL came with the link: read it, then press Run.")


def _run(visit: Visit, sql: str) -> "_Result":
    slot = st.empty()
    started = monotonic()

    def show_time() -> None:
        # Streamlit ends the script here where the visitor has left, and the query with it.
        slot.caption(f"running for {monotonic() - started:.0f} s")

    try:
        rows, is_all = run_confined(visit.snapshot, sql, show_time)
    except PerennialError as error:
        return _Result(sql, error=str(error))
    finally:
        slot.empty()
    return _Result(sql, rows, is_all)


def _show_result(result: "_Result") -> None:
    if result.rows is None:
        st.error(plain_line(shorten(result.error, 600)))
        return
    show_rows(OWN_QUERY, result.rows)
    if not result.is_all:
        st.caption(
            f"The query has more rows than these {len(result.rows.rows):,}, which the downloads hold as well."
        )


def _show_dictionary() -> None:
    relations = describe_relations()
    name = str(st.selectbox("Table or view", list(relations)))
    st.text(f"{'table' if name in TABLES else 'view'} {name}: {relations[name]}")
    show_rows(f"columns_of_{name}", Rows(ColumnEntry._fields, describe_columns(name)), height=420)


SQL = Page("sql", "SQL", show)
