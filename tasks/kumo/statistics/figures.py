"""The paper's studies of a KUMO edition: topology and success, and the domains' graphs."""

from collections.abc import Iterator, Mapping

from schemas.kumo.things import SeedConfig
from schemas.statistics.populations import THESE_DOMAINS
from tasks.kumo.statistics import domain_graph
from tasks.kumo.statistics.action_counts import PAPER
from tasks.kumo.statistics.domain_graph import communities
from tasks.statistics import association
from tasks.statistics.association import chi_square, permutation_p_value
from tasks.statistics.cells import ALL, Cells
from tasks.statistics.figure import Figure

CORRECTED_V = "cramers_v_corrected"
_CHI_SQUARE = f"{association.METHOD}; graph signature x majority label, domains pooled; n counts instances"
_CORRECTED = (
    f"{association.CORRECTED_METHOD}; p by permuting labels over the instances of each domain, "
    f"{association.RESAMPLES} permutations; n counts instances"
)
_GRAPH = f"{domain_graph.METHOD}; n counts truths"


def topology_figures(cells: Cells, seed: int) -> Iterator[Figure]:
    """Yield the paper's V and p of each player over pooled domains, the corrected V with p within them."""
    import numpy as np

    for group in cells.groups():
        scored = cells["runs"][group.rows] > 0
        if group.domain != ALL or not scored.any():
            continue
        signatures = cells["signature"][group.rows][scored]
        labels = cells.has_majority()[group.rows][scored]
        domains = np.searchsorted(cells.domains.starts, cells.instance[group.rows][scored], side="right")
        found = chi_square(signatures, labels)
        of = (cells.setting, ALL, group.player, found.n)
        low, high = found.interval or (None, None)
        yield Figure(
            "cramers_v",
            *(*of, found.cramers_v, _CHI_SQUARE, PAPER.convention),
            low=low,
            high=high,
            p_value=found.p_value,
            population=THESE_DOMAINS,
        )
        low, high = found.corrected_interval or (None, None)
        p_value = permutation_p_value(signatures, labels, seed, strata=domains)
        corrected = Figure(
            CORRECTED_V, *of, found.corrected_v, _CORRECTED, low=low, high=high, p_value=p_value
        )
        yield corrected._replace(population=THESE_DOMAINS)


def domain_figures(configs: Mapping[str, SeedConfig], seed: int) -> Iterator[Figure]:
    """Yield the number of communities of each domain's graph and their modularity."""
    for domain, config in configs.items():
        found = communities(config, seed)
        figures = (("communities", float(len(found.communities))), ("modularity", found.modularity))
        for statistic, value in figures:
            yield Figure(
                statistic,
                setting=ALL,
                domain=domain,
                player=ALL,
                n=found.n_truths,
                value=value,
                method=_GRAPH,
            )
