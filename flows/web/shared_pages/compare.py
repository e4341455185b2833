"""Pairs of players on the same instances, and players in two editions."""

from dataclasses import replace

import streamlit as st

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.report import read_comparison, read_figures, read_profiles
from perennial.flows.web.figures import choose_hidden, read_edition, show_query, show_section
from perennial.flows.web.page import ALL, Page, Visit, choose
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.report.comparison import edition_difference, edition_link
from perennial.tasks.report.figures.heat_map import heat_map, scale_over_editions
from perennial.tasks.report.figures.interval_rows import draw_pairs_of, player_pairs
from perennial.tasks.report.profiles import profile_sections
from perennial.warehouse.catalog.confinement import quote


def show_pairs(visit: Visit) -> None:
    """Show the paired comparisons of one setting: neighbours in rank, or those of a player."""
    left, middle, right = st.columns(3)
    edition = visit.choose_edition(column=left)
    settings = edition.values("setting", "paired_comparisons")
    if not settings:
        raise UnreadableInput(f"edition {edition.name} has no two players that met on the same instances")
    setting = choose("Setting", settings, "setting", column=middle)
    players = edition.values("player", f"leaderboard WHERE setting = {quote(setting)}")
    player = choose("Player", [ALL, *players], "player", column=right)
    data = read_edition(edition, [player_pairs]).of_setting(setting)
    section = player_pairs(data)
    if player != ALL:
        drawings = draw_pairs_of(data, setting, player)
        section = replace(section, drawings=drawings).rename(data.claimed)
    show_section(section, visit)
    st.header("All pairs" if player == ALL else "Pairs of the player")
    chosen = "(difference > 0 OR (difference = 0 AND player < other_player))"
    show_query(
        "pairs",
        edition.snapshot,
        "SELECT player, other_player, instances, difference, difference_low, difference_high, "
        "difference_simultaneous_low, difference_simultaneous_high, population, p_shown AS p, "
        "p_adjusted, family, discordant_instances, mcnemar_p_these_instances "
        f"FROM paired_comparisons WHERE setting = {quote(setting)} "
        f"AND {chosen if player == ALL else f'player = {quote(player)}'} "
        "ORDER BY abs(difference) DESC, player, other_player",
    )


def show_drift(visit: Visit) -> None:
    """Show how differently players do in two editions of one benchmark, and what drifted."""
    listed = visit.list_editions()
    several = [
        row["edition"] for row in listed if sum(o["benchmark"] == row["benchmark"] for o in listed) > 1
    ]
    if not several:
        st.info("Drift needs two editions of one benchmark in the data root; there is one or none.")
        return
    left, right = st.columns(2)
    newer = choose("Edition", several, "edition", column=left)
    kind = next(row["benchmark"] for row in listed if row["edition"] == newer)
    others = [row["edition"] for row in listed if row["benchmark"] == kind and row["edition"] != newer]
    older = choose("Compared with", others, "other", column=right)
    edition = visit.open_edition(newer)
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is None:
        raise UnreadableInput(f"benchmark {edition.benchmark_name!r} is not installed here")
    both = visit.snapshot.select(newer, older)
    comparison = read_comparison(both.read, older, newer, benchmark)
    data = replace(read_edition(edition, [heat_map]), comparison=comparison)
    for show in (edition_difference, edition_link):
        show_section(show(data, comparison).rename(data.claimed), visit)
    names = ", ".join(comparison.anchors) or "none"
    st.text(f"anchors of both editions: {names}")


PAIRS = Page("pairs", "Pairs", show_pairs)
DRIFT = Page("drift", "Drift between editions", show_drift)


# Profiles: players on an edition of each benchmark, side by side, and how benchmarks go together.

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
    data = read_profiles(visit.snapshot.select(*editions.values()).read)
    kinds = {row["player"]: row["kind"] for row in data.tables["profile_scores"].records()}
    for section in profile_sections(data.without(choose_hidden(kinds))):
        show_section(section, visit)
    with st.container(horizontal=True):
        for benchmark, edition in editions.items():
            visit.link("leaderboard", f"{benchmark}: {edition}", edition=edition)


def _choose_editions(visit: Visit) -> dict[str, str]:
    """Return the edition of each benchmark that the URL names, else the newest that has profiles."""
    listed: dict[str, list[str]] = {}
    for row in visit.list_editions():
        if visit.snapshot.select(row["edition"]).query(_HAS_PROFILES).rows[0][0]:
            listed.setdefault(row["benchmark"], []).append(row["edition"])
    if not listed:
        return {}
    chosen = {}
    for column, (benchmark, editions) in zip(st.columns(len(listed)), sorted(listed.items()), strict=True):
        chosen[benchmark] = choose(f"Edition of {benchmark}", editions, f"of_{benchmark}", column=column)
    return chosen


PROFILES = Page("profiles", "Profiles", show)


# All editions of a benchmark on one scale: rates of players, over time, and differences.

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
    newest = next(row["edition"] for row in visit.list_editions() if row["benchmark"] == benchmark)
    installed = find_installed(benchmark)
    data = read_figures(snapshot.read, newest, installed, [scale_over_editions], lambda: 0)
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
