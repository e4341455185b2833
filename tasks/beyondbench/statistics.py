"""Figures of BeyondBench: cell, task, suite, overall, each the unweighted mean of the level below."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import fsum, sqrt
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.beyondbench.things import SUITES
from perennial.schemas.ids import derive_seed
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.clusters import EXACT_METHOD, LEVEL, Interval, exact_interval, is_near_an_end
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import rates_in_units

if TYPE_CHECKING:
    import numpy as np

    from perennial.tasks.statistics.cells import Column, Numbers


# A mean at some level of cell -> task -> suite -> overall, with what its interval and deviation need.
#
# A cell's value is a mean over its instances; a task's is the unweighted mean of its cells, a suite's of its
# tasks, the overall one of the suites (sections 3 and 4 of the paper; checked on its table 3).


@dataclass(frozen=True, slots=True)
class CellMean:
    """A mean of cells over `n` instances.

    `drawn` are its values when the instances of each cell are resampled: 10,000, or one where all are equal.
    `inverse_size` is the sum over its cells of weight^2 / instances: 1 / `inverse_size` instances of one
    cell would leave as much to chance. `cells` are the values of its cells.
    """

    value: float
    n: int
    drawn: "Numbers"
    inverse_size: float
    cells: tuple[float, ...]


def mean_of(parts: Sequence[CellMean]) -> CellMean:
    """Return the unweighted mean of estimates that share no instance."""
    number = len(parts)
    drawn = parts[0].drawn
    for part in parts[1:]:
        drawn = drawn + part.drawn
    return CellMean(
        fsum(part.value for part in parts) / number,
        sum(part.n for part in parts),
        drawn / number,
        fsum(part.inverse_size for part in parts) / number**2,
        tuple(cell for part in parts for cell in part.cells),
    )


def interval_of(estimate: CellMean, *, is_share: bool) -> Interval:
    """Return the middle 95% of the resampled values; of a share near 0 or 1 Clopper and Pearson's interval.

    Near is as in `perennial.tasks.statistics.clusters`, for as many instances as leave the same to chance: a
    player that solved all of 100 gets (0.964, 1), where resampling would give (1, 1).
    """
    import numpy as np

    if is_share:
        size = 1 / estimate.inverse_size
        total = estimate.value * size
        if is_near_an_end(total, size):
            return exact_interval(min(total, size), size)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(estimate.drawn, [tail, 1 - tail])
    return float(low), float(high)


def deviation_of(estimate: CellMean) -> float | None:
    """Return the population standard deviation of its cells' values; None for one cell.

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
    columns: "Mapping[str, Column]"


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


# The stratified bootstrap: instances are resampled within their cell, with replacement, 10,000 times.
#
# (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 8.3.) The draws of a cell
# depend on the seed, the cell and its number of instances alone: players with as many share them, and what a
# figure's interval is never depends on which figures are asked for together.


RESAMPLES = 10_000
MOST_RESAMPLED = 5_000  # instances: 40 kB each while they are drawn
METHOD = (
    f"percentile bootstrap over the instances of each cell, {RESAMPLES} resamples; normal draws for a cell "
    f"of more than {MOST_RESAMPLED} instances"
)
_DRAWN_AT_ONCE = 1_000_000  # places: 8 MB each time
_MOST_KEPT = 400  # instances: 80 kB each


def estimate_cell(totals: "Column", numbers: "Column", stratum: str, seed: int) -> CellMean:
    """Return the mean over a cell's instances of total / number, resampled; each has a number above 0.

    `stratum` names the cell whose draws these are.
    """
    import numpy as np

    values, unit = rates_in_units(totals, numbers)
    n = len(values)
    # In whole numbers, so that no sum depends on its order.
    value = float(values.sum()) / (n * unit)
    if (values == values[0]).all():
        drawn = np.full(1, value)
    elif n > MOST_RESAMPLED:
        drawn = value + float(values.std()) / (n**0.5 * unit) * _normal(seed, stratum, n)
    else:
        drawn = np.concatenate([counts @ values for counts in _counts(seed, stratum, n)]) / (n * unit)
    return CellMean(value, n, drawn, 1 / n, (value,))


def _generator(seed: int, stratum: str, n: int) -> "np.random.Generator":
    import numpy as np

    return np.random.Generator(np.random.PCG64(derive_seed(seed, f"beyondbench/bootstrap/{stratum}", n)))


def _normal(seed: int, stratum: str, n: int) -> "Numbers":
    return _generator(seed, stratum, n).standard_normal(RESAMPLES)


def _counts(seed: int, stratum: str, n: int) -> "Iterable[Numbers]":
    """Return how often each instance is drawn, one row per resample, some rows at a time.

    Those of few instances are kept for the next player.
    """
    return _kept_counts(seed, stratum, n) if n <= _MOST_KEPT else _draw_counts(seed, stratum, n)


@lru_cache(maxsize=4)
def _kept_counts(seed: int, stratum: str, n: int) -> "tuple[Numbers, ...]":
    return tuple(_draw_counts(seed, stratum, n))


def _draw_counts(seed: int, stratum: str, n: int) -> "Iterator[Numbers]":
    import numpy as np

    generator = _generator(seed, stratum, n)
    rows = max(1, _DRAWN_AT_ONCE // n)
    for start in range(0, RESAMPLES, rows):
        number = min(rows, RESAMPLES - start)
        places = generator.integers(0, n, size=(number, n)) + np.arange(number)[:, None] * n
        counts = np.bincount(places.ravel(), minlength=number * n).reshape(number, n)
        yield counts.astype(np.float64)


# Figures of players: of each cell, task, suite, of all three suites together, and accuracy by size.
#
# Setting is the suite, domain the task, `other` the variation of a cell's figure, or the size of
# `accuracy_by_size`. What a player has no scored run in is in none of its figures, whose deviation says in
# `n` over how many cells they are: cells without instances are never scored as failures.


BY_SIZE = "accuracy_by_size"
_PLAYERS_AT_ONCE = 8  # 80 kB each for every quantity and cell of a task
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


def cell_figures(cells: Iterable[PlayedCell], seed: int) -> Iterator[Statistic]:
    """Yield the figures of all players from what they did in each cell."""
    ordered = sorted(cells, key=lambda cell: (cell.suite, cell.task, cell.variation, cell.player))
    players = sorted({cell.player for cell in ordered})
    for start in range(0, len(players), _PLAYERS_AT_ONCE):
        chosen = set(players[start : start + _PLAYERS_AT_ONCE])
        yield from _figures_of([cell for cell in ordered if cell.player in chosen], seed)


def _figures_of(cells: Sequence[PlayedCell], seed: int) -> Iterator[Statistic]:
    suites = []
    for suite, of_suite in groupby(cells, key=lambda cell: cell.suite):
        tasks = []
        for task, of_task in groupby(of_suite, key=lambda cell: cell.task):
            listed = list(of_task)
            variations = []
            for variation, of_cell in groupby(listed, key=lambda cell: cell.variation):
                variations.append(_estimate(of_cell, seed))
                yield from _figures(variations[-1], "cell", suite, task, variation)
            tasks.append(_combine(variations))
            yield from _figures(tasks[-1], "task", suite, task)
            yield from _size_figures(listed, seed, suite, task)
        suites.append(_combine(tasks))
        yield from _figures(suites[-1], "suite", suite)
    yield from _figures(_combine(suites, least=len(SUITES)), "overall", ALL)


def _estimate(cells: Iterable[PlayedCell], seed: int, size: int | None = None) -> _Estimates:
    """Return the players' estimates of one cell, or of its instances of one size."""
    by_cell = {}
    for cell in cells:
        stratum = f"{cell.task}/{cell.variation}" + ("" if size is None else f"/{size}")
        for quantity in QUANTITIES if size is None else (ACCURACY,):
            totals, numbers = cell.columns[quantity.total], cell.columns[quantity.number]
            counts = numbers > 0 if size is None else (numbers > 0) & (cell.columns["size"] == size)
            if counts.any():
                by_cell[cell.player, quantity] = estimate_cell(totals[counts], numbers[counts], stratum, seed)
    return by_cell


def _combine(parts: Sequence[_Estimates], least: int = 1) -> _Estimates:
    """Return the unweighted means of those that have so many parts at least."""
    keys = dict.fromkeys(key for part in parts for key in part)
    listed = {key: [part[key] for part in parts if key in part] for key in keys}
    return {key: mean_of(estimates) for key, estimates in listed.items() if len(estimates) >= least}


def _size_figures(cells: Sequence[PlayedCell], seed: int, suite: str, task: str) -> Iterator[Statistic]:
    sizes = sorted({int(size) for cell in cells for size in cell.columns["size"]})
    for size in sizes:
        of_size = [_estimate([cell], seed, size) for cell in cells]
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
    low, high = interval_of(estimate, is_share=quantity.is_share)
    exact = f"; {EXACT_METHOD}, for as many instances as leave as much to chance" if quantity.is_share else ""
    method = f"{quantity.what}: {how}; {METHOD}{exact}; n counts instances"
    return Statistic(statistic, *labels, estimate.n, estimate.value, method, other=other, low=low, high=high)
