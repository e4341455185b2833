"""Figures of the report on a page: the report's own section, its drawings, and the tables behind it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from rich.cells import cell_len
from streamlit.delta_generator import DeltaGenerator

from perennial.flows.benchmark import find_installed
from perennial.flows.console.row_formats import printable
from perennial.flows.editions.report import own_report, read_figures
from perennial.flows.web.page import (
    Opened,
    Rows,
    Snapshot,
    Visit,
    as_csv,
    as_parquet,
    choose_several,
    number_parameter,
    plain,
    plain_line,
)
from perennial.schemas.rows import JsonObject
from perennial.schemas.statistics import MODELS, group_player
from perennial.tasks.report.content import Drawing, Figure, Grid, ReportData, Section
from perennial.tasks.report.page import DARK, LIGHT, apply_colors
from perennial.tasks.statistics.multiplicity import kind_by_name
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

# Tables on a page: some rows at a time, and all of them as a file.

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
    page = snapshot.query(f"FROM ({sql}) LIMIT {ROWS} OFFSET {(number - 1) * ROWS}")
    _show_frame(name, page, open_row, None)
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
            rows = read()
            return encode(rows.columns, rows.rows)

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
            # Names that begin alike differ at their ends.
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
    names: list[str] = []
    for column in columns:
        name = column
        while name in names:
            name += "_"
        names.append(name)
    return names


_NARROW = "containerSize()[0] < 480"


def read_edition(edition: Opened, figures: Iterable[Figure], hidden: Collection[str] = ()) -> ReportData:
    """Return what these figures of the edition are drawn of, without the players `hidden`."""
    store = Store(edition.snapshot.root)
    data = read_figures(
        edition.snapshot.read,
        edition.name,
        find_installed(edition.benchmark_name),
        figures,
        lambda: read_published_plan(store, edition.name).public_seed,
    )
    return data.without(hidden)


def own_figures(edition: Opened) -> tuple[Figure, ...]:
    """Return the figures that the edition's benchmark adds to the report, and to the explorer alone."""
    report = own_report(find_installed(edition.benchmark_name))
    return (*report.figures, *report.explored)


def show_section(section: Section, visit: Visit | None = None) -> None:
    """Show the section as the report has it: what it asks, its table, drawings, text, and rows with SQL."""
    st.header(plain(section.title))
    first = section.tables[0] if section.tables else None
    if first and not first.computed and (question := first.question):
        st.caption(plain_line(question))
    if section.missing:
        st.info(plain_line(section.missing))
    else:
        if section.grid is not None:
            _show_grid(section.key, section.grid)
        _show_drawings(section.key, section.drawings)
        if section.caption:
            st.caption(plain_line(section.caption))
    for table in section.tables:
        if not table.rows:
            continue
        is_all = section.grid is None and not section.drawings and not section.missing
        with st.expander(f"Numbers and SQL: {plain(table.name)}", expanded=is_all):
            name = table.name if table.name == section.key else f"{section.key}_{table.name}"
            show_rows(name, Rows(table.columns, table.rows))
            if table.computed:
                st.caption(plain_line(table.computed))
            st.code(table.sql, language="sql", wrap_lines=True)
            if visit is not None:
                visit.link("sql", "Change this query", sql=table.sql)


def _show_drawings(key: str, drawings: Sequence[Drawing]) -> None:
    """Draw two beside each other, and wide ones alone; on a phone, one below the other."""
    places: list[Any] = []
    for number, drawing in enumerate(drawings):
        if drawing.is_wide or len(drawings) == 1:
            container = st.container()
        else:
            places = places or list(st.columns(2))
            container = places.pop(0)
        with container:
            st.markdown(f"**{plain_line(drawing.heading)}**")
            _show_chart(f"{key}_{number}", drawing)


def _show_chart(key: str, drawing: Drawing) -> None:
    """Draw the chart, which scrolls in its place where that is narrower than it may be."""
    with st.container(key=f"chart_{key}"):
        if drawing.least_width:
            selector = f".st-key-chart_{key}"
            least = f'{selector} [data-testid="stVegaLiteChart"] {{ min-width: {drawing.least_width}px; }}'
            st.html(f"<style>{selector} {{ overflow-x: auto; }} {least}</style>")
        chart = chart_of(drawing)
        width = "stretch" if chart.get("width") == "container" else "content"
        st.vega_lite_chart(chart, theme=None, width=width)


def chart_of(drawing: Drawing) -> JsonObject:
    """Return the drawing as Vega-Lite with its rows, the data of fixed lines, and the theme's colors."""
    colors = DARK if st.context.theme.type == "dark" else LIGHT
    spec = apply_colors(drawing.source.lite, colors)
    params = [
        {"name": param["name"], "expr": _NARROW} if param["name"] == "narrow" else param
        for param in spec["params"]
    ]
    return {
        **spec,
        "description": drawing.title,
        "params": params,
        "datasets": {**spec.get("datasets", {}), "rows": list(drawing.rows)},
    }


def _show_grid(key: str, grid: Grid) -> None:
    """Show the table of a section; a heading has that of its group before it.

    Streamlit underlines no cell: the second best has a background in place of the report's underline.
    """
    groups = [name for name, width in grid.groups for _ in range(width)] or [""] * len(grid.headings)
    pairs = zip(groups, grid.headings, strict=True)
    headings = [f"{group}: {name}" if group else name for group, name in pairs]
    columns = tuple(f"{number}" for number in range(len(headings)))
    frame = pd.DataFrame(list(grid.rows), columns=list(columns))
    config = {
        column: st.column_config.TextColumn(
            headings[index], pinned=index == 0, alignment="right" if index in grid.numeric else "left"
        )
        for index, column in enumerate(columns)
    }
    marks = {"best": "font-weight: bold", "second": "background-color: #80808040"}
    styles = frame.apply(
        lambda column: [marks.get(grid.mark_of(row, int(column.name)), "") for row in range(len(frame))]
    )
    st.dataframe(frame.style.apply(lambda _: styles, axis=None), hide_index=True, column_config=config)
    if grid.second:
        st.caption("On this page a gray background takes the place of the underline.")
    offer_downloads(f"{key}_table", lambda: Rows(tuple(headings), grid.rows))


# Which kind a player is: a model, a program, a control, a training checkpoint.


def kinds_of(edition: Opened) -> dict[str, str]:
    """Return the kind of each player, by name; all are models where the benchmark is not installed."""
    players = edition.values("player", "episodes")
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is None:
        return dict.fromkeys(players, MODELS)
    programs = {*benchmark.programs, *benchmark.aliases}
    kind = kind_by_name(programs, benchmark.variants)
    return {player: kind(player) for player in players}


def choose_hidden(kinds: Mapping[str, str], column: DeltaGenerator | None = None) -> set[str]:
    """Let the visitor choose kinds of players; return the players of all others."""
    wanted = choose_several("Players", sorted(set(kinds.values())), "kinds", column)
    return {player for player, kind in kinds.items() if kind not in wanted}


def groups_of(edition: Opened) -> dict[str, str]:
    """Return the group of each player on leaderboards, by name."""
    floor = edition.declaration.floor if edition.declaration else None
    return {player: group_player(player, kind, floor) for player, kind in kinds_of(edition).items()}
