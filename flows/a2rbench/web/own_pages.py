"""What A2RBench adds to the explorer: its items."""

import streamlit as st

from perennial.flows.web.page import ALL, Page, Visit, choose
from perennial.flows.web.tables import show_query
from perennial.schemas.a2rbench.things import DOMAINS, SETTINGS, VARIATIONS
from perennial.warehouse.catalog.confinement import quote


def show_items(visit: Visit) -> None:
    """List the items of the edition."""
    columns = st.columns(4)
    with columns[0]:
        edition = visit.choose_edition("a2rbench")
    wanted = []
    names = [f"V{number}" for number in range(VARIATIONS)]
    for place, (label, name, column, options) in enumerate(
        (
            ("Cell", "domain", "i.domain", DOMAINS),
            ("Variation", "variation", "'V' || a.variation", names),
            ("Setting", "setting", "i.setting", SETTINGS),
        ),
        start=1,
    ):
        with columns[place]:
            wanted.append((column, choose(label, [ALL, *options], name)))
    where = " AND ".join(f"{name} = {quote(value)}" for name, value in wanted if value != ALL) or "true"
    show_query(
        "items",
        edition.snapshot,
        "SELECT i.instance_id, i.domain, i.setting, a.variation, a.rule, a.author, a.fits, a.gzip, "
        "p.instance_id IS NOT NULL AS private, s.value AS share_solved, s.n AS players, a.query, a.answer "
        "FROM instances AS i JOIN a2rbench_items AS a USING (edition, instance_id) "
        "LEFT JOIN private_instances AS p USING (edition, instance_id) "
        "LEFT JOIN statistics AS s ON s.other = i.instance_id AND s.statistic = 'item_share_solved' "
        f"WHERE {where} ORDER BY i.domain, a.rule, a.seed_item, a.variation, a.is_remapped, i.instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


ITEMS = Page("a2rbench-items", "A2RBench: items", show_items)
