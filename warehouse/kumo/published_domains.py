"""Which domains the published editions hold."""

import json
from collections.abc import Sequence
from datetime import datetime

from perennial.warehouse.catalog.catalog import open_catalog, published_editions, visible_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store


def domain_uses(store: Store) -> dict[str, int]:
    """Return the number of visible editions that hold each domain, by domain id."""
    if not visible_editions(store):
        return {}
    _, rows = open_catalog(store).query(
        "SELECT domain_id, count(DISTINCT edition) FROM kumo_domains GROUP BY 1"
    )
    return dict(rows)


def published_domains(store: Store, editions: Sequence[str]) -> list[tuple[str, str]]:
    """Return name and goal of each domain that these published editions hold, each once, sorted."""
    rows = [row for edition in editions for row in _rows(store, edition, ["domain", "goal"])]
    return sorted({(row["domain"], row["goal"]) for row in rows})


def published_truths(store: Store, editions: Sequence[str]) -> dict[str, list[str]]:
    """Return the truths of each domain that these published editions hold, by the domain's name."""
    truths: dict[str, list[str]] = {}
    for edition in editions:
        names = {row["domain_id"]: row["domain"] for row in _rows(store, edition, ["domain_id", "domain"])}
        file = table_file("kumo_seed_configs", edition)
        configs = store.read_table(file, ["domain_id", "truths"]).to_pylist() if names else []
        truths |= {names[row["domain_id"]]: row["truths"] for row in configs}
    return truths


def domains_by_edition(store: Store) -> list[tuple[str, frozenset[str]]]:
    """Return KUMO's published editions that were grown, the latest first, each with the ids of its domains.

    Withdrawn ones are among them, since their instances were issued; imported ones are left out. Editions of
    the same moment go by name.
    """
    grown = [domains for name in published_editions(store) if (domains := _read_growth_time(store, name))]
    return [
        (name, frozenset(row["domain_id"] for row in _rows(store, name, ["domain_id"])))
        for _, name in sorted(grown, reverse=True)
    ]


def _read_growth_time(store: Store, edition: str) -> tuple[datetime, str] | None:
    """When the edition was published, and its name; None for an imported or another benchmark's."""
    columns = ["benchmark", "created_at", "settings"]
    (row,) = store.read_table(table_file("editions", edition), columns).to_pylist()
    if row["benchmark"] != "kumo" or json.loads(row["settings"])["imported_from"]:
        return None
    return row["created_at"], edition


def _rows(store: Store, edition: str, columns: list[str]) -> list[dict[str, str]]:
    name = table_file("kumo_domains", edition)
    rows: list[dict[str, str]] = store.read_table(name, columns).to_pylist() if store.exists(name) else []
    return rows
