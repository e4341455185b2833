"""Studies of an edition: its items, and correlations of players' scores."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from tasks.statistics import items
from tasks.statistics.cells import ALL, Cell, Group, by_player
from tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, pearson, spearman
from tasks.statistics.figure import Figure
from tasks.statistics.items import item_statistics

_ITEM = f"{items.METHOD}; n counts players"

Scores = Mapping[str, float]


def item_figures(cells: Sequence[Cell], settings: Sequence[str]) -> Iterator[Figure]:
    """Yield difficulty and discrimination of each instance, `other` being the instance."""
    for setting in settings:
        scores: dict[str, dict[str, float]] = {}
        domains: dict[str, str] = {}
        for player, played in by_player(cells, setting).items():
            for instance_id, cell in played.items():
                scores.setdefault(instance_id, {})[player] = cell.solved / cell.runs
                domains[instance_id] = cell.domain
        for item in item_statistics(scores):
            where, other = (setting, domains[item.instance_id], ALL), item.instance_id
            yield Figure("item_share_solved", *where, item.n, item.share_solved, _ITEM, other=other)
            yield Figure("item_discrimination", *where, item.n, item.discrimination, _ITEM, other=other)


def correlation_figures(
    groups: Mapping[Group, Sequence[Cell]], external: Mapping[str, Scores]
) -> Iterator[Figure]:
    """Yield the correlations of players' success rates: between settings, domains, and other benchmarks.

    `external` is each other benchmark's scores by player. `other` names what is compared with.
    """
    rates: dict[tuple[str, str], dict[str, float]] = {}
    for (setting, domain, player), cells in groups.items():
        scored = [cell.solved / cell.runs for cell in cells if cell.runs]
        if scored:
            rates.setdefault((setting, domain), {})[player] = sum(scored) / len(scored)
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
