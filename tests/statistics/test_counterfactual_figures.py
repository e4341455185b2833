"""The gap between true domains and their counterfactuals: pairs of domains alone, and what it is of."""

import pytest

from perennial.schemas.statistics import NEW_DOMAINS, THESE_DOMAINS
from perennial.tasks.kumo.statistics import twin_figures
from perennial.tasks.statistics.cells import ALL
from tests.statistics.made_cells import Cell, columns_of

OTHER = " (counterfactual)"


def _cells(player: str, domain: str, solved: list[int], runs: int = 2) -> list[Cell]:
    return [Cell(domain, "easy", player, f"{domain}{i}", runs, count) for i, count in enumerate(solved)]


def test_the_gap_is_the_difference_of_rates_over_domains_that_have_a_counterfactual() -> None:
    cells = [
        *_cells("m", "A", [2, 2, 1]),
        *_cells("m", "A" + OTHER, [0, 1, 0]),
        *_cells("m", "B", [1, 1, 2]),
        *_cells("m", "B" + OTHER, [1, 1, 0, 2]),
        *_cells("m", "alone", [0, 0, 0]),
        *_cells("n", "A", [2]),
    ]
    found = list(twin_figures(columns_of(cells, "easy", NEW_DOMAINS)))
    assert [(f.domain, f.player, f.n) for f in found] == [(ALL, "m", 6), ("A", "m", 3), ("B", "m", 3)]
    assert [f.value for f in found] == pytest.approx([(5 - 1 + 4 - 2) / 12, 4 / 6, 2 / 6])
    assert [f.population for f in found] == [NEW_DOMAINS, THESE_DOMAINS, THESE_DOMAINS]
    for figure in found:
        assert figure.low is not None
        assert figure.high is not None
        assert figure.value is not None
        assert figure.low < figure.value < figure.high


def test_without_a_pair_there_is_no_gap_and_episodes_that_were_not_scored_do_not_count() -> None:
    assert not list(twin_figures(columns_of(_cells("m", "A", [1, 2]), "easy")))
    cells = [
        *_cells("m", "A", [2, 2]),
        *_cells("m", "A" + OTHER, [0]),
        *_cells("m", "A" + OTHER, [0, 0], 0)[1:],
    ]
    (whole, _) = twin_figures(columns_of(cells, "easy", NEW_DOMAINS))
    assert (whole.n, whole.value) == (1, 1.0)
    # One pair of instances: nothing shows how they vary.
    assert whole.low is None
    assert whole.no_interval
