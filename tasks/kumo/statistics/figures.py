"""The paper's studies of a KUMO edition: topology and success, and the domains' graphs."""

from collections.abc import Iterator, Mapping, Sequence

from schemas.kumo.things import SeedConfig
from tasks.kumo.statistics import domain_graph
from tasks.kumo.statistics.cells import KumoCell
from tasks.kumo.statistics.domain_graph import communities
from tasks.statistics import association
from tasks.statistics.association import chi_square, permutation_p_value
from tasks.statistics.cells import ALL, by_player
from tasks.statistics.figure import Figure

_CHI_SQUARE = f"{association.METHOD}; graph signature x majority label; n counts instances"
_CORRECTED = f"{association.CORRECTED_METHOD}; p by permuting labels over instances; n counts instances"
_GRAPH = f"{domain_graph.METHOD}; n counts truths"


def topology_figures(cells: Sequence[KumoCell], settings: Sequence[str], seed: int) -> Iterator[Figure]:
    """Yield V and its corrected form for each setting and player, over all domains."""
    for setting in settings:
        for player, played in by_player(cells, setting).items():
            signatures = [cell.signature for cell in played.values()]
            labels = [cell.has_majority for cell in played.values()]
            found = chi_square(signatures, labels)
            of = (setting, ALL, player, found.n)
            yield Figure("cramers_v", *of, found.cramers_v, _CHI_SQUARE, p_value=found.p_value)
            p_value = permutation_p_value(signatures, labels, seed)
            yield Figure("cramers_v_corrected", *of, found.corrected_v, _CORRECTED, p_value=p_value)


def domain_figures(configs: Mapping[str, SeedConfig], seed: int) -> Iterator[Figure]:
    """Yield the number of communities of each domain's graph and their modularity."""
    for domain, config in configs.items():
        found = communities(config, seed)
        figures = (("communities", float(len(found.communities))), ("modularity", found.modularity))
        for statistic, value in figures:
            yield Figure(statistic, ALL, domain, ALL, found.n_truths, value, _GRAPH)
