"""Gather what the report of an edition shows: its queries as they are run, and its domain graphs."""

import re
from collections.abc import Mapping
from datetime import UTC
from importlib.resources import files
from typing import Any

from schemas.errors import InvalidOption, UnreadableInput
from tasks.kumo.configuration import parse_config
from tasks.report.content import Comparison, DomainGraph, Record, ReportData, ReportTable
from tasks.statistics.domain_graph import communities, domain_graph
from warehouse.catalog.catalog import Catalog, open_catalog
from warehouse.store.store import Store

QUERIES = (
    "headline",
    "relative_action_counts",
    "domains",
    "player_pairs",
    "tokens",
    "statuses",
    "other_benchmarks",
    "optimal_counts",
    "topology",
)
_COMMUNITIES_COMPUTED = (
    "Computed from these configurations: truths that one action can rule out are linked, and communities "
    "found by Louvain's method."
)


def choose_edition(catalog: Catalog, root: str, edition: str | None) -> str:
    """Return the edition, or the newest one where none is named.

    Raises UnreadableInput where none is published, InvalidOption where that one is not.
    """
    if not catalog.editions:
        raise UnreadableInput(
            f"no edition is published in {root!r}, or all are withdrawn: run `perennial refresh` first, or "
            "name another --root"
        )
    if edition is None:
        _, rows = catalog.query("SELECT edition FROM editions ORDER BY created_at DESC, edition DESC LIMIT 1")
        return str(rows[0][0])
    if edition not in catalog.editions:
        known = ", ".join(catalog.editions)
        raise InvalidOption(
            f"edition {edition!r} is not published in {root!r}, or withdrawn: use one of {known}"
        )
    return edition


def report_data(store: Store, edition: str | None = None, compare: str | None = None) -> ReportData:
    """Return all that the page of the edition shows, compared with another edition where one is named.

    Raises what `choose_edition` raises, and InvalidOption for an edition compared with itself.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    chosen = choose_edition(catalog, store.root, edition)
    comparison = None
    if compare is not None:
        other = choose_edition(catalog, store.root, compare)
        if other == chosen:
            raise InvalidOption(f"--compare {other!r} is the report's own edition: name another one")
        comparison = Comparison(
            other,
            _table(catalog, other, "headline", f"headline_{other}"),
            _table(catalog, other, "domains", f"domains_{other}"),
        )
    tables = {name: _table(catalog, chosen, name) for name in QUERIES}
    graphs, members = _graphs(catalog, chosen)
    return ReportData(chosen, _facts(catalog, chosen), {**tables, members.name: members}, graphs, comparison)


def query_text(name: str, edition: str) -> str:
    """Return the SQL of a query of `report_queries/` with the edition in its place."""
    sql = (files("flows") / "report_queries" / f"{name}.sql").read_text(encoding="utf-8")
    quoted = "'" + edition.replace("'", "''") + "'"
    return re.sub(r"\$edition\b", lambda _: quoted, sql).strip()


def _table(catalog: Catalog, edition: str, query: str, name: str = "") -> ReportTable:
    sql = query_text(query, edition)
    columns, rows = catalog.query(sql)
    return ReportTable(name or query, tuple(columns), tuple(rows), sql)


def _facts(catalog: Catalog, edition: str) -> tuple[tuple[str, str], ...]:
    (record,) = _table(catalog, edition, "edition").records()
    counts = ("domains", "instances", "episodes")
    return (
        ("benchmark", str(record["benchmark"])),
        ("published", f"{record['created_at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"),
        ("seed", str(record["seed"])),
        ("perennial", str(record["code_version"])),
        *((name, f"{record[name]:,}") for name in counts if record[name] is not None),
    )


def _graphs(catalog: Catalog, edition: str) -> tuple[tuple[DomainGraph, ...], ReportTable]:
    """Return the domain graphs, and the table of their communities: a row a community."""
    source = _table(catalog, edition, "configurations")
    (row,) = _table(catalog, edition, "edition").records()
    graphs = tuple(_graph(record, row["seed"]) for record in source.records())
    rows = tuple(
        (graph.domain, len(graph.truths), len(graph.links), graph.modularity, number, len(members), names)
        for graph in graphs
        for number, members in enumerate(graph.communities, start=1)
        for names in [[graph.truths[member] for member in members]]
    )
    columns = ("domain", "n_truths", "n_links", "modularity", "community", "n_members", "truths")
    return graphs, ReportTable("communities", columns, rows, source.sql, _COMMUNITIES_COMPUTED)


def _graph(record: Record, seed: int) -> DomainGraph:
    config = parse_config(record["config"], record["domain"])
    linked = domain_graph(config)
    truths = tuple(linked)
    place: Mapping[str, int] = {truth: number for number, truth in enumerate(truths)}
    found = communities(config, seed)
    links: list[tuple[Any, Any, Any]] = list(linked.edges(data="weight"))
    return DomainGraph(
        domain=record["domain"],
        truths=truths,
        links=tuple((place[one], place[other], int(weight)) for one, other, weight in links),
        communities=tuple(tuple(place[truth] for truth in group) for group in found.communities),
        modularity=found.modularity,
    )
