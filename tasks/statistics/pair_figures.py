"""Each pair of players on the instances that both played: the difference, and McNemar's exact test."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from tasks.statistics.cells import ALL, Cell, by_player
from tasks.statistics.comparison import mcnemar_exact, paired_differences
from tasks.statistics.figure import Figure
from tasks.statistics.multiplicity import holm
from tasks.statistics.rate_figures import has_majority

_DIFFERENCE = "mean over shared instances of the difference of their means over runs; percentile bootstrap"
_MCNEMAR = "exact binomial test on majority labels; n counts discordant instances; Holm over all pairs"


def pair_figures(cells: Sequence[Cell], settings: Sequence[str], seed: int) -> list[Figure]:
    """Return `paired_difference` (player minus other) and `mcnemar` for each pair in each setting.

    The adjusted p-values are Holm's over all McNemar tests of the edition.
    """
    figures = [figure for setting in settings for figure in _pairs(by_player(cells, setting), setting, seed)]
    adjusted = holm([figure.p_value for figure in figures if figure.statistic == "mcnemar"])
    given = iter(adjusted)
    return [
        replace(figure, p_adjusted=next(given)) if figure.statistic == "mcnemar" else figure
        for figure in figures
    ]


def _pairs(players: Mapping[str, Mapping[str, Cell]], setting: str, seed: int) -> Iterator[Figure]:
    rates = {
        player: {name: [cell.solved / cell.runs] for name, cell in cells.items()}
        for player, cells in players.items()
    }
    labels = {
        player: {name: has_majority(cell) for name, cell in cells.items()}
        for player, cells in players.items()
    }
    pairs = list(combinations(players, 2))
    differences = paired_differences([(rates[one], rates[other]) for one, other in pairs], seed)
    for (one, other), difference in zip(pairs, differences, strict=True):
        test = mcnemar_exact(labels[one], labels[other])
        if test is None:
            continue
        yield Figure(
            "paired_difference",
            setting,
            ALL,
            one,
            difference.n_instances,
            difference.difference,
            f"{_DIFFERENCE}; n counts instances",
            other=other,
            low=difference.low,
            high=difference.high,
        )
        discordant = test.only_a + test.only_b
        yield Figure(
            "mcnemar",
            setting,
            ALL,
            one,
            discordant,
            test.only_a / discordant if discordant else None,
            f"share that only the player solves among discordant instances; {_MCNEMAR}",
            other=other,
            p_value=test.p_value,
        )
