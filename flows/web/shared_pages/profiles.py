"""Profiles: players on an edition of each benchmark, side by side, and how benchmarks go together."""

import streamlit as st

from perennial.flows.editions.report_profiles import read_profiles
from perennial.flows.web.figures import show_section
from perennial.flows.web.page import Page, Visit, choose, choose_several
from perennial.tasks.report.profiles import profile_sections

_HAS_PROFILES = "SELECT count(*) FROM statistics WHERE statistic = 'rank_in_kind'"


def show(visit: Visit) -> None:
    """Show the scores of players on the chosen editions, their correlations, and domains."""
    editions = _choose_editions(visit)
    if not editions:
        st.info(
            "No edition in this data root has profiles: publish one with `perennial refresh`, or compute "
            "those of editions from an earlier version with `perennial analyse`."
        )
        return
    # Of these editions each is the newest of its benchmark.
    data = read_profiles(visit.snapshot.of(*editions.values()).read)
    kinds = {row["player"]: row["kind"] for row in data.tables["profile_scores"].records()}
    wanted = choose_several("Players", sorted(set(kinds.values())), "kinds")
    hidden = {player for player, kind in kinds.items() if kind not in wanted}
    for section in profile_sections(data.without(hidden)):
        show_section(section, visit)
    with st.container(horizontal=True):
        for benchmark, edition in editions.items():
            visit.link("leaderboard", f"{benchmark}: {edition}", edition=edition)


def _choose_editions(visit: Visit) -> dict[str, str]:
    """Return the edition of each benchmark that the URL names, else the newest that has profiles."""
    listed: dict[str, list[str]] = {}
    for one in visit.list_editions():
        if visit.snapshot.of(one["edition"]).query(_HAS_PROFILES).rows[0][0]:
            listed.setdefault(one["benchmark"], []).append(one["edition"])
    if not listed:
        return {}
    chosen = {}
    for place, (benchmark, editions) in zip(st.columns(len(listed)), sorted(listed.items()), strict=True):
        with place:
            chosen[benchmark] = choose(f"Edition of {benchmark}", editions, f"of_{benchmark}")
    return chosen


PROFILES = Page("profiles", "Profiles", show)
