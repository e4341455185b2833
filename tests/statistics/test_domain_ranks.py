"""Rates on the instances that are common in a domain, and places among players of one kind."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from perennial.tasks.statistics.cells import ALL, Domains, SettingGrid
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rank_figures import domain_rank_figures, rank_figures
from tests.statistics.simulated_answers import draw_answers

KINDS = {"p0": "programs", "p1": "models", "p2": "models", "p3": "models"}


def _figures(grid: SettingGrid) -> dict[tuple[str, str, str], Statistic]:
    found = domain_rank_figures(grid, KINDS.__getitem__)
    return {(figure.statistic, figure.domain, figure.player): figure for figure in found}


def _parts(grid: SettingGrid) -> Iterator[tuple[str, SettingGrid]]:
    """Each domain of the grid as a grid of its own."""
    for domain, columns in grid.places():
        if domain != ALL:
            runs, solved = grid.runs[:, columns], grid.solved[:, columns]
            domains = Domains((domain,), (0, runs.shape[1]))
            yield (
                domain,
                replace(
                    grid,
                    domains=domains,
                    runs=runs,
                    solved=solved,
                    rank=grid.rank[columns],
                    cluster=grid.cluster[columns],
                ),
            )


def test_a_domain_has_the_common_rates_that_it_has_as_a_setting_of_its_own() -> None:
    # Of 30 and 40 instances some rates are near an end and some are not.
    grid = draw_answers(3, [0.0, 3.0, 0.5, -0.5], [0.0, 0.3], 40, runs=2, only={3: 1}).grid
    found = _figures(grid)
    compared = 0
    for domain, part in _parts(grid):
        for figure in rank_figures(part, KINDS.__getitem__, ()):
            if figure.statistic == "common_rate":
                ours = found.get(("common_rate", domain, figure.player))
                assert (ours is None) == (figure.value is None)
                if ours is not None:
                    compared += 1
                    assert ours.n == figure.n == 40
                    expected = (figure.value, figure.low, figure.high)
                    assert (ours.value, ours.low, ours.high) == pytest.approx(expected, abs=1e-12)
    assert compared == 7
    assert ("common_rate", ALL, "p1") not in found, "that is a figure of the whole setting"


def test_a_player_of_few_instances_of_a_domain_is_absent_there_alone() -> None:
    runs = np.ones((4, 20), np.int32)
    runs[3, 4:10] = 0  # it has four of ten in the first domain
    solved = np.zeros((4, 20), np.int32)
    solved[0], solved[1, ::2], solved[2, 1::2], solved[3, 10:] = 1, 1, 1, 1
    found = _figures(
        SettingGrid("s", Domains(("d0", "d1"), (0, 10, 20)), tuple(KINDS), runs, solved, *[np.arange(20)] * 2)
    )
    assert {player for statistic, domain, player in found if domain == "d0"} == {"p0", "p1", "p2"}
    ranks = {(domain, player): one for (name, domain, player), one in found.items() if name == "rank_in_kind"}
    # Models share a place, and none of them is ranked among programs.
    assert [ranks["d0", player].value for player in ("p0", "p1", "p2")] == [1, 1, 1]
    assert [ranks["d1", player].value for player in KINDS] == [1, 2, 2, 1]
    assert {player: ranks["d1", player].convention for player in KINDS} == KINDS
    # Of the whole setting it has enough: the common instances are those that it has.
    assert [(ranks[ALL, player].value, ranks[ALL, player].n) for player in KINDS] == [
        (1, 20),
        (2, 14),
        (2, 14),
        (1, 14),
    ]


def test_a_domain_without_common_instances_has_no_figure() -> None:
    runs = np.zeros((2, 4), np.int32)
    runs[0, :2], runs[1, 2:] = 1, 1
    grid = SettingGrid("s", Domains(("d",), (0, 4)), ("p1", "p2"), runs, runs, *[np.arange(4)] * 2)
    assert _figures(grid) == {}
