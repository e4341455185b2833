"""Which domains the earlier editions hold: what taking turns goes by."""

import json
from datetime import datetime

from warehouse.catalog.catalog import published_editions, table_file
from warehouse.store.store import Store


def domains_by_edition(store: Store, benchmark: str) -> list[tuple[str, frozenset[str]]]:
    """Return the published editions that were grown, the latest first, each with the ids of its domains.

    Withdrawn ones are among them, since their instances were issued; imported ones are left out. Editions of
    the same moment go by name.
    """
    grown = [found for name in published_editions(store) if (found := _grown_at(store, name, benchmark))]
    return [(name, _domain_ids(store, name)) for _, name in sorted(grown, reverse=True)]


def _grown_at(store: Store, edition: str, benchmark: str) -> tuple[datetime, str] | None:
    """Return when the edition was published, and its name; None for an imported or another benchmark's."""
    columns = ["benchmark", "created_at", "settings"]
    (row,) = store.read_table(table_file("editions", edition), columns).to_pylist()
    if row["benchmark"] != benchmark or json.loads(row["settings"])["growth"]["imported_from"]:
        return None
    return row["created_at"], edition


def _domain_ids(store: Store, edition: str) -> frozenset[str]:
    name = table_file("kumo_domains", edition)
    if not store.exists(name):
        return frozenset()
    return frozenset(store.read_table(name, ["domain_id"])["domain_id"].to_pylist())
