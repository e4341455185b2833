"""Intervals of ranks: clear orders are narrow, equal players may have any place, and the truth is held."""

import numpy as np

from tasks.statistics.cells import Domains, Grid
from tasks.statistics.ranks.rank_intervals import rank_intervals


def _grid(generator: np.random.Generator, rates: list[float], domains: int, instances: int) -> Grid:
    shift = generator.normal(0, 0.08, domains).repeat(instances)
    own = generator.normal(0, 0.07, (len(rates), domains)).repeat(instances, axis=1)
    solved = generator.random((len(rates), domains * instances)) < np.array(rates)[:, None] + shift + own
    names = tuple(f"d{number:03}" for number in range(domains))
    starts = tuple(range(0, domains * instances + 1, instances))
    players = tuple(f"p{number}" for number in range(len(rates)))
    runs = np.ones(solved.shape, np.int32)
    order = np.arange(solved.shape[1])
    return Grid(
        "easy", Domains(names, starts), players, runs, solved.astype(np.int32), order, order // instances
    )


def test_a_clear_order_has_exact_places_and_equal_players_share_theirs() -> None:
    found = rank_intervals(_grid(np.random.default_rng(0), [0.9, 0.5, 0.5, 0.1], 40, 10), np.full(4, True))
    assert found == [(1.0, 1.0), (2.0, 3.0), (2.0, 3.0), (4.0, 4.0)]


def test_two_domains_tell_no_order_and_unranked_players_have_none() -> None:
    ranked = np.array([True, True, False])
    found = rank_intervals(_grid(np.random.default_rng(0), [0.9, 0.1, 0.5], 2, 50), ranked)
    assert found == [(1.0, 2.0), (1.0, 2.0), None]


def test_intervals_hold_the_true_place() -> None:
    rates = [0.62, 0.58, 0.55, 0.5, 0.45]
    held = []
    for seed in range(150):
        found = rank_intervals(_grid(np.random.default_rng(seed), rates, 12, 8), np.full(5, True))
        held += [low <= place <= high for place, (low, high) in enumerate(filter(None, found), start=1)]
    assert np.mean(held) >= 0.95
