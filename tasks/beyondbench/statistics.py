"""Figures of BeyondBench: cell, task, suite, overall, each the unweighted mean of the level below."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from perennial.schemas.beyondbench.things import SUITES
from perennial.schemas.statistics import THESE_DOMAINS
from perennial.tasks.statistics.cells import ALL, Column, Numbers
from perennial.tasks.statistics.clusters import (
    MEAN_METHOD,
    SHARE_METHOD,
    ClusterDraw,
    PopulationInterval,
    bound_ratio,
    join_several,
)
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import rates_in_units

# A mean at some level of cell -> task -> suite -> overall, with what its interval and deviation need.
#
# A cell's value is a mean over its instances; a task's is the unweighted mean of its cells, a suite's of its
# tasks, the overall one of the suites (sections 3 and 4 of the paper; checked on its table 3). The cells stay
# and their instances are drawn again: each is a stratum. Of a cell with one instance nothing shows how that
# varies, so such cells of a task are taken together as one stratum; what is left alone, with those of the
# suite. Cells that differ then make the interval wider than it need be, never narrower.

METHOD = "instances drawn again within cells, those of one instance being one cell of their task or suite"


@dataclass(frozen=True, slots=True)
class CellMean:
    """A mean of cells: of each instance its mean over runs, its weight (their sum is 1) and its stratum.

    `runs` are all trials, `cells` the values of its cells.
    """

    value: float
    rates: Numbers
    weights: Numbers
    strata: Column
    runs: float
    cells: tuple[float, ...]


def estimate_cell(totals: Column, numbers: Column) -> CellMean:
    """The mean over a cell's instances of total / number; each has a number above 0."""
    scaled, unit = rates_in_units(totals, numbers)
    n = len(scaled)
    # In whole numbers, so that no sum depends on its order.
    value = float(scaled.sum()) / (n * unit)
    stratum = np.zeros(n, np.int64)
    return CellMean(value, scaled / unit, np.full(n, 1 / n), stratum, float(numbers.sum()), (value,))


def mean_of(parts: Sequence[CellMean]) -> CellMean:
    """The unweighted mean of estimates that share no instance."""
    number = len(parts)
    before = np.cumsum([0, *(part.strata.max() + 1 for part in parts)])
    strata = np.concatenate([part.strata + first for part, first in zip(parts, before, strict=False)])
    return CellMean(
        fsum(part.value for part in parts) / number,
        np.concatenate([part.rates for part in parts]),
        np.concatenate([part.weights for part in parts]) / number,
        join_several(strata),
        fsum(part.runs for part in parts),
        tuple(cell for part in parts for cell in part.cells),
    )


def bound_mean(mean: CellMean, *, is_share: bool) -> PopulationInterval:
    """The interval of other instances of the same cells."""
    draw, runs = ClusterDraw(None, mean.strata), mean.runs if is_share else None
    return bound_ratio(mean.rates * mean.weights, mean.weights, draw, THESE_DOMAINS, runs, least=0)


def deviation_of(estimate: CellMean) -> float | None:
    """The population standard deviation of its cells' values; None for one cell.

    It is what the paper prints after its means, and says how much cells differ, not how sure a mean is.
    """
    number = len(estimate.cells)
    if number < 2:
        return None
    mean = fsum(estimate.cells) / number
    return sqrt(fsum((value - mean) ** 2 for value in estimate.cells) / number)


# What is measured of a player on an instance: a mean over its scored runs, from columns of counts.
#
# An episode that an API error ended is not scored. A reply from which no answer was read (INVALID) is a
# scored one that is not right: INVALID stays in the denominator, and its share is a figure of its own.


class RunMean(NamedTuple):
    """A mean over runs: the columns of its sum and of the number of runs.

    `is_share`: each run counts 0 or 1. `deviates`: its population deviation across cells is a figure too.
    """

    statistic: str
    total: str
    number: str
    what: str
    is_share: bool = True
    deviates: bool = False


class PlayedCell(NamedTuple):
    """What a player did in one cell: columns of counts, one element per instance, in the order of their ids.

    `size` is the problem's size, `runs` the number of scored runs, `runs_with_tokens` those whose reply's
    tokens are known, `runs_with_status` those that have a token status; `tokens` is the sum of tokens of the
    replies, the others count runs. `common_runs` are runs on problems that all players with enough have.
    """

    player: str
    suite: str
    task: str
    variation: str
    columns: Mapping[str, Column]


ACCURACY = RunMean("accuracy", "solved", "runs", "share of scored runs that are right", deviates=True)
QUANTITIES = (
    ACCURACY,
    RunMean(
        "common_accuracy",
        "common_solved",
        "common_runs",
        "share of scored runs that are right, on the problems that all players with at least half of the "
        "suite have; none for a player that lacks one of them",
    ),
    RunMean(
        "best_accuracy",
        "best",
        "runs",
        "share of scored runs that are right and, where right answers may be better or worse, a best one",
    ),
    RunMean(
        "instruction_following",
        "followed",
        "runs",
        "share of scored runs whose answer has exactly the required format",
        deviates=True,
    ),
    RunMean(
        "instruction_following_any",
        "followed_any",
        "runs",
        "share of scored runs whose answer has a format that some prompt of the paper asks for (levels 1, 2)",
    ),
    RunMean("invalid_share", "invalid", "runs", "share of scored runs from which no answer was read"),
    RunMean(
        "response_tokens",
        "tokens",
        "runs_with_tokens",
        "mean tokens of a reply, its reasoning included (the paper's token efficiency; lower is better)",
        is_share=False,
        deviates=True,
    ),
    *(
        RunMean(
            f"tokens_{status}",
            status,
            "runs_with_status",
            f"share of runs with a token status that are {status.upper()}",
        )
        for status in ("valid", "warning", "overflow")
    ),
)
COLUMNS = ("size", *dict.fromkeys(name for measure in QUANTITIES for name in (measure.total, measure.number)))


# Figures of players: of each cell, task, suite, of all three suites together, and accuracy by size.
#
# Setting is the suite, domain the task, `other` the variation of a cell's figure, or the size of
# `accuracy_by_size`. What a player has no scored run in is in none of its figures, whose deviation says in
# `n` over how many cells they are: cells without instances are never scored as failures.

BY_SIZE = "accuracy_by_size"
_LEVELS = {
    "cell": "mean over instances of the mean over runs",
    "task": "unweighted mean over cells",
    "suite": "unweighted mean over tasks of means over cells",
    "overall": "mean of the three suites",
}
_DEVIATION = "population standard deviation of the values of the cells; n counts cells"
_SIZE = "at one size: unweighted mean over variations of means over instances"

# By player and quantity.
_Estimates = dict[tuple[str, RunMean], CellMean]


def cell_figures(cells: Iterable[PlayedCell]) -> Iterator[Statistic]:
    """The figures of all players from what they did in each cell."""
    ordered = sorted(cells, key=lambda cell: (cell.suite, cell.task, cell.variation, cell.player))
    suites = []
    for suite, of_suite in groupby(ordered, key=lambda cell: cell.suite):
        tasks = []
        for task, of_task in groupby(of_suite, key=lambda cell: cell.task):
            listed = list(of_task)
            variations = []
            for variation, of_cell in groupby(listed, key=lambda cell: cell.variation):
                variations.append(_estimate(of_cell))
                yield from _figures(variations[-1], "cell", suite, task, variation)
            tasks.append(_combine(variations))
            yield from _figures(tasks[-1], "task", suite, task)
            yield from _size_figures(listed, suite, task)
        suites.append(_combine(tasks))
        yield from _figures(suites[-1], "suite", suite)
    yield from _figures(_combine(suites, least=len(SUITES)), "overall", ALL)


def _estimate(cells: Iterable[PlayedCell], size: int | None = None) -> _Estimates:
    """The players' estimates of one cell, or of its instances of one size."""
    by_cell = {}
    for cell in cells:
        for quantity in QUANTITIES if size is None else (ACCURACY,):
            totals, numbers = cell.columns[quantity.total], cell.columns[quantity.number]
            counts = numbers > 0 if size is None else (numbers > 0) & (cell.columns["size"] == size)
            if counts.any():
                by_cell[cell.player, quantity] = estimate_cell(totals[counts], numbers[counts])
    return by_cell


def _combine(parts: Sequence[_Estimates], least: int = 1) -> _Estimates:
    """The unweighted means of those that have so many parts at least."""
    keys = dict.fromkeys(key for part in parts for key in part)
    listed = {key: [part[key] for part in parts if key in part] for key in keys}
    return {key: mean_of(estimates) for key, estimates in listed.items() if len(estimates) >= least}


def _size_figures(cells: Sequence[PlayedCell], suite: str, task: str) -> Iterator[Statistic]:
    sizes = sorted({int(size) for cell in cells for size in cell.columns["size"]})
    for size in sizes:
        of_size = [_estimate([cell], size) for cell in cells]
        for (player, _), estimate in _combine(of_size).items():
            yield _figure(BY_SIZE, estimate, ACCURACY, _SIZE, (suite, task, player), str(size))


def _figures(
    estimates: _Estimates, level: str, suite: str, task: str = ALL, variation: str = ""
) -> Iterator[Statistic]:
    for (player, quantity), estimate in estimates.items():
        labels = suite, task, player
        yield _figure(quantity.statistic, estimate, quantity, _LEVELS[level], labels, variation)
        if quantity.deviates and level != "cell":
            number, deviation = len(estimate.cells), deviation_of(estimate)
            yield Statistic(f"{quantity.statistic}_deviation", *labels, number, deviation, _DEVIATION)


def _figure(
    statistic: str, estimate: CellMean, quantity: RunMean, how: str, labels: tuple[str, str, str], other: str
) -> Statistic:
    interval = SHARE_METHOD if quantity.is_share else MEAN_METHOD
    method = f"{quantity.what}: {how}; {interval}; {METHOD}; n counts instances"
    bounds = bound_mean(estimate, is_share=quantity.is_share)._asdict()
    n = len(estimate.rates)
    return Statistic(statistic, *labels, n, estimate.value, method, other=other, **bounds)
