"""The figures of an edition's report, one at a time, and the tables of its benchmark."""

import streamlit as st

from perennial.flows.web.figures import own_figures, read_edition, show_section
from perennial.flows.web.page import Page, Visit, choose, choose_several
from perennial.flows.web.player_kinds import kinds_of
from perennial.tasks.report.figures.headline import scale_over_editions
from perennial.tasks.report.page import SHARED

# The scale is of several editions, and has a page.
_SHARED = tuple(one for one in SHARED if one is not scale_over_editions)


def show(visit: Visit) -> None:
    """Show one figure as the report has it, of the kinds of players that are chosen."""
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition()
    figures = {one.key: one for one in (*own_figures(edition), *_SHARED)}
    with columns[1]:
        key = choose("Figure", list(figures), "figure", {name: one.title for name, one in figures.items()})
    kinds = kinds_of(edition)
    with columns[2]:
        wanted = choose_several("Players", sorted(set(kinds.values())), "kinds")
    hidden = {player for player, kind in kinds.items() if kind not in wanted}
    data = read_edition(edition, [figures[key]], hidden)
    show_section(figures[key](data), visit)


FIGURES = Page("figures", "Figures", show)
