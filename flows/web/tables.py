"""Tables on a page: some rows at a time, and all of them as a file."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st
from rich.cells import cell_len

from perennial.flows.console.terminal import printable
from perennial.flows.web.page import number_parameter
from perennial.flows.web.reading import Rows, Snapshot, as_csv, as_parquet

ROWS = 50
OWN_QUERY = "query"  # the table that shows the rows of an analyst's own SQL
_LONGEST_CELL = 300
_LETTER_WIDTH, _LEAST_WIDTH, _MOST_WIDTH = 8, 100, 600  # in pixels, of columns of names
_PLAIN = (int, float, type(None))
Open = Callable[[dict[str, Any]], None]


def show_rows(name: str, rows: Rows, open_row: Open | None = None, height: int | None = None) -> None:
    """Show all of these rows, with their downloads; `open_row` is called with a row that is chosen."""
    _show_frame(name, rows, open_row, height)
    offer_downloads(name, lambda: rows)


def show_query(name: str, snapshot: Snapshot, sql: str, open_row: Open | None = None) -> None:
    """Show the SQL's rows a page at a time, its number being in the URL; the downloads hold all rows."""
    (total,) = snapshot.query(f"SELECT count(*) FROM ({sql})").rows[0]
    pages = max(1, -(-total // ROWS))
    key = f"{name}_page"
    number = number_parameter(key, pages)
    shown = snapshot.query(f"FROM ({sql}) LIMIT {ROWS} OFFSET {(number - 1) * ROWS}")
    _show_frame(name, shown, open_row, None)
    if pages > 1:
        widget = f"{key}:{number}"

        def keep() -> None:
            st.query_params[key] = str(st.session_state[widget])

        label = f"Page of {pages:,} ({total:,} rows)"
        st.number_input(label, 1, pages, number, key=widget, on_change=keep, width=220)
    offer_downloads(name, lambda: snapshot.query(sql))


def offer_downloads(name: str, read: Callable[[], Rows]) -> None:
    """Show buttons that download the rows, which are read when one is pressed."""

    def write(encode: Callable[..., bytes]) -> Callable[[], bytes]:
        def content() -> bytes:
            found = read()
            return encode(found.columns, found.rows)

        return content

    with st.container(horizontal=True, gap="small"):
        for form, encode, kind in (
            ("csv", as_csv, "text/csv"),
            ("parquet", as_parquet, "application/vnd.apache.parquet"),
        ):
            label = f"{name}.{form}"
            st.download_button(label, write(encode), label, kind, key=f"save_{label}", on_click="ignore")


def frame_of(rows: Rows) -> pd.DataFrame:
    """Return the rows for a table on a page: texts on their own, long ones shortened."""
    listed = [[_cell(value) for value in row] for row in rows.rows]
    return pd.DataFrame(listed, columns=_distinct(rows.columns))


def _show_frame(name: str, rows: Rows, open_row: Open | None, height: int | None) -> None:
    if not rows.rows:
        st.caption("no rows")
        return
    frame = frame_of(rows)
    # An analyst's own SQL keeps its names.
    config = _formats(frame) if name == OWN_QUERY else _headings(frame)
    options: dict[str, Any] = {"hide_index": True, "column_config": config, "placeholder": "–"}
    if height is not None:
        options["height"] = height
    if open_row is None:
        st.dataframe(frame, **options)
        return
    st.caption("Choose a row by its box to open it.")
    chosen = st.dataframe(
        frame, key=f"rows_{name}", on_select="rerun", selection_mode="single-row", **options
    )
    places = chosen["selection"]["rows"]
    if places and places[0] < len(rows.rows):
        open_row(rows.records()[places[0]])


def _formats(frame: pd.DataFrame) -> Mapping[str, Any]:
    floats = frame.select_dtypes("float").columns
    return {name: st.column_config.NumberColumn(format="%.4g") for name in floats}


def _headings(frame: pd.DataFrame) -> Mapping[str, Any]:
    """Return the columns' headings in words, with the name that SQL uses as a tooltip, and their formats."""
    formats = _formats(frame)
    return {
        name: {
            **formats.get(name, {}),
            "label": name.replace("_", " "),
            "help": name,
            # Names of one beginning are told apart by their ends.
            **({"width": _name_width(frame[name])} if name.endswith("player") else {}),
        }
        for name in frame.columns
    }


def _name_width(names: pd.Series) -> int:
    """Return the pixels that show these names whole, within limits."""
    longest = max((cell_len(str(name)) for name in names), default=0)
    return min(max(longest * _LETTER_WIDTH + 20, _LEAST_WIDTH), _MOST_WIDTH)


def _cell(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat(" ", "minutes") if hasattr(value, "hour") else value.isoformat()
    text = printable(str(value))
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}… ({len(text):,} characters)"


def _distinct(columns: tuple[str, ...]) -> list[str]:
    """Return the names, repeated ones with a number."""
    names: list[str] = []
    for column in columns:
        name = column
        while name in names:
            name += "_"
        names.append(name)
    return names
