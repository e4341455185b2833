"""Figures of players: of each cell, task, suite, of all three suites together, and accuracy by size.

Setting is the suite, domain the task, `other` the variation of a cell's figure, or the size of
`accuracy_by_size`. What a player has no scored run in is in none of its figures, whose deviation says in `n`
over how many cells they are: cells without instances are never scored as failures.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from perennial.schemas.beyondbench.things import SUITES
from perennial.tasks.beyondbench.statistics.estimates import Estimate, deviation_of, interval_of, mean_of
from perennial.tasks.beyondbench.statistics.quantities import ACCURACY, QUANTITIES, PlayedCell, Quantity
from perennial.tasks.beyondbench.statistics.resampling import METHOD, estimate_cell
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.shares import EXACT_METHOD

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
_Estimates = dict[tuple[str, Quantity], Estimate]


def cell_figures(cells: Iterable[PlayedCell], seed: int) -> Iterator[Figure]:
    """Yield the figures of all players from what they did in each cell."""
    ordered = sorted(cells, key=lambda cell: (cell.suite, cell.task, cell.variation, cell.player))
    players = sorted({cell.player for cell in ordered})
    for start in range(0, len(players), _PLAYERS_AT_ONCE):
        chosen = set(players[start : start + _PLAYERS_AT_ONCE])
        yield from _figures_of([cell for cell in ordered if cell.player in chosen], seed)


def _figures_of(cells: Sequence[PlayedCell], seed: int) -> Iterator[Figure]:
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
    found = {}
    for cell in cells:
        stratum = f"{cell.task}/{cell.variation}" + ("" if size is None else f"/{size}")
        for quantity in QUANTITIES if size is None else (ACCURACY,):
            totals, numbers = cell.columns[quantity.total], cell.columns[quantity.number]
            counts = numbers > 0 if size is None else (numbers > 0) & (cell.columns["size"] == size)
            if counts.any():
                found[cell.player, quantity] = estimate_cell(totals[counts], numbers[counts], stratum, seed)
    return found


def _combine(parts: Sequence[_Estimates], least: int = 1) -> _Estimates:
    """Return the unweighted means of those that have so many parts at least."""
    keys = dict.fromkeys(key for part in parts for key in part)
    listed = {key: [part[key] for part in parts if key in part] for key in keys}
    return {key: mean_of(found) for key, found in listed.items() if len(found) >= least}


def _size_figures(cells: Sequence[PlayedCell], seed: int, suite: str, task: str) -> Iterator[Figure]:
    sizes = sorted({int(size) for cell in cells for size in cell.columns["size"]})
    for size in sizes:
        of_size = [_estimate([cell], seed, size) for cell in cells]
        for (player, _), estimate in _combine(of_size).items():
            yield _figure(
                BY_SIZE,
                estimate=estimate,
                quantity=ACCURACY,
                how=_SIZE,
                place=(suite, task, player),
                other=str(size),
            )


def _figures(
    estimates: _Estimates, level: str, suite: str, task: str = ALL, variation: str = ""
) -> Iterator[Figure]:
    for (player, quantity), estimate in estimates.items():
        place = suite, task, player
        yield _figure(quantity.statistic, estimate, quantity, _LEVELS[level], place, variation)
        if quantity.deviates and level != "cell":
            number, deviation = len(estimate.cells), deviation_of(estimate)
            yield Figure(f"{quantity.statistic}_deviation", *place, number, deviation, _DEVIATION)


def _figure(
    statistic: str, estimate: Estimate, quantity: Quantity, how: str, place: tuple[str, str, str], other: str
) -> Figure:
    low, high = interval_of(estimate, is_share=quantity.is_share)
    exact = f"; {EXACT_METHOD}, for as many instances as leave as much to chance" if quantity.is_share else ""
    method = f"{quantity.what}: {how}; {METHOD}{exact}; n counts instances"
    return Figure(statistic, *place, estimate.n, estimate.value, method, other=other, low=low, high=high)
