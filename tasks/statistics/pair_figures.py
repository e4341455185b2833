"""Each pair of players on the instances that both played: the difference, and McNemar's exact test.

The definitions are those of `tasks.statistics.comparison`. Here all pairs are computed at once, in whole
numbers: a rate is solved runs times the least common multiple of all numbers of runs, over the runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING

from tasks.statistics.cells import ALL, Cell, by_player
from tasks.statistics.comparison import DIFFERENCE_METHOD, MCNEMAR_METHOD, mcnemar_of_counts
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import intervals_of_sums
from tasks.statistics.multiplicity import holm
from tasks.statistics.rate_figures import has_majority

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Played:
    """A player on all instances of a setting: which it played, its scaled rates, its majority labels."""

    seen: "NDArray[np.bool_]"
    rates: "NDArray[np.float64]"
    labels: "NDArray[np.bool_]"


def pair_figures(cells: Sequence[Cell], settings: Sequence[str], seed: int) -> list[Figure]:
    """Return `paired_difference` (player minus other) and `mcnemar` for each pair in each setting.

    The adjusted p-values are Holm's over all McNemar tests of the edition.
    """
    figures = [figure for setting in settings for figure in _pairs(by_player(cells, setting), setting, seed)]
    adjusted = iter(holm([figure.p_value for figure in figures if figure.statistic == "mcnemar"]))
    return [
        replace(figure, p_adjusted=next(adjusted)) if figure.statistic == "mcnemar" else figure
        for figure in figures
    ]


def _pairs(players: Mapping[str, Mapping[str, Cell]], setting: str, seed: int) -> Iterator[Figure]:
    unit = lcm(*(cell.runs for cells in players.values() for cell in cells.values()))
    names = sorted({name for cells in players.values() for name in cells})
    played = {player: _collect_played(cells, names, unit) for player, cells in players.items()}
    pairs = [
        (one, other, shared)
        for one, other in combinations(players, 2)
        if (shared := played[one].seen & played[other].seen).any()
    ]
    gaps = [(played[one].rates - played[other].rates)[shared] for one, other, shared in pairs]
    intervals = intervals_of_sums([(gap, [1.0] * len(gap)) for gap in gaps], seed)
    for (one, other, shared), gap, interval in zip(pairs, gaps, intervals, strict=True):
        low, high = interval or (None, None)
        yield Figure(
            "paired_difference",
            setting,
            ALL,
            one,
            len(gap),
            float(gap.sum()) / (unit * len(gap)),
            f"{DIFFERENCE_METHOD}; n counts instances",
            other=other,
            low=None if low is None else low / unit,
            high=None if high is None else high / unit,
        )
        yield _mcnemar(setting, one, other, played[one].labels[shared], played[other].labels[shared])


def _collect_played(cells: Mapping[str, Cell], names: Sequence[str], unit: int) -> _Played:
    import numpy as np

    found = [cells.get(name) for name in names]
    return _Played(
        np.array([cell is not None for cell in found]),
        np.array([0.0 if cell is None else cell.solved * (unit // cell.runs) for cell in found]),
        np.array([cell is not None and has_majority(cell) for cell in found]),
    )


def _mcnemar(
    setting: str, one: str, other: str, labels: "NDArray[np.bool_]", others: "NDArray[np.bool_]"
) -> Figure:
    test = mcnemar_of_counts(len(labels), int((labels & ~others).sum()), int((others & ~labels).sum()))
    discordant = test.only_a + test.only_b
    return Figure(
        "mcnemar",
        setting,
        ALL,
        one,
        discordant,
        test.only_a / discordant if discordant else None,
        f"share that only the player solves of those that one alone does; {MCNEMAR_METHOD}; Holm over all "
        "pairs; n counts discordant instances",
        other=other,
        p_value=test.p_value,
    )
