"""All editions of a benchmark on one scale: rates of players, over time, and differences."""

import streamlit as st

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.figure_data import read_figures
from perennial.flows.web.figures import show_section
from perennial.flows.web.page import Page, Visit, choose
from perennial.flows.web.tables import show_query
from perennial.tasks.report.figures.headline import scale_over_editions
from perennial.warehouse.catalog.confinement import quote

_PLAYER = "player || if(protocol_id = '', '', ' (protocol ' || protocol_id || ')')"
_OTHER = "other || if(other_protocol_id = '', '', ' (protocol ' || other_protocol_id || ')')"


def show_scale(visit: Visit) -> None:
    """Show the scale of one benchmark: rates, pictures over time, and differences in one setting."""
    snapshot = visit.snapshot
    names = snapshot.query("SELECT DISTINCT benchmark FROM scale ORDER BY 1").column("benchmark")
    if not names:
        st.info("No scale is computed for what is visible here: `perennial analyse` computes it.")
        return
    benchmark = choose("Benchmark", names, "benchmark")
    newest = next(one["edition"] for one in visit.list_editions() if one["benchmark"] == benchmark)
    found = find_installed(benchmark)
    data = read_figures(snapshot.read, newest, found, [scale_over_editions], lambda: 0)
    show_section(scale_over_editions(data), visit)
    st.header("Differences")
    listed = f"SELECT DISTINCT setting FROM scale WHERE benchmark = {quote(benchmark)} ORDER BY 1"
    setting = choose("Setting", snapshot.query(listed).column("setting"), "setting")
    show_query(
        "differences",
        snapshot,
        f"SELECT {_PLAYER} AS player, {_OTHER} AS other, value, low, high, standard_error, link "
        f"FROM scale WHERE benchmark = {quote(benchmark)} AND setting = {quote(setting)} "
        "AND statistic = 'difference' ORDER BY player, other",
    )
    st.caption(
        "Differences between all players, those who never met too. Intervals (95%) include the draw of "
        "domains and the link between editions."
    )


SCALE = Page("scale", "Common scale", show_scale)
