"""What the report computes of KUMO's queries: domain graphs, communities, shares of optimal counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.report.training_curves import compute_curves
from perennial.tasks.kumo.statistics.domain_graph import communities, domain_graph
from perennial.tasks.report.content import Extras, Query, Record, ReportTable
from perennial.tasks.statistics.shares import wilson_interval

CONFIGURATIONS = Query(
    "configurations",
    """
-- What is each domain made of?
SELECT d.name AS domain, c.n_truths, c.n_actions, c.config
FROM kumo_seed_configs AS c
JOIN kumo_domains AS d USING (edition, domain_id)
WHERE c.edition = $edition
ORDER BY d.name, c.config_id
""",
)

_COMPUTED = (
    "Computed from these configurations: truths that one action can rule out are linked, and communities "
    "found by Louvain's method."
)
_SHARES = "Beside these rows the share of each count, with Wilson's interval."


@dataclass(frozen=True, slots=True)
class DomainGraph:
    """The truths of a domain, the pairs that one action's mapping links, and their communities.

    A link is two positions in `truths` and the number of actions that make it; a community is a tuple of
    such positions.
    """

    domain: str
    truths: tuple[str, ...]
    links: tuple[tuple[int, int, int], ...]
    communities: tuple[tuple[int, ...], ...]
    modularity: float | None


def compute_extras(queried: Mapping[str, ReportTable], seed: int) -> Extras:
    """Return the domain graphs of the queried `configurations` with their communities, counts and curves."""
    source = queried["configurations"]
    graphs = tuple(_graph(record, seed) for record in source.records())
    rows = tuple(
        (graph.domain, len(graph.truths), len(graph.links), graph.modularity, number, len(members), names)
        for graph in graphs
        for number, members in enumerate(graph.communities, start=1)
        for names in [[graph.truths[member] for member in members]]
    )
    columns = ("domain", "n_truths", "n_links", "modularity", "community", "n_members", "truths")
    communities_table = ReportTable("communities", columns, rows, source.sql, _COMPUTED)
    counts = _with_shares(queried["optimal_counts"])
    return Extras((communities_table, counts, compute_curves(queried, seed)), graphs)


def _with_shares(counts: ReportTable) -> ReportTable:
    """Return the optimal counts with the share of each among the setting's instances, and its interval."""
    rows = []
    for row in counts.records():
        interval = wilson_interval(row["instances"], row["n"])
        rows.append((*row.values(), row["instances"] / row["n"], *(interval or (None, None))))
    columns = (*counts.columns, "share", "share_low", "share_high")
    return ReportTable(counts.name, columns, tuple(rows), counts.sql, _SHARES)


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
