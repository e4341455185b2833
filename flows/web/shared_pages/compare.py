"""Pairs of players on the same instances, and players in two editions."""

from dataclasses import replace

import streamlit as st

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.report_comparison import read_comparison
from perennial.flows.web.figures import read_edition, show_section
from perennial.flows.web.page import ALL, Page, Visit, choose
from perennial.flows.web.tables import show_query
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.report.comparison import edition_difference, edition_link
from perennial.tasks.report.figures.headline import heat_map
from perennial.tasks.report.figures.interval_rows import draw_pairs_of, player_pairs
from perennial.warehouse.catalog.confinement import quote


def show_pairs(visit: Visit) -> None:
    """Show the paired comparisons of one setting: neighbours in rank, or those of a player."""
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
    data = read_edition(edition, [player_pairs]).of_setting(setting)
    section = player_pairs(data)
    if player != ALL:
        section = replace(section, drawings=draw_pairs_of(data, setting, player))
    show_section(section, visit)
    st.header("All pairs" if player == ALL else "Pairs of the player")
    chosen = "(difference > 0 OR (difference = 0 AND player < other_player))"
    show_query(
        "pairs",
        edition.snapshot,
        "SELECT player, other_player, instances, difference, difference_low, difference_high, population, "
        "discordant_instances, mcnemar_p_shown AS p, mcnemar_p_holm AS p_holm, family "
        f"FROM paired_comparisons WHERE setting = {quote(setting)} "
        f"AND {chosen if player == ALL else f'player = {quote(player)}'} "
        "ORDER BY abs(difference) DESC, player, other_player",
    )


def show_drift(visit: Visit) -> None:
    """Show how differently players do in two editions of one benchmark, and what drifted."""
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
    edition = visit.open_edition(newer)
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is None:
        raise UnreadableInput(f"benchmark {edition.benchmark_name!r} is not installed here")
    both = visit.snapshot.of(newer, older)
    data = read_edition(edition, [heat_map])
    comparison = read_comparison(both.read, older, newer, benchmark)
    for show in (edition_difference, edition_link):
        show_section(show(data, comparison), visit)
    names = ", ".join(comparison.anchors) or "none"
    st.text(f"anchors of both editions: {names}")


PAIRS = Page("pairs", "Pairs", show_pairs)
DRIFT = Page("drift", "Drift between editions", show_drift)
