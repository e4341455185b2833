"""A box for SQL, as confined as `perennial query`, beside the dictionary of tables and views."""

from typing import Any

import streamlit as st

from flows.web.page import Page, Visit, parameter
from flows.web.plain_text import plain_line
from flows.web.reading import Rows
from flows.web.tables import show_rows
from schemas.errors import PerennialError, shorten
from schemas.tables import TABLES
from warehouse.catalog.catalog import open_catalog
from warehouse.catalog.confinement import Setting
from warehouse.catalog.dictionary import ColumnEntry, describe_columns, describe_relations
from warehouse.store.store import Store

MOST_ROWS = 1_000
MOST_CHARACTERS = 20_000_000
SECONDS = 20
MEMORY = "2GB"
_START = "SELECT edition, setting, player, success_rate FROM leaderboard ORDER BY success_rate DESC"


def show(visit: Visit) -> None:
    """Run one statement that reads, and show its first rows."""
    left, right = st.columns([3, 2])
    with left:
        _show_box(visit)
    with right:
        _show_dictionary()


def _show_box(visit: Visit) -> None:
    given = parameter("sql") or _START
    with st.form("sql", border=False):
        sql = st.text_area("SQL (DuckDB, one statement that reads)", given, height=150, key=f"sql:{given}")
        ran = st.form_submit_button("Run")
    st.caption(
        f"At most {MOST_ROWS:,} rows are shown, {SECONDS} s and {MEMORY} of memory are allowed; "
        "`perennial query` has no such limit of rows."
    )
    if ran and sql != parameter("sql"):
        st.query_params["sql"] = sql
    if not ran and not parameter("sql"):
        return
    try:
        rows, is_all = run_confined(visit, sql)
    except PerennialError as error:
        st.error(plain_line(shorten(str(error), 600)))
        return
    show_rows("query", rows)
    if not is_all:
        st.caption(
            f"The query has more rows than these {len(rows.rows):,}, which the downloads hold as well."
        )


def run_confined(visit: Visit, sql: str) -> tuple[Rows, bool]:
    """Return the first rows of a visitor's SQL, and whether these are all; raise what `Catalog.stream` does.

    It has a database of its own, whose settings are locked: it can disturb no other page.
    """
    settings: dict[str, Setting] = {
        "memory_limit": MEMORY,
        "temp_directory": "",
        "max_execution_time": 1000 * SECONDS,
    }
    catalog = open_catalog(Store(visit.snapshot.root), visit.snapshot.units, settings)
    with catalog.closing():
        names, found = catalog.stream(sql, MOST_ROWS + 1)
        rows: list[tuple[Any, ...]] = []
        size = 0
        for row in found:
            size += sum(len(value) for value in row if isinstance(value, str))
            if len(rows) == MOST_ROWS or (rows and size > MOST_CHARACTERS):
                return Rows(tuple(names), tuple(rows)), False
            rows.append(row)
    return Rows(tuple(names), tuple(rows)), True


def _show_dictionary() -> None:
    known = describe_relations()
    name = str(st.selectbox("Table or view", sorted(known)))
    st.text(f"{'table' if name in TABLES else 'view'} {name}: {known[name]}")
    show_rows(f"columns_of_{name}", Rows(ColumnEntry._fields, describe_columns(name)), height=420)


SQL = Page("sql", "SQL", show)
