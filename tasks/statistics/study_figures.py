"""Correlations of players' rates and measures, how far rates are above the floor, and the cost frontier."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.statistics import MODELS, NEW_DOMAINS, THESE_DOMAINS, Measure, Population
from perennial.tasks.statistics.cells import ALL, Numbers, SettingGrid
from perennial.tasks.statistics.clusters import (
    BY_DEFINITION,
    GAP_METHOD,
    ONE_CLUSTER,
    ClusterDraw,
    estimate_ratio,
    gap_interval,
    headline,
    join_single,
    student_quantile,
)
from perennial.tasks.statistics.correlation import (
    DISATTENUATED_METHOD,
    FEWEST_INSTANCES,
    FEWEST_PLAYERS,
    NOT_RELIABLE,
    PEARSON_METHOD,
    SPEARMAN_METHOD,
    Correlation,
    correlate_pairs,
    disattenuate,
)
from perennial.tasks.statistics.multiplicity import Kind, Statistic, holm
from perennial.tasks.statistics.rank_figures import find_common

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


class _Compared(NamedTuple):
    """Two scores of players in a setting and domain; `other` names the second, `measure` what both are."""

    first: _Side
    second: _Side
    setting: str
    domain: str
    other: str
    measure: str = _RATES


def correlation_figures(
    figures: Iterable[Statistic], external: Mapping[str, Scores], kind: Kind, measures: Sequence[Measure] = ()
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
    compared = [
        _Compared(sides[first, ALL], sides[other, ALL], first, ALL, f"setting {other}")
        for first, other in combinations(overall, 2)
    ]
    for setting in overall:
        domains = sorted(domain for name, domain in rates if name == setting and domain != ALL)
        compared += [
            _Compared(sides[setting, first], sides[setting, other], setting, first, f"domain {other}")
            for first, other in combinations(domains, 2)
        ]
        compared += [
            _Compared(sides[setting, ALL], _Side(scores), setting, ALL, f"benchmark {benchmark}")
            for benchmark, scores in external.items()
        ]
    for measure in measures:
        for setting, values in _read_measure(listed, measure).items():
            compared += [
                _Compared(
                    _Side(values), _Side(scores), setting, ALL, f"benchmark {benchmark}", measure.column
                )
                for benchmark, scores in external.items()
            ]
    yield from _adjust(list(_correlate(compared, kind)))


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


def _correlate(compared: Iterable[_Compared], kind: Kind) -> Iterator[Statistic]:
    asked = []
    for pair in compared:
        shared = sorted(set(pair.first.scores) & set(pair.second.scores))
        models = [player for player in shared if kind(player) == MODELS]
        for who, players in ((ALL, shared), (MODELS, models)):
            if len(players) >= FEWEST_PLAYERS:
                x, y = ([side.scores[player] for player in players] for side in (pair.first, pair.second))
                asked.append((pair, who, (x, y)))
    correlations = correlate_pairs([scores for _, _, scores in asked])
    for (pair, who, _), (linear, ranked) in zip(asked, correlations, strict=True):
        scores = "success rates" if pair.measure == _RATES else pair.measure
        over = f"over {scores} of {'players' if who == ALL else who}; n counts players"
        measured = (("pearson", PEARSON_METHOD, linear), ("spearman", SPEARMAN_METHOD, ranked))
        for statistic, method, related in measured:
            if related.r is not None:
                yield Statistic(
                    statistic,
                    *(pair.setting, pair.domain, who, related.n, related.r),
                    f"{method}; {over}",
                    pair.measure,
                    pair.other,
                    low=related.low,
                    high=related.high,
                    p_value=related.p_value,
                )
        if linear.r is not None and pair.measure == _RATES:
            yield _without_chance(
                pair.first, pair.second, linear, (pair.setting, pair.domain, who), pair.other
            )


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


# How far players are above the floor: (rate - floor) / (1 - floor), the floor being what answers without the
# work are worth. Where it is known, by proof or by a large simulation, it holds no luck of the program that
# gives such answers. Else it is that program's rate on the instances that both have.

_FLOOR_KNOWN = "known, by proof or a large simulation of the benchmark's draw; n counts instances"
_FLOOR_MEASURED = "success rate of the program; n counts its instances"
_ABOVE_KNOWN = (
    "(rate - floor) / (1 - floor) by the known floor, whose error is added to the rate's interval; n counts "
    "episodes"
)
_ABOVE_MEASURED = (
    "1 - (1 - rate) / (1 - floor) over instances that the player and the floor's program have; from what is "
    f"left of the player's failures beside the program's, {GAP_METHOD}; n counts instances"
)


class KnownFloor(NamedTuple):
    """The floor of a setting that no answer of the edition is needed for, and its standard error."""

    value: float
    error: float


def floor_figures(
    grid: SettingGrid, rates: Mapping[str, Statistic], program: str, known_floor: KnownFloor | None
) -> Iterator[Statistic]:
    """Yield `floor` of a setting and `above_floor` of each player; `rates` are the players' success rates."""
    if known_floor is not None:
        yield from _above_known(grid.setting, rates, program, known_floor, grid.runs.shape[1])
    elif program in rates:
        measured = rates[program]
        yield measured._replace(statistic="floor", convention="measured", method=_FLOOR_MEASURED)
        yield from _above_measured(grid, program)


def _above_known(
    setting: str, rates: Mapping[str, Statistic], program: str, known_floor: KnownFloor, n: int
) -> Iterator[Statistic]:
    floor, reach = known_floor.value, student_quantile(float("inf")) * known_floor.error
    ends = (floor - reach, floor + reach) if reach else (None, None)
    yield Statistic(
        *("floor", setting, ALL, program, n, floor, _FLOOR_KNOWN, "known"), low=ends[0], high=ends[1]
    )
    for player, rate in rates.items():
        if rate.value is None:
            continue
        value, low, high = (
            None if share is None else (share - floor) / (1 - floor)
            for share in (rate.value, rate.low, rate.high)
        )
        assert value is not None
        if low is not None and high is not None:
            # Two independent errors: G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702.
            shift = reach * (1 - rate.value) / (1 - floor) ** 2
            low = value - ((value - low) ** 2 + shift**2) ** 0.5
            high = min(1.0, value + ((high - value) ** 2 + shift**2) ** 0.5)
        labels = ("above_floor", setting, ALL, player, rate.n, value, _ABOVE_KNOWN, "known")
        yield Statistic(*labels, low=low, high=high, population=rate.population, no_interval=rate.no_interval)


def _above_measured(grid: SettingGrid, program: str) -> Iterator[Statistic]:
    failures = 1 - grid.solved / np.maximum(grid.runs, 1)
    seen, domain, lowest = grid.runs > 0, grid.domain, grid.players.index(program)
    for row, player in enumerate(grid.players):
        shared = seen[row] & seen[lowest]
        theirs = failures[lowest][shared]
        if not theirs.any():
            continue  # nothing is above a floor of 1
        ratio = float(failures[row][shared].sum() / theirs.sum())
        labels = (grid.setting, ALL, player, len(theirs), 1 - ratio, _ABOVE_MEASURED, "measured")
        if player == program:
            yield Statistic("above_floor", *labels, no_interval=BY_DEFINITION.format(player))
            continue
        left = failures[row][shared] - ratio * theirs
        draw, population = headline(grid.cluster[shared], domain[shared], grid.population)
        bounds = gap_interval(estimate_ratio(left, np.ones(len(left)), draw), float((left**2).mean()))
        if bounds is None:
            yield Statistic("above_floor", *labels, no_interval=ONE_CLUSTER)
            continue
        low, high = (1 - ratio - end / float(theirs.mean()) for end in reversed(bounds))
        yield Statistic("above_floor", *labels, low=low, high=min(1.0, high), population=population)


# The cost frontier: in which share of redrawn editions no other model is both as good and as cheap.
#
# A model is dominated if another one has at least its rate for at most its cost, and one of both is better,
# on the instances on which all have a known cost. Of m clusters of a stratum m - 1 are redrawn with
# replacement and count m / (m - 1) times, so that few vary enough (J. N. K. Rao and C. F. J. Wu, JASA 83
# (1988) 231-241).

RESAMPLES = 2_000
_NUMBERS_AT_ONCE = 2_000_000
_TIE = 1e-12
_FRONTIER_METHOD = (
    f"share of {RESAMPLES:,} editions with redrawn clusters (Rao and Wu) in which no other model dominates; "
    "n counts common instances"
)


def frontier_figures(grid: SettingGrid, kind: Kind, seed: int) -> Iterator[Statistic]:
    """Yield `frontier_share` of each model with others of known cost; the convention is the unit of cost."""
    models = np.array([row for row, player in enumerate(grid.players) if kind(player) == MODELS], np.int64)
    for unit, costs in grid.costs.items() if len(models) > 1 else ():
        has_cost = np.isfinite(costs[models])
        common = find_common(has_cost)
        rows, columns = models[common.players], common.instances
        if len(rows) < 2 or len(set(grid.cluster[columns])) < 2:
            continue
        rates = grid.solved[rows][:, columns] / grid.runs[rows][:, columns]
        draw, _ = headline(grid.cluster[columns], grid.domain[columns], grid.population)
        rng = np.random.default_rng(derive_seed(seed, f"cost frontier of {grid.setting} in {unit}", 0))
        shares = share_undominated(rates, costs[rows][:, columns], draw, rng)
        for row, share in zip(rows, shares.tolist(), strict=True):
            n = int(columns.sum())
            yield Statistic(
                "frontier_share", grid.setting, ALL, grid.players[row], n, share, _FRONTIER_METHOD, unit
            )


def share_undominated(rates: Numbers, costs: Numbers, draw: ClusterDraw, rng: np.random.Generator) -> Numbers:
    """Return the share of redrawn editions in which each row of rates and costs is not dominated."""
    players, instances = rates.shape
    cluster = np.arange(instances) if draw.cluster is None else draw.cluster
    _, firsts, number = np.unique(cluster, return_index=True, return_inverse=True)
    totals = np.zeros((len(firsts), 2 * players + 1))
    np.add.at(totals, number, np.concatenate([rates, costs, np.ones((1, instances))]).T)
    strata = np.zeros(instances, np.int64) if draw.strata is None else draw.strata
    stratum = join_single(strata[firsts])
    undominated, rows = np.zeros(players), max(1, _NUMBERS_AT_ONCE // len(firsts))
    for done in range(0, RESAMPLES, rows):
        rows = min(rows, RESAMPLES - done)
        weights = np.empty((rows, len(firsts)))
        for name in np.unique(stratum):
            members = np.flatnonzero(stratum == name)
            m = len(members)
            weights[:, members] = rng.multinomial(m - 1, np.full(m, 1 / m), rows) * (m / (m - 1))
        sums = weights @ totals
        means = sums[:, :-1] / sums[:, -1:]
        # By redrawn edition: how far each model is behind each other one in rate, and beyond it in cost.
        worse = means[:, None, :players] - means[:, :players, None]
        dearer = means[:, players:, None] - means[:, None, players:]
        tie = _TIE * np.abs(means[:, players:, None])
        dominates = (worse >= -_TIE) & (dearer >= -tie) & ((worse > _TIE) | (dearer > tie))
        undominated += (~dominates.any(axis=2)).sum(axis=0)
    shares: Numbers = undominated / RESAMPLES
    return shares
