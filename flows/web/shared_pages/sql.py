"""A box for SQL, as confined as `perennial query`, beside the dictionary of tables and views."""

from dataclasses import dataclass
from time import monotonic

import streamlit as st

from perennial.flows.web.page import Page, Visit, parameter
from perennial.flows.web.plain_text import plain_line
from perennial.flows.web.reading import Rows
from perennial.flows.web.run_sql import MEMORY_GB, MOST_ROWS, SECONDS, run_confined, sql_pool
from perennial.flows.web.tables import OWN_QUERY, show_rows
from perennial.schemas.errors import PerennialError, shorten
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.dictionary import ColumnEntry, describe_columns, describe_relations

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
    given = parameter("sql")
    with st.form("sql", border=False):
        sql = st.text_area(
            "SQL (DuckDB, one statement that reads)", given or _START, height=150, key=f"sql:{given}"
        )
        ran = st.form_submit_button("Run")
    st.caption(
        f"At most {MOST_ROWS:,} rows are shown, {SECONDS:g} s and {MEMORY_GB} GB of memory are allowed; "
        "`perennial query` has no such limit of rows."
    )
    # Whoever sent the link wrote what is in it: nothing runs before the visitor has seen it and pressed Run.
    if ran:
        st.session_state[_RESULT] = _run(visit, sql)
        if sql != given:
            st.query_params["sql"] = sql
    result: _Result | None = st.session_state.get(_RESULT)
    if result is not None and result.sql == sql:
        _show_result(result)
    elif given:
        st.caption("This SQL came with the link: read it, then press Run.")


def _run(visit: Visit, sql: str) -> "_Result":
    place = st.empty()
    started = monotonic()

    def show_time() -> None:
        # Streamlit ends the script here where the visitor has left, and the query with it.
        place.caption(f"running for {monotonic() - started:.0f} s")

    try:
        rows, is_all = run_confined(visit.snapshot, sql, show_time)
    except PerennialError as error:
        return _Result(sql, error=str(error))
    finally:
        place.empty()
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
    known = describe_relations()
    name = str(st.selectbox("Table or view", sorted(known)))
    st.text(f"{'table' if name in TABLES else 'view'} {name}: {known[name]}")
    show_rows(f"columns_of_{name}", Rows(ColumnEntry._fields, describe_columns(name)), height=420)


SQL = Page("sql", "SQL", show)
