"""The paper's studies of a KUMO edition: topology and success, and the domains' graphs."""

from collections.abc import Iterator, Mapping

from perennial.schemas.kumo.things import SeedConfig
from perennial.schemas.statistics.populations import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.kumo.statistics import domain_graph
from perennial.tasks.kumo.statistics.action_counts import PAPER
from perennial.tasks.kumo.statistics.domain_graph import communities
from perennial.tasks.statistics import association
from perennial.tasks.statistics.association import chi_square, compute_pooled_v, compute_trend
from perennial.tasks.statistics.cells import ALL, Cells
from perennial.tasks.statistics.figure import Figure

TREND = "topology_trend"
POOLED_V = "cramers_v_pooled"
_RUNS_OF_THE_PAPER = 5
_CHI_SQUARE = f"{association.METHOD}; graph signature x majority label, domains pooled; n counts instances"
_TREND = (
    "slope of the mean success on the graph's edges, centered per domain, in percentage points per edge; "
    "95% interval by resampling domains; p by permuting within domains, "
    f"{association.RESAMPLES} permutations; n counts instances"
)
_POOLED = (
    f"Cramer's V, bias-corrected (Bergsma 2013), of majority label and signature, signatures of fewer than "
    f"{association.FEWEST_MEMBERS} instances in one class; p by permuting labels within domains, "
    f"{association.RESAMPLES} permutations; n counts instances"
)
_GRAPH = f"{domain_graph.METHOD}; n counts truths"


def topology_figures(cells: Cells, seed: int) -> Iterator[Figure]:
    """Yield each player's trend of success on edges and V of pooled signatures, permuted within domains.

    The paper's V and chi-square test only where it defines them: for majority labels of five runs.
    """
    import numpy as np

    for group in cells.groups():
        scored = cells["runs"][group.rows] > 0
        if group.domain != ALL or not scored.any():
            continue
        signatures = cells["signature"][group.rows][scored]
        labels = cells.has_majority()[group.rows][scored]
        domains = np.searchsorted(cells.domains.starts, cells.instance[group.rows][scored], side="right")
        key = (cells.setting, ALL, group.player)
        runs, solved, edges = (cells[name][group.rows][scored] for name in ("runs", "solved", "edges"))
        trend = compute_trend(edges.astype(float), 100 * solved / runs, domains, seed)
        yield Figure(
            TREND,
            *(*key, trend.n, trend.slope, _TREND),
            low=trend.low,
            high=trend.high,
            p_value=trend.p_value,
            population=None if trend.low is None else NEW_DOMAINS,
            no_interval=trend.undefined or trend.no_interval,
        )
        pooled = compute_pooled_v(signatures, labels, domains, seed)
        yield Figure(
            POOLED_V,
            *(*key, pooled.n, pooled.v, _POOLED),
            p_value=pooled.p_value,
            no_interval=pooled.undefined,
        )
        beside = (
            ("topology_classes", float(pooled.classes)),
            ("topology_pooled_share", pooled.pooled_share),
            ("cramers_v_pooled_permuted", pooled.permuted_v),
        )
        for statistic, value in beside:
            yield Figure(statistic, *(*key, pooled.n, value, _POOLED))
        if (runs == _RUNS_OF_THE_PAPER).all():
            found = chi_square(signatures, labels)
            low, high = found.interval or (None, None)
            yield Figure(
                "cramers_v",
                *(*key, found.n, found.cramers_v, _CHI_SQUARE, PAPER.convention),
                low=low,
                high=high,
                p_value=found.p_value,
                population=THESE_DOMAINS,
            )


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
