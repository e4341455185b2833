"""The rates of every player in every setting and domain: solved, actions, attempts, statuses, tokens, cost.

The unit is the instance: a rate is the mean over instances of the mean over their runs, or a sum of such
means over a sum of what they are measured by. Intervals are of the widest population that the group shows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from typing import Any, NamedTuple

import numpy as np

from perennial.schemas.game import EPISODE_STATUSES, EpisodeStatus
from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.cells import (
    ALL,
    Cells,
    Column,
    Domains,
    Group,
    Numbers,
    SettingGrid,
    pass_at_k,
    pass_hat_k,
)
from perennial.tasks.statistics.clusters import (
    BY_DEFINITION,
    GAP_METHOD,
    MEAN_METHOD,
    SHARE_METHOD,
    ClusterDraw,
    PopulationInterval,
    bound_gap,
    bound_ratio,
    headline,
    within,
)
from perennial.tasks.statistics.multiplicity import Statistic

OF_THESE_DOMAINS = "_these_domains"
_ONE_UNIT = 1_000_000  # most runs by which rates are made whole numbers


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over instances of the mean over runs: the sum of a cell's runs, and the number of them.

    With `weight` it is the sum of these means over the sum of the instances' weights. `is_share`: each run
    counts 0..1. `has_domains`: where its interval is of new domains, a second figure's is of these domains.
    `measured_from`: the player whose value is 0 by definition. `least`: no value of the mean is below it.
    """

    statistic: str
    total: Callable[[Cells], Column]
    number: Callable[[Cells], Column]
    weight: Callable[[Cells], Column] | None = None
    convention: str = "any"
    is_share: bool = False
    has_domains: bool = False
    measured_from: str = ""
    least: float = -inf
    what: str = "mean over instances of the mean over runs"


def _count_attempted(cells: Cells) -> Column:
    """Return the number of all episodes, those included that ended by an API error."""
    return sum(
        (cells[f"status_{status}"] for status in EPISODE_STATUSES[1:]), cells[f"status_{EPISODE_STATUSES[0]}"]
    )


def count_scored(cells: Cells) -> Column:
    """Return the number of scored episodes of each cell."""
    return cells["runs"]


def _share(status: EpisodeStatus) -> Mean:
    """Return the share of a status among all attempted episodes, API errors included."""
    return Mean(f"status_{status}", lambda cells: cells[f"status_{status}"], _count_attempted, is_share=True)


_MEANS = (
    Mean("success_rate", lambda cells: cells["solved"], count_scored, is_share=True, has_domains=True),
    Mean("mean_score", lambda cells: cells["score"], count_scored, is_share=True),
    Mean("mean_tokens", lambda cells: cells["tokens"], lambda cells: cells["runs_with_tokens"], least=0),
    Mean("mean_cost_usd", lambda cells: cells["cost_usd"], lambda cells: cells["runs_with_cost"], least=0),
    *(_share(status) for status in EPISODE_STATUSES),
)
_KNOWN_OF_MODELS = ("mean_tokens", "mean_cost_usd")


class _Sample(NamedTuple):
    """A mean of a group: of each instance with runs its mean times `unit`, its weight, cluster and domain.

    `n` is the number of values of runs, or of what `unit_of_n` says.
    """

    mean: Mean
    group: Group
    n: int
    sums: Numbers
    weights: Numbers
    unit: int
    cluster: Column
    domain: Column
    unit_of_n: str = "episodes"

    @property
    def value(self) -> float | None:
        return float(self.sums.sum()) / (self.unit * float(self.weights.sum())) if len(self.sums) else None


def rate_figures(cells: Cells, more_means: Sequence[Mean] = ()) -> Iterator[Statistic]:
    """Yield the figures of every player of the cells in each domain and in all, and those of `more_means`."""
    groups = list(cells.groups())
    domain = cells.domains.number_of(cells.instance)
    for mean in (*_MEANS, *more_means):
        for sample in _samples(cells, domain, groups, mean):
            yield from _figures(cells, sample)
    for sample in _attempts(cells, domain, groups):
        yield from _figures(cells, sample)


def _figures(cells: Cells, sample: _Sample) -> Iterator[Statistic]:
    mean, group = sample.mean, sample.group
    if not len(sample.sums):
        yield _figure(cells.setting, sample)
        return
    draw, population = headline(sample.cluster, sample.domain, cells.population)
    yield _figure(cells.setting, sample, draw, population)
    if mean.has_domains and group.domain == ALL and population == NEW_DOMAINS:
        narrower = _figure(cells.setting, sample, within(sample.cluster), THESE_DOMAINS)
        yield narrower._replace(statistic=mean.statistic + OF_THESE_DOMAINS)


def _figure(
    setting: str, sample: _Sample, draw: ClusterDraw | None = None, population: Population | None = None
) -> Statistic:
    mean, group = sample.mean, sample.group
    method = SHARE_METHOD if mean.is_share else MEAN_METHOD
    bounds = PopulationInterval()
    if draw is not None and population is not None:
        runs = sample.n if mean.is_share else None
        bounds = bound_ratio(sample.sums / sample.unit, sample.weights, draw, population, runs, mean.least)
        if mean.measured_from == group.player and not sample.sums.any():
            bounds = PopulationInterval(no_interval=BY_DEFINITION.format(group.player))
    return Statistic(
        mean.statistic,
        *(setting, group.domain, group.player, sample.n, sample.value),
        f"{mean.what}; {method}; n counts {sample.unit_of_n}",
        mean.convention,
        **bounds._asdict(),
    )


def _samples(cells: Cells, domain: Column, groups: Sequence[Group], mean: Mean) -> Iterator[_Sample]:
    totals, numbers = mean.total(cells), mean.number(cells)
    weights = None if mean.weight is None else mean.weight(cells)
    for group in groups:
        asked = numbers[group.rows] > 0
        if not asked.any() and mean.statistic in _KNOWN_OF_MODELS:
            continue  # nothing is known of players that are no models
        total, number = totals[group.rows][asked], numbers[group.rows][asked]
        sums, unit = rates_in_units(total, number)
        weight = np.ones(len(sums)) if weights is None else weights[group.rows][asked].astype(np.float64)
        origins = cells["cluster"][group.rows][asked], domain[group.rows][asked]
        yield _Sample(mean, group, int(number.sum()), sums, weight, unit, *origins)


def rates_in_units(totals: Column, numbers: Column) -> tuple[Numbers, int]:
    """Return totals / numbers times a unit that makes quotients of counts whole, so that sums are exact.

    The unit is the least common multiple of the numbers; 1 where that is too large or totals are no counts.
    """
    unit = 1
    if np.issubdtype(totals.dtype, np.integer):
        for number in np.unique(numbers):
            unit = int(np.lcm(unit, int(number)))
            if unit > _ONE_UNIT:
                return totals / numbers, 1
        return (totals * (unit // numbers)).astype(np.float64), unit
    return totals / numbers, 1


def _attempts(cells: Cells, domain: Column, groups: Sequence[Group]) -> Iterator[_Sample]:
    """Yield the share of instances that most runs solve, and pass@k and pass^k.

    k goes up to the number of runs that all instances of a group have.
    """
    majority = _of_instances("majority_success", "solved in more than half of its runs")
    for group in groups:
        asked = cells["runs"][group.rows] > 0
        if not asked.any():
            continue
        runs, solved, cluster, domains = (
            column[group.rows][asked] for column in (cells["runs"], cells["solved"], cells["cluster"], domain)
        )

        measured = [(majority, (2 * solved > runs).astype(float))]
        for k in range(2, int(runs.min()) + 1):
            for name, measure in (("pass_at", pass_at_k), ("pass_hat", pass_hat_k)):
                mean = _of_instances(f"{name}_{k}", "mean over instances")
                measured.append((mean, _of_pairs(measure, runs, solved, k)))
        for mean, values in measured:
            n = len(values)
            yield _Sample(
                mean,
                group,
                n,
                sums=values,
                weights=values * 0 + 1,
                unit=1,
                cluster=cluster,
                domain=domains,
                unit_of_n="instances",
            )


def _of_instances(statistic: str, what: str) -> Mean:
    return Mean(statistic, count_scored, count_scored, is_share=True, what=what)


def _of_pairs(measure: Callable[[int, int, int], float], runs: Column, solved: Column, k: int) -> Numbers:
    """Return the measure of each instance; those with as many runs and solved ones share it."""
    width = int(runs.max()) + 1
    pairs, row_of_pair = np.unique(runs.astype(np.int64) * width + solved, return_inverse=True)
    return np.array([measure(int(pair // width), int(pair % width), k) for pair in pairs])[row_of_pair]


# What a benchmark adds to the shared statistics of an edition.


def _nothing(*_of: Any) -> Iterable[Statistic]:
    return ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """A benchmark's own counts, means and figures.

    `counts` are SQL aggregates by the name of their column, over the episodes `e` of a player on an instance
    and what `joins` joins to them. `cell_figures` gets the cells of some players in one setting and the
    seed, `table_figures` the Arrow tables of `queries`, SQL over the edition's tables by name, and the seed.
    Tests of the statistics `families` are adjusted by Holm. `floors` is SQL of the settings whose floor is
    known: setting, floor and standard error.
    """

    joins: str = ""
    counts: Mapping[str, str] = field(default_factory=dict)
    means: tuple[Mean, ...] = ()
    cell_figures: Callable[[Cells, int], Iterable[Statistic]] = _nothing
    queries: Mapping[str, str] = field(default_factory=dict)
    table_figures: Callable[[Mapping[str, Any], int], Iterable[Statistic]] = _nothing
    families: tuple[str, ...] = ()
    floors: str = ""


# What a model owes to what it is shown: it and itself as a control, on the same instances.
#
# A control is the model asked in another variant, such as without a book, under the name `VARIANT:MODEL`.

_METHOD = (
    "mean difference, MODEL minus VARIANT:MODEL, over instances that both have; "
    f"{GAP_METHOD}; n counts instances"
)


def control_figures(grid: SettingGrid, variants: Sequence[str]) -> Iterator[Statistic]:
    """Yield `control_gap` of each model that has a control in the setting: in all domains, and in each.

    `other` is the control, `convention` its variant. The gap is that of success rates, in -1..1; what is left
    of the model's rate is what the control reaches.
    """
    rates, unit = rates_in_units(grid.solved, np.maximum(grid.runs, 1))
    seen, numbers = grid.runs > 0, grid.domain
    for variant, model, control in _controls(grid.players, variants):
        first, other = grid.players.index(model), grid.players.index(control)
        shared = seen[first] & seen[other]
        gaps = rates[first] - rates[other]
        for domain, columns in grid.places():
            kept = shared[columns]
            if not kept.any():
                continue
            gap = gaps[columns][kept]
            origins = grid.cluster[columns][kept], numbers[columns][kept]
            labels = (grid.setting, domain, model, len(gap), float(gap.sum()) / (unit * len(gap)))
            bounds = bound_gap(gap / unit, *origins, grid.population)
            yield Statistic("control_gap", *labels, _METHOD, variant, other=control, **bounds._asdict())


def _controls(players: Sequence[str], variants: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for variant in variants:
        for control in players:
            model = control.removeprefix(f"{variant}:")
            if model != control and model in players:
                yield variant, model, control


# Two versions of the same questions: how much better a player does on the usual one, instance by instance.
#
# Only instances on which the player has scored runs of both versions count, each by the difference of its two
# means over runs: what the instance asks, and how hard it is, drops out.

_DIFFERENCE = (
    "mean over instances with scored runs of both versions of success rate on the usual one - on the other; "
    f"{GAP_METHOD}; n counts instances"
)
_PREFERENCE = (
    "half of the mean, over instances with scored runs of both players on both versions, of (success rate on "
    f"the usual one - on the other) of the player - the same of the other player; {GAP_METHOD}; n counts "
    "instances"
)
_RATE = "mean over instances with scored runs of both versions of the mean over runs; n counts instances"


def version_figures(
    setting: str,
    domains: Domains,
    player: str,
    version: str,
    usual: Mapping[str, Column],
    other: Mapping[str, Column],
    widest: Population,
) -> Iterator[Statistic]:
    """Yield `version_difference` and `version_rate` (of the other version) in all domains and in each one.

    `usual` and `other` are the player's cells (`perennial.tasks.statistics.cells.Cells`) on the two versions.
    """
    both = _play_both(usual, other)
    if not len(both.instance):
        return
    rates, unit = rates_in_units(both.solved, both.runs)
    gaps, domain_of_row = rates[0] - rates[1], domains.number_of(both.instance)
    for domain, rows in ((ALL, slice(0, len(gaps))), *domains.parts(both.instance)):
        n = rows.stop - rows.start
        names = (setting, domain, player, n)
        bounds = bound_gap(gaps[rows] / unit, both.cluster[rows], domain_of_row[rows], widest)
        difference = float(gaps[rows].sum()) / (unit * n)
        yield Statistic(
            "version_difference", *names, difference, _DIFFERENCE, other=version, **bounds._asdict()
        )
        rate = float(rates[1, rows].sum()) / (unit * n)
        yield Statistic("version_rate", *names, rate, _RATE, other=version)


def preference_figures(
    setting: str,
    domains: Domains,
    version: str,
    players: Mapping[str, tuple[Mapping[str, Column], Mapping[str, Column]]],
    widest: Population,
) -> Iterator[Statistic]:
    """Yield `version_preference` of each two players: how much more the first gains from the usual version.

    `players` has the cells of each player on the usual version and on the other one. Where the first wrote
    the usual version and the second the other one, this is what a player gains from a text of its own. In
    -1..1; `convention` is the version, and the second player has the opposite value.
    """
    played = {player: _play_both(*cells) for player, cells in sorted(players.items())}
    # Plain quotients: each player has its own numbers of runs, so that no unit makes all of them whole.
    gaps = {player: np.subtract(*(both.solved / both.runs)) for player, both in played.items()}
    for first, second in combinations(played, 2):
        shared, mine, theirs = np.intersect1d(
            played[first].instance, played[second].instance, assume_unique=True, return_indices=True
        )
        if not len(shared):
            continue
        halves = (gaps[first][mine] - gaps[second][theirs]) / 2
        bounds = bound_gap(halves, played[first].cluster[mine], domains.number_of(shared), widest)
        labels = (setting, ALL, first, len(shared), float(halves.mean()), _PREFERENCE, version)
        yield Statistic("version_preference", *labels, other=second, **bounds._asdict())


class _PlayedBoth(NamedTuple):
    """Instances with scored runs of both versions; `solved` and `runs` have a row for each, usual first."""

    instance: Column
    cluster: Column
    solved: Column
    runs: Column


def _play_both(usual: Mapping[str, Column], other: Mapping[str, Column]) -> _PlayedBoth:
    first, second = (np.flatnonzero(cells["runs"] > 0) for cells in (usual, other))
    instances, mine, others = np.intersect1d(
        usual["instance"][first], other["instance"][second], assume_unique=True, return_indices=True
    )
    rows = first[mine], second[others]
    solved, runs = (
        np.stack([cells[name][kept] for cells, kept in zip((usual, other), rows, strict=True)])
        for name in ("solved", "runs")
    )
    return _PlayedBoth(instances, usual["cluster"][rows[0]], solved, runs)
