"""Players x domains: the success rate of each as a heat map, and as rows."""

import altair as alt
import streamlit as st

from flows.web.page import Page, Visit, choose, choose_several
from flows.web.player_kinds import kinds_of
from flows.web.reading import Rows
from flows.web.tables import frame_of, show_rows
from warehouse.catalog.sql.confinement import quote

_STEP = 26


def show(visit: Visit) -> None:
    """Show how each player does in each domain of one setting."""
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition()
    settings = edition.query("SELECT DISTINCT setting FROM instances ORDER BY 1").column("setting")
    with columns[1]:
        setting = choose("Setting", settings, "setting")
    kinds = kinds_of(edition)
    with columns[2]:
        wanted = choose_several("Players", sorted(set(kinds.values())), "kinds")
    scores = edition.query(
        "SELECT domain, player, instances, scored, success_rate, success_rate_low, success_rate_high, "
        "population, score "
        f"FROM domain_scores WHERE setting = {quote(setting)} ORDER BY domain, success_rate DESC, player"
    )
    rows = Rows(scores.columns, tuple(row for row in scores.rows if kinds.get(row[1]) in wanted))
    if not rows.rows:
        st.info("No player of these kinds has answers in this setting.")
        return
    _draw(rows)
    show_rows("domain_scores", rows)
    st.caption("Rates are means over instances of the mean over runs, with 95% intervals of `population`.")


def _draw(rows: Rows) -> None:
    frame = frame_of(rows)
    means = frame.groupby("player")["success_rate"].mean().sort_values(ascending=False)
    # Domains go down, where there may be dozens of them; players across.
    names = alt.Axis(labelAngle=-90, labelLimit=120, labelOverlap=False)
    base = alt.Chart(frame).encode(
        x=alt.X("player:N", sort=list(means.index), title=None, axis=names),
        y=alt.Y("domain:N", title=None, axis=alt.Axis(labelLimit=130, labelOverlap=False)),
        tooltip=["domain:N", "player:N", "success_rate:Q", "instances:Q", "scored:Q"],
    )
    # Above, as beside the map it would take a third of a phone's width.
    colour = alt.Color(
        "success_rate:Q",
        scale=alt.Scale(scheme="viridis", domain=[0, 1]),
        title="success rate",
        legend=alt.Legend(orient="top", gradientLength=120),
    )
    chart: alt.Chart | alt.LayerChart = base.mark_rect().encode(color=colour)
    if len(frame) <= 400:
        ink = alt.condition("datum.success_rate > 0.55", alt.value("black"), alt.value("white"))
        # Numbers that would overlap are left out.
        opacity = alt.ExprRef(f"width / {len(means)} < {_STEP} ? 0 : 1")
        chart = chart + base.mark_text(fontSize=10, opacity=opacity).encode(
            text=alt.Text("success_rate:Q", format=".2f"), color=ink
        )
    st.altair_chart(chart.properties(height=alt.Step(_STEP)), width="stretch")


DOMAINS = Page("domains", "Players × domains", show)
