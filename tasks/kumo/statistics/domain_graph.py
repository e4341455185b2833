"""The domain graph: how the truths of a domain hang together through its actions.

Nodes are truths; two are linked where they occur in one action's mapping, that is where for each of them
some state of that action rules it out (the paper's 'Domain graph visualization', figure 3e). Where a
configuration repeats a name the first entry counts, and unknown names are skipped, as in
`perennial.tasks.kumo.encoding`.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.encoding import encode_config

if TYPE_CHECKING:
    from networkx import Graph

METHOD = "Louvain communities of the domain graph, links weighted by number of actions; modularity"


@dataclass(frozen=True, slots=True)
class Communities:
    """The communities of a domain's truths, largest first; `modularity` is None where nothing is linked."""

    n_truths: int
    n_links: int
    communities: tuple[tuple[str, ...], ...]
    modularity: float | None

    @property
    def density(self) -> float:
        """The share of pairs of truths that are linked."""
        return 2 * self.n_links / max(1, self.n_truths * (self.n_truths - 1))


def domain_graph(config: SeedConfig) -> "Graph":
    """Return the undirected graph of truths; a link's `weight` is the number of actions that make it.

    Nodes are in the configuration's order, links in that of their nodes: the order of actions, of
    states and of rule-out lists changes nothing.
    """
    from networkx import Graph

    encoded = encode_config(config)
    truths = encoded.truths
    weights = Counter(
        pair for mask in encoded.related for pair in combinations(_members(mask, len(truths)), 2)
    )
    graph = Graph()
    graph.add_nodes_from(truths)
    graph.add_weighted_edges_from(
        (truths[a], truths[b], weight) for (a, b), weight in sorted(weights.items())
    )
    return graph


def communities(config: SeedConfig, seed: int) -> Communities:
    """Return the communities that Louvain's method finds in the domain graph, and their modularity.

    Q = 1/(2m) * sum over truths i, j of one community of (A_ij - k_i k_j / (2m)): the paper's equation 5,
    in -0.5..1, where A_ij counts the actions that link i and j, k_i is their sum over j and m their total
    (as many parallel links as actions). V. D. Blondel et al., Fast unfolding of communities in large
    networks, Journal of Statistical Mechanics (2008) P10008. A truth without a link is a community of
    its own; without any link Q is undefined. Communities stand by size, then by their first truth, and
    truths in the configuration's order.
    """
    from networkx.algorithms.community import louvain_communities, modularity

    graph = domain_graph(config)
    found = louvain_communities(graph, weight="weight", seed=derive_rng(seed, "communities", 0))
    position = {truth: i for i, truth in enumerate(graph)}
    groups = (tuple(sorted(group, key=position.__getitem__)) for group in found)
    ordered = tuple(sorted(groups, key=lambda group: (-len(group), position[group[0]])))
    n_links = graph.number_of_edges()
    return Communities(
        n_truths=len(graph),
        n_links=n_links,
        communities=ordered,
        modularity=float(modularity(graph, ordered, weight="weight")) if n_links else None,
    )


def _members(mask: int, n_truths: int) -> list[int]:
    return [truth for truth in range(n_truths) if mask >> truth & 1]
