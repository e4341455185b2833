"""Correlations of players' success rates: between settings, domains, and other benchmarks."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from tasks.statistics.cells import ALL
from tasks.statistics.correlation import PEARSON_METHOD, SPEARMAN_METHOD, Correlation, pearson, spearman
from tasks.statistics.figure import Figure
from tasks.statistics.multiplicity import MODELS, Kind

Scores = Mapping[str, float]


def correlation_figures(
    figures: Iterable[Figure], external: Mapping[str, Scores], kind: Kind
) -> Iterator[Figure]:
    """Yield the correlations of the success rates among these figures; `other` names what is compared with.

    `external` is each other benchmark's scores by player. Each is over all players (player `all`) and over
    the models alone (player `models`): programs, controls and training checkpoints are no sample of models.
    """
    rates: dict[tuple[str, str], dict[str, float]] = {}
    for figure in figures:
        if figure.statistic == "success_rate" and figure.value is not None:
            rates.setdefault((figure.setting, figure.domain), {})[figure.player] = figure.value
    overall = sorted(setting for setting, domain in rates if domain == ALL)
    compared: list[tuple[Scores, Scores, str, str, str]] = [
        (rates[one, ALL], rates[other, ALL], one, ALL, f"setting {other}")
        for one, other in combinations(overall, 2)
    ]
    for setting in overall:
        domains = sorted(domain for name, domain in rates if name == setting and domain != ALL)
        compared += [
            (rates[setting, one], rates[setting, other], setting, one, f"domain {other}")
            for one, other in combinations(domains, 2)
        ]
        compared += [
            (rates[setting, ALL], scores, setting, ALL, f"benchmark {benchmark}")
            for benchmark, scores in external.items()
        ]
    for one_side, other_side, setting, domain, other in compared:
        shared = sorted(set(one_side) & set(other_side))
        models = [player for player in shared if kind(player) == MODELS]
        for who, players in ((ALL, shared), (MODELS, models)):
            x, y = [one_side[player] for player in players], [other_side[player] for player in players]
            if who == ALL or players != shared:
                found = _correlate(x, y)
            for statistic, method, correlation in found:
                yield Figure(
                    statistic,
                    *(setting, domain, who, correlation.n, correlation.r),
                    f"{method}; over success rates of {'players' if who == ALL else who}; n counts players",
                    other=other,
                    low=correlation.low,
                    high=correlation.high,
                    p_value=correlation.p_value,
                )


def _correlate(x: list[float], y: list[float]) -> list[tuple[str, str, Correlation]]:
    """Return the coefficients that are defined, each with its name and method."""
    measures = (("pearson", PEARSON_METHOD, pearson), ("spearman", SPEARMAN_METHOD, spearman))
    found = [(name, method, measure(x, y)) for name, method, measure in measures]
    return [(name, method, correlation) for name, method, correlation in found if correlation.r is not None]
