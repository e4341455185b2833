"""The rates of every player in every setting and domain: solved, actions, attempts, statuses, tokens, cost.

The unit is the instance: a rate is the mean over instances of the mean over their runs, or a sum of such
means over a sum of what they are measured by. Intervals are of the widest population that the group shows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.game import EPISODE_STATUSES, EpisodeStatus
from perennial.schemas.statistics.populations import NEW_DOMAINS, THESE_DOMAINS, Population
from perennial.tasks.statistics.attempts import pass_at_k, pass_hat_k
from perennial.tasks.statistics.cells import ALL, Cells, Group
from perennial.tasks.statistics.cluster_intervals import (
    MEAN_METHOD,
    SHARE_METHOD,
    mean_interval,
    share_interval,
    why_no_interval,
)
from perennial.tasks.statistics.clusters import Draw, estimate_ratio
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.populations import headline, within

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column, Numbers

OF_THESE_DOMAINS = "_these_domains"
_ONE_UNIT = 1_000_000  # most runs by which rates are made whole numbers


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over instances of the mean over runs: the sum of a cell's runs, and the number of them.

    With `weight` it is the sum of these means over the sum of the instances' weights. `is_share`: each run
    counts 0..1. `has_domains`: where its interval is of new domains, a second figure's is of these domains.
    """

    statistic: str
    total: "Callable[[Cells], Column]"
    number: "Callable[[Cells], Column]"
    weight: "Callable[[Cells], Column] | None" = None
    convention: str = "any"
    is_share: bool = False
    has_domains: bool = False
    what: str = "mean over instances of the mean over runs"


def _count_attempted(cells: Cells) -> "Column":
    """Return the number of all episodes, those included that ended by an API error."""
    return sum(
        (cells[f"status_{status}"] for status in EPISODE_STATUSES[1:]), cells[f"status_{EPISODE_STATUSES[0]}"]
    )


def count_scored(cells: Cells) -> "Column":
    """Return the number of scored episodes of each cell."""
    return cells["runs"]


def _share(status: EpisodeStatus) -> Mean:
    """Return the share of a status among all attempted episodes, API errors included."""
    return Mean(f"status_{status}", lambda cells: cells[f"status_{status}"], _count_attempted, is_share=True)


_MEANS = (
    Mean("success_rate", lambda cells: cells["solved"], count_scored, is_share=True, has_domains=True),
    Mean("mean_score", lambda cells: cells["score"], count_scored, is_share=True),
    Mean("mean_tokens", lambda cells: cells["tokens"], lambda cells: cells["runs_with_tokens"]),
    Mean("mean_cost_usd", lambda cells: cells["cost_usd"], lambda cells: cells["runs_with_cost"]),
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
    sums: "Numbers"
    weights: "Numbers"
    unit: int
    cluster: "Column"
    domain: "Column"
    unit_of_n: str = "episodes"

    @property
    def value(self) -> float | None:
        return float(self.sums.sum()) / (self.unit * float(self.weights.sum())) if len(self.sums) else None


def rate_figures(cells: Cells, own: Sequence[Mean] = ()) -> Iterator[Figure]:
    """Yield the figures of every player of the cells in each domain and in all; `own` are a benchmark's."""
    import numpy as np

    groups = list(cells.groups())
    domain = np.searchsorted(cells.domains.starts, cells.instance, side="right")
    for mean in (*_MEANS, *own):
        for sample in _samples(cells, domain, groups, mean):
            yield from _figures(cells, sample)
    for sample in _attempts(cells, domain, groups):
        yield from _figures(cells, sample)


def _figures(cells: Cells, sample: _Sample) -> Iterator[Figure]:
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
    setting: str, sample: _Sample, draw: Draw | None = None, population: Population | None = None
) -> Figure:
    mean, group = sample.mean, sample.group
    method = SHARE_METHOD if mean.is_share else MEAN_METHOD
    interval = reason = None
    if draw is not None:
        estimate = estimate_ratio(sample.sums / sample.unit, sample.weights, draw)
        interval = share_interval(estimate, sample.n) if mean.is_share else mean_interval(estimate)
        reason = None if mean.is_share else why_no_interval(estimate)
    low, high = interval or (None, None)
    return Figure(
        mean.statistic,
        *(setting, group.domain, group.player, sample.n, sample.value),
        f"{mean.what}; {method}; n counts {sample.unit_of_n}",
        mean.convention,
        low=low,
        high=high,
        population=None if interval is None else population,
        no_interval=reason,
    )


def _samples(cells: Cells, domain: "Column", groups: Sequence[Group], mean: Mean) -> Iterator[_Sample]:
    import numpy as np

    totals, numbers = mean.total(cells), mean.number(cells)
    weights = None if mean.weight is None else mean.weight(cells)
    for group in groups:
        known = numbers[group.rows] > 0
        if not known.any() and mean.statistic in _KNOWN_OF_MODELS:
            continue  # nothing is known of players that are no models
        total, number = totals[group.rows][known], numbers[group.rows][known]
        sums, unit = rates_in_units(total, number)
        weight = np.ones(len(sums)) if weights is None else weights[group.rows][known].astype(np.float64)
        place = cells["cluster"][group.rows][known], domain[group.rows][known]
        yield _Sample(mean, group, int(number.sum()), sums, weight, unit, *place)


def rates_in_units(totals: "Column", numbers: "Column") -> "tuple[Numbers, int]":
    """Return totals / numbers times a unit that makes quotients of counts whole, so that sums are exact.

    The unit is the least common multiple of the numbers; 1 where that is too large or totals are no counts.
    """
    import numpy as np

    unit = 1
    if np.issubdtype(totals.dtype, np.integer):
        for number in np.unique(numbers):
            unit = int(np.lcm(unit, int(number)))
            if unit > _ONE_UNIT:
                return totals / numbers, 1
        return (totals * (unit // numbers)).astype(np.float64), unit
    return totals / numbers, 1


def _attempts(cells: Cells, domain: "Column", groups: Sequence[Group]) -> Iterator[_Sample]:
    """Yield the share of instances that most runs solve, and pass@k and pass^k.

    k goes up to the number of runs that all instances of a group have.
    """
    majority = _of_instances("majority_success", "solved in more than half of its runs")
    for group in groups:
        known = cells["runs"][group.rows] > 0
        if not known.any():
            continue
        runs, solved, cluster, place = (
            column[group.rows][known] for column in (cells["runs"], cells["solved"], cells["cluster"], domain)
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
                domain=place,
                unit_of_n="instances",
            )


def _of_instances(statistic: str, what: str) -> Mean:
    return Mean(statistic, count_scored, count_scored, is_share=True, what=what)


def _of_pairs(
    measure: Callable[[int, int, int], float], runs: "Column", solved: "Column", k: int
) -> "Numbers":
    """Return the measure of each instance; those with as many runs and solved ones share it."""
    import numpy as np

    width = int(runs.max()) + 1
    pairs, place = np.unique(runs.astype(np.int64) * width + solved, return_inverse=True)
    return np.array([measure(int(pair // width), int(pair % width), k) for pair in pairs])[place]
