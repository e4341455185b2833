"""KUMO's leaderboard: how many actions players need beside how much they solve."""

import streamlit as st

from flows.web.page import Page, Visit, choose
from flows.web.tables import show_query
from warehouse.catalog.sql.confinement import quote


def show(visit: Visit) -> None:
    """Show the action counts of one setting."""
    columns = st.columns(2)
    with columns[0]:
        edition = visit.choose_edition("kumo")
    settings = edition.query("SELECT DISTINCT setting FROM instances ORDER BY 1").column("setting")
    with columns[1]:
        setting = choose("Setting", settings, "setting")
    where = f"WHERE setting = {quote(setting)}"
    st.header("Action counts")
    show_query(
        "kumo_leaderboard",
        edition.snapshot,
        "SELECT rank, player, instances, success_rate, success_rate_low, success_rate_high, population, "
        "relative_action_count_algorithm_3, relative_action_count_algorithm_3_low, "
        "relative_action_count_algorithm_3_high, relative_action_count_optimum, excess_tests_algorithm_3, "
        "excess_tests_algorithm_3_low, excess_tests_algorithm_3_high, guess_share, mean_tests, "
        "relative_action_count_kumo_2025 "
        f"FROM kumo_leaderboard {where} ORDER BY rank NULLS LAST, success_rate DESC NULLS LAST, player",
    )
    st.caption(
        "Relative action count: sum of counts / sum of the reference's − 1, a count being tests + 1 and a "
        "failed episode counting as all actions + 1; the reference, whose value is 0, is Algorithm 3 or the "
        "optimum. Excess tests: tests − Algorithm 3's, all actions counting as tests where the outcomes seen "
        "did not decide the answer; guess share: share of episodes that answered so."
    )
    st.header("Difficulty of instances")
    show_query(
        "instance_difficulty",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition, setting) FROM instance_difficulty {where} "
        "ORDER BY share_solved NULLS LAST, expected_steps DESC, instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


ACTIONS = Page("kumo-actions", "KUMO: actions", show)
