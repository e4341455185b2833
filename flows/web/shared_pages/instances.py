"""Instances: a list with filters, and one of them with what its benchmark knows of it."""

import streamlit as st

from perennial.flows.benchmark import Benchmark, find_installed
from perennial.flows.web.page import ALL, Opened, Page, Visit, choose, parameter
from perennial.flows.web.plain_text import plain
from perennial.flows.web.shared_pages.episode import open_episode
from perennial.flows.web.tables import show_query
from perennial.warehouse.catalog.confinement import quote


def show(visit: Visit) -> None:
    """Show the instance that the URL names, or the list of all."""
    if parameter("instance"):
        _show_one(visit)
    else:
        _show_list(visit)


def _show_list(visit: Visit) -> None:
    columns = st.columns(3)
    with columns[0]:
        edition = visit.choose_edition()
    with columns[1]:
        setting = choose("Setting", [ALL, *_values(edition, "setting")], "setting")
    with columns[2]:
        domain = choose("Domain", [ALL, *_values(edition, "domain")], "domain")
    chosen = [("i.setting", setting), ("i.domain", domain)]
    where = " AND ".join(f"{column} = {quote(value)}" for column, value in chosen if value != ALL) or "true"
    sql = (
        "SELECT i.instance_id, i.domain, i.setting, i.index, p.instance_id IS NOT NULL AS private, "
        "s.value AS share_solved, s.n AS players FROM instances AS i "
        "LEFT JOIN private_instances AS p USING (edition, instance_id) "
        "LEFT JOIN statistics AS s ON s.other = i.instance_id AND s.statistic = 'item_share_solved' "
        f"WHERE {where} ORDER BY i.setting, i.domain, i.index, i.instance_id"
    )

    def open_row(row: dict[str, str]) -> None:
        visit.go("instances", edition=edition.name, instance=row["instance_id"])

    show_query("instances", edition.snapshot, sql, open_row)


def _values(edition: Opened, column: str) -> list[str]:
    found = edition.query(f"SELECT DISTINCT {column} FROM instances ORDER BY 1")
    return [str(value) for value in found.column(column)]


def _show_one(visit: Visit) -> None:
    edition = visit.choose_edition()
    given = parameter("instance")
    row = edition.require("instances", "instance_id", given)
    visit.link("instances", "All instances", edition=edition.name)
    st.text(f"{given}\n{row['domain']}, setting {row['setting']}, number {row['index']}")
    private = f"SELECT 1 FROM private_instances WHERE instance_id = {quote(given)}"
    if edition.query(private).rows:
        st.warning(
            "This instance is private: no export holds it until its edition is retired. Show it to nobody "
            "who may train or test a model on it."
        )
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is not None:
        benchmark.show_instance(edition, given)
    st.header("Episodes")
    sql = (
        "SELECT episode_id, evaluation, player, run, version, status, success, score, turns, tokens, "
        "cost_usd "
        f"FROM episodes WHERE instance_id = {quote(given)} ORDER BY player, run, version NULLS FIRST"
    )
    show_query("episodes", edition.snapshot, sql, lambda row: open_episode(visit, edition, row["episode_id"]))
    if benchmark is None or not benchmark.offers(Benchmark.show_instance):
        st.caption(f"Benchmark {plain(edition.benchmark_name)} has no page of its own for an instance.")


INSTANCES = Page("instances", "Instances", show)
