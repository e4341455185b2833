"""All editions of a benchmark on one scale: rates of players, over time, and differences."""

import altair as alt
import streamlit as st

from flows.web.page import Page, Visit, choose
from flows.web.reading import Rows
from flows.web.tables import frame_of, show_query
from warehouse.catalog.sql.confinement import quote

_PLAYER = "player || if(protocol_id = '', '', ' (protocol ' || protocol_id || ')')"
_OTHER = "other || if(other_protocol_id = '', '', ' (protocol ' || other_protocol_id || ')')"


def show_scale(visit: Visit) -> None:
    """Show the scale of one benchmark and setting: a picture over time, rates, and differences."""
    snapshot = visit.snapshot
    names = snapshot.query("SELECT DISTINCT benchmark FROM scale ORDER BY 1").column("benchmark")
    if not names:
        st.info("No scale is computed for what is visible here: `perennial analyse` computes it.")
        return
    columns = st.columns(2)
    with columns[0]:
        benchmark = choose("Benchmark", names, "benchmark")
    listed = f"SELECT DISTINCT setting FROM scale WHERE benchmark = {quote(benchmark)} ORDER BY 1"
    with columns[1]:
        setting = choose("Setting", snapshot.query(listed).column("setting"), "setting")
    chosen = f"benchmark = {quote(benchmark)} AND setting = {quote(setting)}"
    over_time = snapshot.query(
        f"SELECT {_PLAYER} AS player, other AS edition, value, low, high FROM scale "
        "JOIN editions ON editions.edition = other "
        f"WHERE scale.benchmark = {quote(benchmark)} AND setting = {quote(setting)} "
        "AND statistic = 'rate_in_edition' "
        "ORDER BY created_at, other, value DESC, player"
    )
    if over_time.rows:
        _draw(over_time)
    else:
        st.caption("one edition with answers: nothing to compare over time")
    st.header("Rates")
    show_query(
        "rates",
        snapshot,
        f"SELECT {_PLAYER} AS player, value, low, high, standard_error, domains, editions, "
        f"discrimination, discrimination_p_holm FROM scale WHERE {chosen} AND statistic = 'rate' "
        "ORDER BY value DESC, player",
    )
    st.header("Differences")
    show_query(
        "differences",
        snapshot,
        f"SELECT {_PLAYER} AS player, {_OTHER} AS other, value, low, high, standard_error, link "
        f"FROM scale WHERE {chosen} AND statistic = 'difference' ORDER BY player, other",
    )
    st.caption(
        "Rates over the population of domains, from all visible editions of the benchmark by a joint model; "
        "intervals (95%) include the draw of domains and the link between editions. In the drawing, a rate "
        "is by one edition alone, less what was hard for all there. Where discrimination_p_holm is small, "
        "the player does not follow hard and easy domains as the scale takes it to."
    )


def _draw(rows: Rows) -> None:
    frame = frame_of(rows)
    base = alt.Chart(frame).encode(
        x=alt.X("edition:N", sort=None, title=None),
        xOffset="player:N",
        color=alt.Color("player:N", title=None),
        tooltip=["player:N", "edition:N", "value:Q", "low:Q", "high:Q"],
    )
    axis = alt.Y("low:Q", title="rate on the common scale, 95% interval", scale=alt.Scale(domain=[0, 1]))
    chart = alt.layer(
        base.mark_rule().encode(y=axis, y2="high:Q"),
        base.mark_point(filled=True, size=50).encode(y="value:Q"),
    )
    st.altair_chart(chart.properties(height=320), width="stretch")


SCALE = Page("scale", "Common scale", show_scale)
