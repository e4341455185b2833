"""Each pair of players on the instances that both played: the difference, and McNemar's exact test.

An instance is as hard for one player as for the other, so pairing takes its difficulty out of the difference;
instances of one player alone are left out. All pairs are computed at once, in whole numbers: a rate is solved
runs times the least common multiple of all numbers of runs, over the runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING

from tasks.statistics.cells import ALL, Cell, by_player
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import RESAMPLES, intervals_of_sums
from tasks.statistics.multiplicity import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIFFERENCE = (
    f"mean difference over shared instances; percentile bootstrap over instances, {RESAMPLES} resamples; "
    "n counts instances"
)
_MCNEMAR = (
    "share that only the player solves of those that one alone does; majority labels on shared instances; "
    "McNemar exact, two-sided; Holm over all pairs; n counts discordant instances"
)


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
        figure._replace(p_adjusted=next(adjusted)) if figure.statistic == "mcnemar" else figure
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
            _DIFFERENCE,
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
        np.array([cell is not None and cell.has_majority for cell in found]),
    )


def _mcnemar(
    setting: str, one: str, other: str, labels: "NDArray[np.bool_]", others: "NDArray[np.bool_]"
) -> Figure:
    only_one, only_other = int((labels & ~others).sum()), int((others & ~labels).sum())
    discordant = only_one + only_other
    return Figure(
        "mcnemar",
        setting,
        ALL,
        one,
        discordant,
        only_one / discordant if discordant else None,
        _MCNEMAR,
        other=other,
        p_value=mcnemar_p(only_one, only_other),
    )


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the p-value of McNemar's exact test of whether two players solve equally many instances.

    Of m instances that one player alone solved, each is equally likely to be either's if they are equal:
    p = min(1, 2 P(X <= the smaller number)) with X binomial(m, 1/2), which is 1.0 for m = 0. Sources:
    McNemar 1947; Fagerland, Lydersen and Laake 2013 (the exact conditional test).
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(only_one, only_other), only_one + only_other, 0.5)))
