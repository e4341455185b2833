"""The paper's studies on an edition: topology and success, correlations of scores, items, domain graphs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from schemas.kumo.things import SeedConfig
from tasks.statistics import association, domain_graph, items
from tasks.statistics.association import chi_square, permutation_p_value
from tasks.statistics.cells import ALL, Cell, Group, by_player
from tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, pearson, spearman
from tasks.statistics.domain_graph import communities
from tasks.statistics.figure import Figure
from tasks.statistics.items import item_statistics
from tasks.statistics.rate_figures import has_majority

_CHI_SQUARE = f"{association.METHOD}; graph signature x majority label; n counts instances"
_CORRECTED = f"{association.CORRECTED_METHOD}; p by permuting labels over instances; n counts instances"
_ITEM = f"{items.METHOD}; n counts players"
_GRAPH = f"{domain_graph.METHOD}; n counts truths"

Scores = Mapping[str, float]


def topology_figures(cells: Sequence[Cell], settings: Sequence[str], seed: int) -> Iterator[Figure]:
    """Yield V and its corrected form for each setting and player, over all domains."""
    for setting in settings:
        for player, played in by_player(cells, setting).items():
            signatures = [cell.signature for cell in played.values()]
            labels = [has_majority(cell) for cell in played.values()]
            found = chi_square(signatures, labels)
            yield Figure(
                "cramers_v",
                setting,
                ALL,
                player,
                found.n,
                found.cramers_v,
                _CHI_SQUARE,
                p_value=found.p_value,
            )
            yield Figure(
                "cramers_v_corrected",
                setting,
                ALL,
                player,
                found.n,
                found.corrected_v,
                _CORRECTED,
                p_value=permutation_p_value(signatures, labels, seed),
            )


def item_figures(cells: Sequence[Cell], settings: Sequence[str]) -> Iterator[Figure]:
    """Yield difficulty and discrimination of each instance, `other` being the instance."""
    for setting in settings:
        scores: dict[str, dict[str, list[bool]]] = {}
        domains: dict[str, str] = {}
        for player, played in by_player(cells, setting).items():
            for instance_id, cell in played.items():
                runs = [True] * cell.solved + [False] * (cell.runs - cell.solved)
                scores.setdefault(instance_id, {})[player] = runs
                domains[instance_id] = cell.domain
        for item in item_statistics(scores):
            where = (setting, domains[item.instance_id], ALL)
            yield Figure(
                "item_share_solved", *where, item.n, item.share_solved, _ITEM, other=item.instance_id
            )
            yield Figure(
                "item_discrimination",
                *where,
                item.n,
                item.discrimination,
                _ITEM,
                other=item.instance_id,
            )


def correlation_figures(
    groups: Mapping[Group, Sequence[Cell]], external: Mapping[str, Scores]
) -> Iterator[Figure]:
    """Yield the correlations of players' success rates: between settings, domains, and other benchmarks.

    `external` is each other benchmark's scores by player. `other` names what is compared with.
    """
    rates: dict[tuple[str, str], dict[str, float]] = {}
    for (setting, domain, player), cells in groups.items():
        runs = sum(cell.runs for cell in cells)
        if runs:
            rates.setdefault((setting, domain), {})[player] = sum(cell.solved for cell in cells) / runs
    overall = [setting for setting, domain in rates if domain == ALL]
    for one, other in combinations(overall, 2):
        yield from _correlations(rates[one, ALL], rates[other, ALL], one, ALL, f"setting {other}")
    for setting in overall:
        domains = [domain for name, domain in rates if name == setting and domain != ALL]
        for one, other in combinations(domains, 2):
            yield from _correlations(
                rates[setting, one], rates[setting, other], setting, one, f"domain {other}"
            )
        for benchmark, scores in external.items():
            yield from _correlations(rates[setting, ALL], scores, setting, ALL, f"benchmark {benchmark}")


def _correlations(one: Scores, two: Scores, setting: str, domain: str, other: str) -> Iterator[Figure]:
    shared = sorted(set(one) & set(two))
    x, y = [one[player] for player in shared], [two[player] for player in shared]
    measures = (("pearson", pearson, PEARSON_METHOD), ("spearman", spearman, SPEARMAN_METHOD))
    for statistic, measure, method in measures:
        found = measure(x, y)
        if found.r is None:
            continue
        yield Figure(
            statistic,
            setting,
            domain,
            ALL,
            found.n,
            found.r,
            f"{method}; over players' success rates; n counts players",
            other=other,
            low=found.low,
            high=found.high,
            p_value=found.p_value,
        )


def domain_figures(configs: Mapping[str, SeedConfig], seed: int) -> Iterator[Figure]:
    """Yield the number of communities of each domain's graph and their modularity."""
    for domain, config in configs.items():
        found = communities(config, seed)
        figures = (("communities", float(len(found.communities))), ("modularity", found.modularity))
        for statistic, value in figures:
            yield Figure(statistic, ALL, domain, ALL, found.n_truths, value, _GRAPH)
