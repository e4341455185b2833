"""The rates of every player in every setting and domain: solved, actions, attempts, statuses, tokens, cost.

The unit is the instance: a rate is the mean over instances of the mean over their runs, or a sum of such
means over a sum of what they are measured by. Intervals resample whole instances, all groups at once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from schemas.game import EPISODE_STATUSES, EpisodeStatus
from tasks.statistics.attempts import pass_at_k, pass_hat_k
from tasks.statistics.cells import ALL, Cells, Group
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import (
    METHOD,
    MOST_RESAMPLED,
    STUDENT_METHOD,
    Interval,
    intervals_of_sums,
    student_interval,
)
from tasks.statistics.shares import (
    EXACT_METHOD,
    TWO_LEVEL_METHOD,
    WILSON_METHOD,
    exact_interval,
    is_near_an_end,
    two_level_interval,
    wilson_interval,
)

if TYPE_CHECKING:
    from tasks.statistics.cells import Column, Numbers

OVER_DOMAINS = "_over_domains"
_ONE_UNIT = 1_000_000  # most runs by which rates are made whole numbers
_PROPORTION = f"{WILSON_METHOD}; n counts instances"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over instances of the mean over runs: the sum of a cell's runs, and the number of them.

    With `weight` it is the sum of these means over the sum of the instances' weights. `is_share`: each run
    counts 0..1. `has_domains`: it also has an interval for domains that vary. `is_of_some`: how many
    instances count differs by group, and draws of each number would take long: Student's interval instead.
    """

    statistic: str
    total: "Callable[[Cells], Column]"
    number: "Callable[[Cells], Column]"
    weight: "Callable[[Cells], Column] | None" = None
    convention: str = "any"
    is_share: bool = False
    has_domains: bool = False
    is_of_some: bool = False
    what: str = "mean over instances of the mean over runs"


def _attempted(cells: Cells) -> "Column":
    """Return the number of all episodes, those included that ended by an API error."""
    return sum(
        (cells[f"status_{status}"] for status in EPISODE_STATUSES[1:]), cells[f"status_{EPISODE_STATUSES[0]}"]
    )


def scored(cells: Cells) -> "Column":
    """Return the number of scored episodes of each cell."""
    return cells["runs"]


def _share(status: EpisodeStatus) -> Mean:
    """Return the share of a status among all attempted episodes, API errors included."""
    return Mean(f"status_{status}", lambda cells: cells[f"status_{status}"], _attempted, is_share=True)


_MEANS = (
    Mean("success_rate", lambda cells: cells["solved"], scored, is_share=True, has_domains=True),
    Mean("mean_score", lambda cells: cells["score"], scored, is_share=True),
    Mean("mean_tokens", lambda cells: cells["tokens"], lambda cells: cells["runs_with_tokens"]),
    Mean("mean_cost_usd", lambda cells: cells["cost_usd"], lambda cells: cells["runs_with_cost"]),
    *(_share(status) for status in EPISODE_STATUSES),
)
_KNOWN_OF_MODELS = ("mean_tokens", "mean_cost_usd")


class _Sample(NamedTuple):
    """A mean of a group: of each instance that has runs its mean times `unit`, and its weight.

    In `order`, that of their ids, instances are resampled: it needs no domain.
    """

    mean: Mean
    group: Group
    n: int
    sums: "Numbers"
    weights: "Numbers"
    unit: int
    starts: list[int]
    order: "Column"
    unit_of_n: str = "episodes"

    @property
    def value(self) -> float | None:
        return float(self.sums.sum()) / (self.unit * float(self.weights.sum())) if len(self.sums) else None

    @property
    def near_an_end(self) -> bool:
        return self.mean.is_share and is_near_an_end(float(self.sums.sum()) / self.unit, len(self.sums))


def rate_figures(cells: Cells, seed: int, own: Sequence[Mean] = ()) -> Iterator[Figure]:
    """Yield the figures of every player of the cells in each domain and in all; `own` are a benchmark's."""
    groups = list(cells.groups())
    small: list[_Sample] = []
    for mean in (*_MEANS, *own):
        for sample in _samples(cells, groups, mean):
            # Large ones are resampled by no draws: they need not be held together.
            if len(sample.sums) > MOST_RESAMPLED:
                yield from _figures(cells.setting, [sample], seed)
            else:
                small.append(sample)
    yield from _figures(cells.setting, [*small, *_attempts(cells, groups)], seed)
    for group in groups:
        yield from _majority(cells, group)


def _figures(setting: str, samples: Sequence[_Sample], seed: int) -> Iterator[Figure]:
    for sample, interval in zip(samples, _intervals(samples, seed), strict=True):
        mean, group, value = sample.mean, sample.group, sample.value
        low, high = interval or (None, None)
        method = STUDENT_METHOD if mean.is_of_some else METHOD
        exact = f"; {EXACT_METHOD}" if mean.is_share else ""
        place = (setting, group.domain, group.player, sample.n, value)
        yield Figure(
            mean.statistic,
            *place,
            f"{mean.what}; {method}{exact}; n counts {sample.unit_of_n}",
            mean.convention,
            low=low,
            high=high,
        )
        if mean.has_domains and group.domain == ALL and value is not None and len(sample.starts) > 1:
            ends = two_level_interval(sample.sums / sample.unit, sample.weights, sample.starts, mean.is_share)
            low, high = ends or (None, None)
            yield Figure(
                mean.statistic + OVER_DOMAINS,
                *(setting, ALL, group.player, len(sample.starts), value),
                f"{mean.what}; {TWO_LEVEL_METHOD}; n counts domains",
                mean.convention,
                low=low,
                high=high,
            )


def _intervals(samples: Sequence[_Sample], seed: int) -> Iterable[Interval | None]:
    drawn = [s for s in samples if not s.near_an_end and not s.mean.is_of_some]
    resampled = iter(intervals_of_sums([(s.sums[s.order], s.weights[s.order] * s.unit) for s in drawn], seed))
    for sample in samples:
        if sample.mean.is_of_some:
            yield student_interval(sample.sums / sample.unit)
        elif not sample.near_an_end:
            yield next(resampled)
        elif len(sample.sums):
            yield exact_interval(float(sample.sums.sum()) / sample.unit, len(sample.sums))
        else:
            yield None


def _samples(cells: Cells, groups: Sequence[Group], mean: Mean) -> Iterator[_Sample]:
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
        starts = []
        if mean.has_domains and group.domain == ALL:
            of = np.searchsorted(cells.domains.starts, cells.instance[group.rows][known], side="right")
            starts = np.unique(of, return_index=True)[1].tolist()
        order = np.argsort(cells["rank"][group.rows][known])
        yield _Sample(mean, group, int(number.sum()), sums, weight, unit, starts, order)


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


def _majority(cells: Cells, group: Group) -> Iterator[Figure]:
    runs = cells["runs"][group.rows]
    n = int((runs > 0).sum())
    if n:
        solved = int((2 * cells["solved"][group.rows] > runs).sum())
        low, high = wilson_interval(solved, n) or (None, None)
        yield Figure(
            "majority_success",
            *(cells.setting, group.domain, group.player, n, solved / n),
            f"solved in more than half of its runs; {_PROPORTION}",
            low=low,
            high=high,
        )


def _attempts(cells: Cells, groups: Sequence[Group]) -> Iterator[_Sample]:
    """Yield pass@k and pass^k, for k up to the number of runs that all instances of a group have."""
    for group in groups:
        runs, solved = cells["runs"][group.rows], cells["solved"][group.rows]
        order = cells["rank"][group.rows][runs > 0].argsort()
        runs, solved = runs[runs > 0], solved[runs > 0]
        for k in range(2, int(runs.min()) + 1) if len(runs) else ():
            for name, measure in (("pass_at", pass_at_k), ("pass_hat", pass_hat_k)):
                values = _of_pairs(measure, runs, solved, k)
                mean = Mean(f"{name}_{k}", scored, scored, is_share=True, what="mean over instances")
                yield _Sample(mean, group, len(values), values, values * 0 + 1, 1, [], order, "instances")


def _of_pairs(
    measure: Callable[[int, int, int], float], runs: "Column", solved: "Column", k: int
) -> "Numbers":
    """Return the measure of each instance; those with as many runs and solved ones share it."""
    import numpy as np

    width = int(runs.max()) + 1
    pairs, place = np.unique(runs.astype(np.int64) * width + solved, return_inverse=True)
    return np.array([measure(int(pair // width), int(pair % width), k) for pair in pairs])[place]
