"""Players x domains: the success rate of each as a heat map, and as rows."""

import streamlit as st

from perennial.flows.web.figures import read_edition, show_section
from perennial.flows.web.page import Page, Visit, choose, choose_several
from perennial.flows.web.player_kinds import kinds_of
from perennial.tasks.report.figures.headline import heat_map


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
    hidden = {player for player, kind in kinds.items() if kind not in wanted}
    data = read_edition(edition, [heat_map], hidden).of_setting(setting)
    show_section(heat_map(data), visit)


DOMAINS = Page("domains", "Players × domains", show)
