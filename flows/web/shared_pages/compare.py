"""Pairs of players on the same instances, and players in two editions."""

import altair as alt
import streamlit as st

from flows.web.page import ALL, Page, Visit, choose
from flows.web.reading import Rows
from flows.web.tables import frame_of, show_query, show_rows
from schemas.errors import UnreadableInput
from warehouse.catalog.sql.confinement import quote

_MOST_DRAWN = 40


def show_pairs(visit: Visit) -> None:
    """Show the paired comparisons of one setting, those of a player first where one is chosen."""
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition()
    settings = edition.query("SELECT DISTINCT setting FROM paired_comparisons ORDER BY 1").column("setting")
    if not settings:
        raise UnreadableInput(f"edition {edition.name} has no two players that met on the same instances")
    with columns[1]:
        setting = choose("Setting", settings, "setting")
    players = edition.query(
        f"SELECT DISTINCT player FROM leaderboard WHERE setting = {quote(setting)} ORDER BY 1"
    ).column("player")
    with columns[2]:
        player = choose("Player", [ALL, *players], "player")
    better_first = "(difference > 0 OR (difference = 0 AND player < other_player))"
    chosen = better_first if player == ALL else f"player = {quote(player)}"
    sql = (
        "SELECT player, other_player, instances, difference, difference_low, difference_high, population, "
        "discordant_instances, "
        "mcnemar_p_shown AS p, mcnemar_p_holm AS p_holm, family FROM paired_comparisons "
        f"WHERE setting = {quote(setting)} AND {chosen} ORDER BY abs(difference) DESC, player, other_player"
    )
    _draw(edition.query(f"FROM ({sql}) LIMIT {_MOST_DRAWN}"))
    show_query("pairs", edition.snapshot, sql)
    st.caption(
        "difference: success rate of the first minus that of the other, over the instances that both "
        "played, with its 95% interval; p: McNemar's exact test; p_holm: corrected over the pairs of the "
        f"family. The {_MOST_DRAWN} largest differences are drawn."
    )


def show_drift(visit: Visit) -> None:
    """Show how differently players do in two editions of one benchmark."""
    listed = visit.list_editions()
    several = [
        one["edition"] for one in listed if sum(o["benchmark"] == one["benchmark"] for o in listed) > 1
    ]
    if not several:
        st.info("Drift needs two editions of one benchmark in the data root; there is one or none.")
        return
    columns = st.columns(2)
    with columns[0]:
        newer = choose("Edition", several, "edition")
    kind = next(one["benchmark"] for one in listed if one["edition"] == newer)
    others = [one["edition"] for one in listed if one["benchmark"] == kind and one["edition"] != newer]
    with columns[1]:
        older = choose("Compared with", others, "other")
    two = f"edition IN ({quote(newer)}, {quote(older)}) AND other_edition IN ({quote(newer)}, {quote(older)})"
    rows = visit.snapshot.query(
        "SELECT setting, player, shared_domains, edition, success_rate, other_edition, other_success_rate, "
        "difference, difference_low, difference_high, population "
        f"FROM edition_differences WHERE {two} ORDER BY setting, difference, player"
    )
    if not rows.rows:
        st.info("These two editions share no player on a domain with two or more instances.")
        return
    _draw(Rows(rows.columns, rows.rows[:_MOST_DRAWN]), other="setting")
    show_rows("drift", rows)
    st.caption(
        "The newer edition's success rate minus the older one's, over the domains that both have. A "
        "difference may be the player's or the edition's: `perennial report --compare` tells them apart by "
        "anchors, players that are the same in both."
    )
    anchors = _anchors(visit, newer) & _anchors(visit, older)
    names = ", ".join(sorted(anchors)) or "none"
    st.text(f"anchors of both editions: {names}")


def _anchors(visit: Visit, edition: str) -> set[str]:
    sql = "SELECT DISTINCT unnest((settings::JSON->'anchors')::VARCHAR[]) AS anchor FROM evaluations"
    return set(visit.snapshot.of(edition).query(sql).column("anchor"))


def _draw(rows: Rows, other: str = "other_player") -> None:
    frame = frame_of(rows)
    frame["pair"] = frame["player"] + (" − " if other == "other_player" else ", ") + frame[other]
    base = alt.Chart(frame).encode(
        y=alt.Y("pair:N", sort=None, title=None, axis=alt.Axis(labelLimit=200, labelOverlap=False)),
        tooltip=["pair:N", "difference:Q", "difference_low:Q", "difference_high:Q"],
    )
    axis = alt.X("difference_low:Q", title="difference of success rates, 95% interval")
    chart = alt.layer(
        alt.Chart(frame).mark_rule(strokeDash=[3, 3], color="gray").encode(x=alt.datum(0)),
        base.mark_rule().encode(x=axis, x2="difference_high"),
        base.mark_point(filled=True, size=50).encode(x="difference:Q"),
    )
    st.altair_chart(chart.properties(height=alt.Step(18)), width="stretch")


PAIRS = Page("pairs", "Pairs", show_pairs)
DRIFT = Page("drift", "Drift between editions", show_drift)
