"""Correlations of players' success rates, and of a benchmark's measures with other benchmarks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from perennial.schemas.statistics import MODELS, NEW_DOMAINS, THESE_DOMAINS, Measure, Population
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.correlation import (
    DISATTENUATED_METHOD,
    FEWEST_INSTANCES,
    FEWEST_PLAYERS,
    NOT_RELIABLE,
    PEARSON_METHOD,
    SPEARMAN_METHOD,
    Correlation,
    disattenuate,
    pearson,
    spearman,
)
from perennial.tasks.statistics.multiplicity import Kind, Statistic, holm

Scores = Mapping[str, float]
_FAMILY = "all of this coefficient"
_RATES = "any"  # the convention of success rates


class _Side(NamedTuple):
    """Scores by player, and their reliability by set of players and population; None: supposed 1."""

    scores: Scores
    reliability: Mapping[tuple[str, str], float | None] | None = None

    def reliability_of(self, who: str, population: Population) -> float | None:
        """Return the reliability of these players' scores in the population; of all where all are models."""
        if self.reliability is None:
            return 1.0
        return self.reliability.get((who, population), self.reliability.get((ALL, population)))

    def shows(self, population: Population) -> bool:
        """Return whether the reliability in the population is known."""
        return self.reliability is not None and (ALL, population) in self.reliability


def correlation_figures(
    figures: Iterable[Statistic],
    external: Mapping[str, Scores],
    kind: Kind,
    measures: Sequence[Measure] = (),
) -> Iterator[Statistic]:
    """Yield the correlations of the success rates among these figures; `other` names what is compared with.

    `external` is each other benchmark's scores by player; a benchmark's own `measures` are compared with
    these too (the paper's figure 4c-e), and `convention` names their column of the leaderboard. Each is over
    all players (player `all`) and over the models alone (player `models`): programs, controls and training
    checkpoints are no sample of models. Fewer than 7 players have no correlation, and a player's rate in a
    domain takes part if it rests on 5 instances or more. `pearson_disattenuated` is
    Pearson's without chance: within the edition of these domains, which both sides share, with other
    benchmarks of the widest population that the reliability among the figures is of; measures have none.
    Holm's correction covers all correlations of one coefficient over one set of players in a setting, for
    each measure on its own.
    """
    listed = list(figures)
    sides = _read_sides(listed)
    rates = {key: side.scores for key, side in sides.items()}
    overall = sorted(setting for setting, domain in rates if domain == ALL)
    compared: list[tuple[_Side, _Side, str, str, str]] = [
        (sides[first, ALL], sides[other, ALL], first, ALL, f"setting {other}")
        for first, other in combinations(overall, 2)
    ]
    for setting in overall:
        domains = sorted(domain for name, domain in rates if name == setting and domain != ALL)
        compared += [
            (sides[setting, first], sides[setting, other], setting, first, f"domain {other}")
            for first, other in combinations(domains, 2)
        ]
        compared += [
            (sides[setting, ALL], _Side(scores), setting, ALL, f"benchmark {benchmark}")
            for benchmark, scores in external.items()
        ]
    correlations = [figure for pair in compared for figure in _correlate(*pair, kind)]
    for measure in measures:
        for setting, values in _read_measure(listed, measure).items():
            for benchmark, scores in external.items():
                other = f"benchmark {benchmark}"
                first, two = _Side(values), _Side(scores)
                correlations += _correlate(first, two, setting, ALL, other, kind, measure.column)
    yield from _adjust(correlations)


def _read_measure(figures: Iterable[Statistic], measure: Measure) -> dict[str, dict[str, float]]:
    """Return each setting's values of the measure by player, all domains together."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for figure in figures:
        is_measure = (figure.statistic, figure.convention) == (measure.statistic, measure.convention)
        if is_measure and (figure.domain, figure.other) == (ALL, "") and figure.value is not None:
            values[figure.setting][figure.player] = figure.value
    return dict(sorted(values.items()))


def _read_sides(figures: Sequence[Statistic]) -> dict[tuple[str, str], _Side]:
    scores: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    reliable: dict[tuple[str, str], dict[tuple[str, str], float | None]] = defaultdict(dict)
    few = {
        (figure.setting, figure.domain, figure.player)
        for figure in figures
        if figure.statistic == "majority_success" and figure.domain != ALL and figure.n < FEWEST_INSTANCES
    }
    for figure in figures:
        key = figure.setting, figure.domain
        if (
            figure.statistic == "success_rate"
            and figure.value is not None
            and (*key, figure.player) not in few
        ):
            scores[key][figure.player] = figure.value
        elif figure.statistic == "reliability":
            reliable[key][figure.player, figure.convention] = figure.value
    return {key: _Side(values, reliable[key]) for key, values in scores.items()}


def _correlate(
    first: _Side, two: _Side, setting: str, domain: str, other: str, kind: Kind, measure: str = _RATES
) -> Iterator[Statistic]:
    shared = sorted(set(first.scores) & set(two.scores))
    models = [player for player in shared if kind(player) == MODELS]
    for who, players in ((ALL, shared), (MODELS, models)):
        if len(players) < FEWEST_PLAYERS:
            continue
        x, y = ([side.scores[player] for player in players] for side in (first, two))
        scores = "success rates" if measure == _RATES else measure
        over = f"over {scores} of {'players' if who == ALL else who}; n counts players"
        measured = (("pearson", PEARSON_METHOD, pearson(x, y)), ("spearman", SPEARMAN_METHOD, spearman(x, y)))
        for statistic, method, related in measured:
            if related.r is not None:
                key = (setting, domain, who, related.n, related.r)
                figure = Statistic(
                    statistic, *key, f"{method}; {over}", measure, other, p_value=related.p_value
                )
                yield figure._replace(low=related.low, high=related.high)
        linear = measured[0][2]
        if linear.r is not None and measure == _RATES:
            yield _without_chance(first, two, linear, (setting, domain, who), other)


def _without_chance(
    first: _Side, two: _Side, linear: Correlation, labels: tuple[str, str, str], other: str
) -> Statistic:
    is_beyond = two.reliability is None and first.shows(NEW_DOMAINS)
    population = NEW_DOMAINS if is_beyond else THESE_DOMAINS
    reliable = [side.reliability_of(labels[2], population) for side in (first, two)]
    correlation = disattenuate(linear, *reliable)
    return Statistic(
        "pearson_disattenuated",
        *(*labels, linear.n, correlation.r, DISATTENUATED_METHOD),
        other=other,
        low=correlation.low,
        high=correlation.high,
        population=None if correlation.low is None else population,
        no_interval=NOT_RELIABLE if correlation.r is None else None,
    )


def _adjust(figures: list[Statistic]) -> Iterator[Statistic]:
    """Yield the figures with p-values adjusted over each coefficient, setting and set of players."""
    families: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for number, figure in enumerate(figures):
        families[figure.statistic, figure.convention, figure.setting, figure.player].append(number)
    adjusted: dict[int, float | None] = {}
    for members in families.values():
        p_values = holm([figures[number].p_value for number in members])
        adjusted.update(zip(members, p_values, strict=True))
    for number, figure in enumerate(figures):
        if figure.p_value is None:
            yield figure
        else:
            method = f"{figure.method}; Holm over {_FAMILY} in the setting"
            yield figure._replace(p_adjusted=adjusted[number], family=_FAMILY, method=method)
