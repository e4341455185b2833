"""Figures of the report on a page: the report's own section, its drawings, and the tables behind it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import streamlit as st

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.figure_data import own_report, read_figures
from perennial.flows.web.page import Opened, Visit
from perennial.flows.web.plain_text import plain, plain_line
from perennial.flows.web.reading import Rows
from perennial.flows.web.tables import offer_downloads, show_rows
from perennial.schemas.rows import JsonObject
from perennial.tasks.report.content import Drawing, Figure, Grid, ReportData, Section
from perennial.tasks.report.page import DARK, LIGHT, apply_colors
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

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
    own = own_report(find_installed(edition.benchmark_name))
    return (*own.figures, *own.explored)


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
            place = st.container()
        else:
            places = places or list(st.columns(2))
            place = places.pop(0)
        with place:
            st.markdown(f"**{plain_line(drawing.heading)}**")
            _show_chart(f"{key}_{number}", drawing)


def _show_chart(key: str, drawing: Drawing) -> None:
    """Draw the chart, which scrolls in its place where that is narrower than it may be."""
    with st.container(key=f"chart_{key}"):
        if drawing.least_width:
            place = f".st-key-chart_{key}"
            least = f'{place} [data-testid="stVegaLiteChart"] {{ min-width: {drawing.least_width}px; }}'
            st.html(f"<style>{place} {{ overflow-x: auto; }} {least}</style>")
        chart = chart_of(drawing)
        width = "stretch" if chart.get("width") == "container" else "content"
        st.vega_lite_chart(chart, theme=None, width=width)


def chart_of(drawing: Drawing) -> JsonObject:
    """Return the drawing as Vega-Lite with its rows, the data of fixed lines, and the theme's colors."""
    colors = DARK if st.context.theme.type == "dark" else LIGHT
    spec = apply_colors(drawing.source.lite, colors)
    params = [
        {"name": one["name"], "expr": _NARROW} if one["name"] == "narrow" else one for one in spec["params"]
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
    import pandas as pd

    groups = [name for name, width in grid.groups for _ in range(width)] or [""] * len(grid.headings)
    pairs = zip(groups, grid.headings, strict=True)
    headings = [f"{group}: {name}" if group else name for group, name in pairs]
    columns = tuple(f"{number}" for number in range(len(headings)))
    frame = pd.DataFrame(list(grid.rows), columns=list(columns))
    config = {
        column: st.column_config.TextColumn(
            headings[place], pinned=place == 0, alignment="right" if place in grid.numeric else "left"
        )
        for place, column in enumerate(columns)
    }
    marks = {"best": "font-weight: bold", "second": "background-color: #80808040"}
    styles = frame.apply(
        lambda column: [marks.get(grid.mark_of(row, int(column.name)), "") for row in range(len(frame))]
    )
    st.dataframe(frame.style.apply(lambda _: styles, axis=None), hide_index=True, column_config=config)
    if grid.second:
        st.caption("On this page a gray background takes the place of the underline.")
    offer_downloads(f"{key}_table", lambda: Rows(tuple(headings), grid.rows))
