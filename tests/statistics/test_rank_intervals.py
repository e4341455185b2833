"""Intervals of ranks: clear orders are narrow, equal players may have any place, and the truth is held."""

import numpy as np

from perennial.schemas.statistics import NEW_DOMAINS
from perennial.tasks.statistics.cells import Domains, SettingGrid
from perennial.tasks.statistics.multiplicity import kind_by_name
from perennial.tasks.statistics.rank_figures import compare_pairs, rank_players


def _grid(generator: np.random.Generator, rates: list[float], domains: int, instances: int) -> SettingGrid:
    shift = generator.normal(0, 0.08, domains).repeat(instances)
    own = generator.normal(0, 0.07, (len(rates), domains)).repeat(instances, axis=1)
    solved = generator.random((len(rates), domains * instances)) < np.array(rates)[:, None] + shift + own
    names = tuple(f"d{number:03}" for number in range(domains))
    starts = tuple(range(0, domains * instances + 1, instances))
    players = tuple(f"p{number}" for number in range(len(rates)))
    runs = np.ones(solved.shape, np.int32)
    order = np.arange(solved.shape[1])
    return SettingGrid(
        *("easy", Domains(names, starts), players, runs, solved.astype(np.int32), order, order // instances),
        population=NEW_DOMAINS,
    )


def _rank(grid: SettingGrid) -> list[tuple[float, float, float] | None]:
    number = len(grid.players)
    pairs = compare_pairs(grid, kind_by_name(()))
    found = rank_players(grid, np.full(number, np.nan), np.full(number, True), pairs)
    return [rank and rank[:3] for rank in found]


def test_a_clear_order_has_exact_places_and_equal_players_share_theirs() -> None:
    first, two, three, last = _rank(_grid(np.random.default_rng(0), [0.9, 0.5, 0.5, 0.1], 40, 10))
    assert (first, last) == ((1, 1, 1), (4, 4, 4))
    assert two is not None
    assert three is not None
    assert sorted((two[0], three[0])) == [2, 3]
    assert two[1:] == three[1:] == (2, 3)


def test_two_domains_tell_no_order() -> None:
    found = _rank(_grid(np.random.default_rng(0), [0.9, 0.1], 2, 50))
    assert found == [(1, 1, 2), (2, 1, 2)]


def test_intervals_hold_the_true_place_and_the_rank() -> None:
    rates = [0.62, 0.58, 0.55, 0.5, 0.45]
    held = []
    for seed in range(150):
        found = [rank for rank in _rank(_grid(np.random.default_rng(seed), rates, 12, 8)) if rank]
        held += [low <= place <= high for place, (_, low, high) in enumerate(found, start=1)]
        assert all(low <= rank <= high for rank, low, high in found)
    assert np.mean(held) >= 0.95
