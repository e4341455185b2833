"""KUMO's instances with how hard each is."""

import streamlit as st

from perennial.flows.web.page import Page, Visit, choose
from perennial.flows.web.tables import show_query
from perennial.warehouse.catalog.confinement import quote


def show(visit: Visit) -> None:
    """List the instances of one setting, the hardest first."""
    columns = st.columns(2)
    with columns[0]:
        edition = visit.choose_edition("kumo")
    settings = edition.query("SELECT DISTINCT setting FROM instances ORDER BY 1").column("setting")
    with columns[1]:
        setting = choose("Setting", settings, "setting")
    show_query(
        "instance_difficulty",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition, setting) FROM instance_difficulty WHERE setting = {quote(setting)} "
        "ORDER BY share_solved NULLS LAST, expected_steps DESC, instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


INSTANCES = Page("kumo-instances", "KUMO: instances", show)
